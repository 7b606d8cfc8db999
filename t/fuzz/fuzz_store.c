/* SPDX-License-Identifier: MIT */
/* The files of an archive. A manifest of any content is accepted or refused; accepted content
 * prints as the same bytes. A segment of any content with right checksums is read within its
 * bounds. */
#include "fuzz.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/bytes.h"
#include "store/segment.h"

static struct sh_error err;

static void manifest(struct sh_slice text)
{
	struct sh_store_manifest m, copy;
	struct sh_buf printed = { 0 };

	if (sh_store_manifest_parse(&m, text, &err) == 0) {
		check(sh_store_manifest_print(&m, &printed, &err) == 0);
		check(sh_slice_eq(sh_buf_slice(&printed), text));
		check(sh_store_manifest_copy(&copy, &m, &err) == 0);
		check(sh_store_manifest_documents(&copy) == sh_store_manifest_documents(&m));
		sh_store_manifest_free(&copy);
		sh_store_manifest_free(&m);
	}
	sh_buf_free(&printed);
}

/* Parses the text with its right checksum, which a fuzzer cannot guess. */
static void summed(struct sh_slice text)
{
	struct sh_buf all = { 0 };
	char line[40];
	int n = snprintf(line, sizeof line, "checksum %016llx\n",
	    (unsigned long long)XXH3_64bits(text.p, text.n));

	check(sh_buf_add(&all, text.p, text.n, &err) == 0);
	check(sh_buf_add(&all, line, (size_t)n, &err) == 0);
	manifest(sh_buf_slice(&all));
	sh_buf_free(&all);
}

static char *sums_of(const char *p, size_t n)
{
	size_t blocks = (size_t)sh_store_blocks(n);
	char *sums = malloc(8 * blocks + 1);

	check(sums != NULL);
	for (size_t i = 0; i < blocks; i++) {
		size_t at = i * SH_STORE_BLOCK, left = n - at;

		sh_put_le64(sums + 8 * i,
		    XXH3_64bits(p + at, left < SH_STORE_BLOCK ? left : SH_STORE_BLOCK));
	}
	return sums;
}

static int found(void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *e)
{
	const uint64_t *key = arg;

	(void)e;
	check(p->key == key[asked]);
	return 0;
}

static void read_all(struct sh_store_segment *s)
{
	uint64_t key[4] = { 0, 1, UINT64_C(0x6161616161616161), UINT64_MAX };
	struct sh_record r;
	size_t at;

	for (size_t i = 0; i < s->entry.documents; i++) {
		if (sh_store_segment_record(s, i, &r, &err) < 0)
			continue;
		check(r.line.n < s->entry.bytes && r.id.n <= r.line.n);
		check(r.id.p >= r.line.p && r.id.p + r.id.n <= r.line.p + r.line.n);
		if (sh_store_segment_find(s, r.number, &at, &err) > 0)
			check(at < s->entry.documents);
	}
	for (size_t most = 0; most < 3; most++) {
		sh_store_segment_look(s, SH_LIST_POSTINGS, key, 4, most, found, key, &err);
		sh_store_segment_look(s, SH_LIST_IDS, key, 4, most, found, key, &err);
	}
}

/* The first two bytes of the data are numbers of postings and of documents; then come the index and
 * the documents. */
static void segment(const uint8_t *data, size_t size)
{
	struct sh_store_segment s = { .folder = &(struct sh_folder){ .path = "fuzz" } };
	size_t postings, documents, index;
	char *sums[2];

	if (size < 2)
		return;
	postings = data[0];
	documents = data[1];
	index = (postings + documents) * SH_STORE_POSTING_BYTES + documents * SH_STORE_RECORD_BYTES;
	if (!documents || size - 2 <= index)
		return;
	s.entry.last = UINT32_MAX;
	s.entry.documents = documents;
	s.entry.postings = postings;
	s.entry.bytes = size - 2 - index;
	s.ids = postings * SH_STORE_POSTING_BYTES;
	s.records = s.ids + documents * SH_STORE_POSTING_BYTES;
	s.sums = index;
	s.part[SH_STORE_PART_INDEX].map =
	    (struct sh_mapped){ .p = (const char *)data + 2, .n = index };
	s.part[SH_STORE_PART_DOCUMENTS].map =
	    (struct sh_mapped){ .p = (const char *)data + 2 + index, .n = size - 2 - index };
	for (unsigned i = 0; i < 2; i++) {
		struct sh_store_checked *c = &s.part[i];

		c->sums = sums[i] = sums_of(c->map.p, c->map.n);
		c->seen = calloc((size_t)sh_store_blocks(c->map.n) / 32 + 1, sizeof *c->seen);
		check(c->seen != NULL);
	}
	read_all(&s);
	for (unsigned i = 0; i < 2; i++) {
		free(sums[i]);
		free(s.part[i].seen);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sh_slice text = sh_slice((const char *)data, size);

	manifest(text);
	summed(text);
	segment(data, size);
	return 0;
}
