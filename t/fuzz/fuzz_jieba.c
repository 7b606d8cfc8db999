/* SPDX-License-Identifier: MIT */
/* Any bytes as lines of a user's dictionary, as sources of a dictionary, and as damage of a
 * compiled dictionary with a correct checksum; and any text segmented with them. */
#include "fuzz.h"

#include "../unit/test_jieba_dict.c"
#include "segment/jieba_compile.h"

static const char start_py[] = "P={'B': -0.26, 'E': -3.14e+100, 'M': -3.14e+100, 'S': -1.46}";
static const char trans_py[] = "P={'B': {'E': -0.51, 'M': -0.91}, 'E': {'B': -0.58, 'S': -0.8},"
			       " 'M': {'E': -0.33, 'M': -1.26}, 'S': {'B': -0.72, 'S': -0.66}}";
static const char emit_py[] =
    "P={'B': {'\\u4e2d': -3.6, '\\u5927': -5.1}, 'E': {'\\u56fd': -4.2, '\\u4eba': -6.0},"
    " 'M': {'\\u56fd': -5.5, '\\u5b66': -7.1}, 'S': {'\\u7684': -2.2, '\\u4eba': -8.0}}";

static struct sh_buf compile(
    struct sh_slice dict, struct sh_slice start, struct sh_slice trans, struct sh_slice emit)
{
	struct sh_jieba_source src = { dict, start, trans, emit };
	struct sh_buf image = { 0 };
	struct sh_error err;

	if (sh_jieba_compile(&src, &image, &err) < 0) {
		sh_buf_free(&image);
		return (struct sh_buf){ 0 };
	}
	return image;
}

/* With a damaged dictionary, the words only have to be within the text. */
static void cut_text(const struct sh_jieba *j, struct sh_slice text, bool damaged)
{
	struct sh_error err;
	struct sh_segmenter *s = sh_segmenter_new(j, &err);
	struct sh_slice copy = sh_slice(fuzz_copy(text.p, text.n, 0), text.n);

	check(s != NULL);
	for (size_t m = 0; m < MODES; m++) {
		const struct sh_slice *words;
		size_t n;

		if (sh_segment(s, modes[m], copy, &words, &n, &err) < 0) {
			check(damaged);
			continue;
		}
		/* cut_all joins pieces that are not adjacent, for words of a user's dictionary. */
		check(modes[m] == SH_JIEBA_CUT_ALL || is_within(words, n, copy));
		if (!damaged && (modes[m] <= SH_JIEBA_CUT_NOHMM || modes[m] == SH_JIEBA_FINALSEG))
			check(is_partition(words, n, copy));
	}
	sh_segmenter_delete(s);
	free((char *)(uintptr_t)copy.p);
}

static void user_words(struct sh_slice image, struct sh_slice text)
{
	struct sh_error err;
	struct sh_jieba *j = sh_jieba_open_image(image, &err);
	const char *line = text.n ? memchr(text.p, '\n', text.n) : NULL;
	size_t n = line ? (size_t)(line - text.p) : text.n;

	check(j != NULL);
	sh_jieba_add_user(j, text, &err);
	cut_text(j, text, false);
	if (n) {
		sh_jieba_add_word(j, sh_slice(text.p, n), n % 3, &err);
		cut_text(j, text, false);
	}
	sh_jieba_delete(j);
}

/* Overwrites bytes of the image. Each change uses 5 bytes of the text, which choose the offset. */
static void damage(const struct sh_buf *good, struct sh_slice text)
{
	const struct sh_jieba_header *h = (const void *)good->p;
	struct sh_jieba_layout l = sh_jieba_layout(h->n_nodes);
	static struct sh_buf bad;
	struct sh_error err;
	struct sh_jieba *j;

	if (!bad.n)
		check(sh_buf_add(&bad, good->p, good->n, &err) == 0);
	fuzz_begin((const uint8_t *)text.p, text.n);
	for (unsigned i = 0; i < 40 && fuzz_input.n >= 5; i++) {
		size_t at = fuzz_take(3), from = 0;

		/* Half of the changes are in the few nodes that words use. */
		switch (fuzz_take(1) % 4) {
		case 0:
			at %= l.code;
			break;
		case 1:
			from = l.code;
			at %= l.size - l.code;
			break;
		default:
			from = l.node + SH_CODE_END * sizeof(struct sh_jieba_node);
			at %= l.freq - from;
		}
		bad.p[from + at] = (char)fuzz_take(1);
	}
	((struct sh_jieba_header *)(void *)bad.p)->file_size = good->n;
	sh_jieba_seal(bad.p);
	j = sh_jieba_open_image(sh_buf_slice(&bad), &err);
	if (j) {
		cut_text(j, sh_slice_str("中国人大学生活的AT&T恤c++，人民abc国"), true);
		cut_text(j, text, true);
		sh_jieba_add_user(j, sh_slice_str("中国人民\n大学校\n龥龥 5\n生活中 0\n"), &err);
		cut_text(j, sh_slice_str("中国人民大学校龥龥生活中"), true);
		sh_jieba_delete(j);
	}
	memcpy(bad.p, good->p, good->n);
}

static void use_sources(struct sh_buf image, struct sh_slice text)
{
	struct sh_error err;
	struct sh_jieba *j;

	if (image.n) {
		j = sh_jieba_open_image(sh_buf_slice(&image), &err);
		check(j && sh_jieba_check(j, &err) == 0);
		cut_text(j, text, false);
		sh_jieba_delete(j);
	}
	sh_buf_free(&image);
}

static void sources(struct sh_slice text)
{
	struct sh_slice dict = sh_slice_str(small_dict), start = sh_slice_str(start_py);
	struct sh_slice trans = sh_slice_str(trans_py), emit = sh_slice_str(emit_py);

	use_sources(compile(text, start, trans, emit), text);
	use_sources(compile(dict, text, trans, emit), text);
	use_sources(compile(dict, start, text, text), text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sh_buf image;
	struct sh_slice text;

	if (!image.n)
		image = compile(sh_slice_str(small_dict), sh_slice_str(start_py),
		    sh_slice_str(trans_py), sh_slice_str(emit_py));
	check(image.n > 0);
	if (size == 0)
		return 0;
	text = sh_slice(fuzz_copy(data + 1, size - 1, 0), size - 1);
	if (data[0] % 4 == 0)
		damage(&image, text);
	else if (data[0] % 4 == 1)
		sources(text);
	else
		user_words(sh_buf_slice(&image), text);
	free((char *)(uintptr_t)text.p);
	return 0;
}
