#include "join/ids.h"

#include <stdlib.h>

#include "base/bytes.h"

void sh_node_ids_free(struct sh_node_ids *s)
{
	free(s->base);
	free(s->at);
	free(s->word);
	sh_buf_free(&s->text);
	*s = (struct sh_node_ids){ 0 };
}

void sh_node_ids_clear(struct sh_node_ids *s)
{
	free(s->word);
	s->word = NULL;
	s->n = s->text.n = 0;
}

/* ---- forms ---- */

static bool is_counted(uint64_t base)
{
	return base >= SH_NODE_IDS_COUNTED;
}

static bool is_numeric(uint64_t base)
{
	return base >= SH_NODE_IDS_NUMBERS;
}

/* Returns whether n >= 1 ids of this form are numbers below 2^32. */
static bool are_short(uint64_t base, size_t n)
{
	return is_counted(base) ? base - SH_NODE_IDS_COUNTED + n - 1 <= UINT32_MAX
				: is_numeric(base);
}

/* Sets *number to the value of an id that is a decimal number below SH_NODE_IDS_LIMIT without
 * leading zeros. Returns false for any other id. */
static bool parse_number(struct sh_slice id, uint64_t *number)
{
	if (id.n == 0 || (id.p[0] == '0' && id.n > 1))
		return false;
	return sh_parse_u64(id, number) == SH_NUM_OK && *number < SH_NODE_IDS_LIMIT;
}

/* ---- the ids of a chunk ---- */

static uint64_t number_at(const struct sh_chunk_ids *c, size_t i)
{
	return is_counted(c->base) ? c->base - SH_NODE_IDS_COUNTED + i : c->at[i];
}

static uint32_t text_from(const struct sh_chunk_ids *c, size_t i)
{
	return i ? c->at[i - 1] : 0;
}

static void make_chunk_numbers(struct sh_chunk_ids *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->at[i] = (uint32_t)number_at(c, i);
	c->base = SH_NODE_IDS_NUMBERS;
}

static void make_chunk_text(struct sh_chunk_ids *c)
{
	uint32_t end = 0;

	for (size_t i = 0; i < c->n; i++) {
		end += (uint32_t)sh_print_u64(c->text + end, number_at(c, i));
		c->at[i] = end;
	}
	c->base = 0;
}

/* Changes the form of the chunk so that one more id can be added. The id is this number; or text
 * when `numeric` is false. It is not the next number of ids that count up. */
static void choose_form(struct sh_chunk_ids *c, bool numeric, uint64_t number)
{
	if (c->n == 0)
		c->base = numeric ? SH_NODE_IDS_COUNTED + number : 0;
	else if (is_numeric(c->base) &&
		 (!numeric || number > UINT32_MAX || !are_short(c->base, c->n)))
		make_chunk_text(c);
	else if (is_counted(c->base))
		make_chunk_numbers(c);
}

void sh_chunk_ids_add(struct sh_chunk_ids *c, struct sh_slice id)
{
	uint64_t number = 0;
	bool numeric = (c->n == 0 || is_numeric(c->base)) && parse_number(id, &number);
	uint32_t from;

	if (!(numeric && c->n && is_counted(c->base) && number == number_at(c, c->n)))
		choose_form(c, numeric, number);
	if (c->base == SH_NODE_IDS_NUMBERS) {
		c->at[c->n] = (uint32_t)number;
	} else if (!is_numeric(c->base)) {
		from = text_from(c, c->n);
		memcpy(c->text + from, id.p, SH_NODE_IDS_PAD);
		if (id.n > SH_NODE_IDS_PAD)
			memcpy(c->text + from, id.p, id.n);
		c->at[c->n] = from + (uint32_t)id.n;
	}
	c->n++;
}

/* ---- strides ---- */

/* Reserves `at` for the whole stride that begins at record `first`. */
static int reserve_at(struct sh_node_ids *s, size_t first, struct sh_error *err)
{
	return SH_RESERVE(s->at, s->at_cap, first + SH_NODE_IDS_STRIDE, err);
}

/* Converts a stride of ids that count up to a stride of numbers. */
static int make_numbers(struct sh_node_ids *s, size_t first, struct sh_error *err)
{
	uint64_t *base = &s->base[first / SH_NODE_IDS_STRIDE], number = *base - SH_NODE_IDS_COUNTED;

	if (reserve_at(s, first, err) < 0)
		return -1;
	for (size_t r = first; r < s->n; r++)
		s->at[r] = (uint32_t)number++;
	*base = SH_NODE_IDS_NUMBERS;
	return 0;
}

/* Adds the text of an id to a stride whose text begins at offset `start`. */
static int add_text(
    struct sh_node_ids *s, size_t record, uint64_t start, struct sh_slice id, struct sh_error *err)
{
	if (sh_buf_reserve(&s->text, id.n + SH_NODE_IDS_PAD, err) < 0 ||
	    sh_buf_add(&s->text, id.p, id.n, err) < 0)
		return -1;
	s->at[record] = (uint32_t)(s->text.n - start);
	return 0;
}

/* Converts a stride of numbers to a stride of text. */
static int make_text(struct sh_node_ids *s, size_t first, struct sh_error *err)
{
	uint64_t start = s->text.n;

	if (reserve_at(s, first, err) < 0)
		return -1;
	for (size_t r = first; r < s->n; r++) {
		char room[SH_ID_ROOM];

		if (add_text(s, r, start, sh_node_ids_get(s, (uint32_t)r, room), err) < 0)
			return -1;
	}
	s->base[first / SH_NODE_IDS_STRIDE] = start;
	return 0;
}

/* Begins a stride for ids of this form, which is the `base` of a chunk. */
static int begin_stride(struct sh_node_ids *s, uint64_t form, struct sh_error *err)
{
	size_t stride = s->n / SH_NODE_IDS_STRIDE;

	if (SH_RESERVE(s->base, s->base_cap, stride + 1, err) < 0)
		return -1;
	s->base[stride] = is_numeric(form) ? form : s->text.n;
	return is_counted(form) ? 0 : reserve_at(s, s->n, err);
}

/* Converts the stride that begins at record `first`, so that n ids of this form can be added. */
static int convert_stride(
    struct sh_node_ids *s, size_t first, uint64_t form, size_t n, struct sh_error *err)
{
	uint64_t base = s->base[first / SH_NODE_IDS_STRIDE];
	size_t in = s->n - first;

	if (!is_numeric(base) || (is_counted(base) && base + in == form) ||
	    (base == SH_NODE_IDS_NUMBERS && are_short(form, n)))
		return 0;
	return are_short(base, in) && are_short(form, n) ? make_numbers(s, first, err)
							 : make_text(s, first, err);
}

/* Adds the ids from .. from+n-1, which are text, to a stride whose text begins at offset
 * `start`. */
static int copy_text(struct sh_node_ids *s, uint64_t start, const struct sh_chunk_ids *c,
    size_t from, size_t n, struct sh_error *err)
{
	uint32_t begin = text_from(c, from), shift = (uint32_t)(s->text.n - start) - begin;
	size_t bytes = c->at[from + n - 1] - begin;

	if (sh_buf_reserve(&s->text, bytes + SH_NODE_IDS_PAD, err) < 0 ||
	    sh_buf_add(&s->text, c->text + begin, bytes, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		s->at[s->n + i] = c->at[from + i] + shift;
	return 0;
}

/* The same for ids that are numbers. */
static int print_text(struct sh_node_ids *s, uint64_t start, const struct sh_chunk_ids *c,
    size_t from, size_t n, struct sh_error *err)
{
	for (size_t i = 0; i < n; i++) {
		char room[SH_NUM_CHARS];
		struct sh_slice id = sh_slice(room, sh_print_u64(room, number_at(c, from + i)));

		if (add_text(s, s->n + i, start, id, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds the ids from .. from+n-1, which belong to one stride. */
static int append_part(struct sh_node_ids *s, const struct sh_chunk_ids *c, size_t from, size_t n,
    struct sh_error *err)
{
	size_t in = s->n % SH_NODE_IDS_STRIDE, first = s->n - in;
	uint64_t form = is_counted(c->base) ? c->base + from : c->base, base;
	int status = in == 0 ? begin_stride(s, form, err) : convert_stride(s, first, form, n, err);

	if (status < 0)
		return -1;
	base = s->base[first / SH_NODE_IDS_STRIDE];
	if (base == SH_NODE_IDS_NUMBERS)
		for (size_t i = 0; i < n; i++)
			s->at[s->n + i] = (uint32_t)number_at(c, from + i);
	else if (!is_numeric(base))
		status = (is_numeric(form) ? print_text : copy_text)(s, base, c, from, n, err);
	s->n += status == 0 ? n : 0;
	return status;
}

int sh_node_ids_append(struct sh_node_ids *s, const struct sh_chunk_ids *c, size_t from, size_t n,
    struct sh_error *err)
{
	while (n > 0) {
		size_t left = SH_NODE_IDS_STRIDE - s->n % SH_NODE_IDS_STRIDE;
		size_t part = n < left ? n : left;

		if (append_part(s, c, from, part, err) < 0)
			return -1;
		from += part;
		n -= part;
	}
	return 0;
}

int sh_node_ids_add(struct sh_node_ids *s, struct sh_slice id, struct sh_error *err)
{
	uint64_t number;
	uint32_t end = (uint32_t)id.n;
	struct sh_chunk_ids one = { .n = 1, .at = &end, .text = (char *)(uintptr_t)id.p };

	if (parse_number(id, &number))
		one.base = SH_NODE_IDS_COUNTED + number;
	return append_part(s, &one, 0, 1, err);
}

void sh_node_ids_make_words(struct sh_node_ids *s)
{
	uint64_t *word = s->roomy && !s->word ? malloc(s->n * sizeof *word + 1) : NULL;

	for (size_t r = 0; word && r < s->n; r++) {
		char room[SH_ID_ROOM] = { 0 };

		if (s->base[r / SH_NODE_IDS_STRIDE] < SH_NODE_IDS_NUMBERS ||
		    sh_node_ids_get(s, (uint32_t)r, room).n > 8) {
			free(word);
			return;
		}
		word[r] = sh_be64(room);
	}
	if (word)
		s->word = word;
}
