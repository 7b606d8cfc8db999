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

int sh_node_ids_reserve(struct sh_node_ids *s, size_t more, struct sh_error *err)
{
	size_t strides = (s->n + more) / SH_NODE_IDS_STRIDE + 1;

	if (strides <= s->base_cap)
		return 0;
	return sh_grow((void **)&s->base, &s->base_cap, strides, sizeof *s->base, err);
}

/* Reserves `at` for the whole stride that begins at record `first`. */
static int reserve_at(struct sh_node_ids *s, size_t first, struct sh_error *err)
{
	size_t want = first + SH_NODE_IDS_STRIDE;

	if (want <= s->at_cap)
		return 0;
	return sh_grow((void **)&s->at, &s->at_cap, want, sizeof *s->at, err);
}

/* Returns whether the id is a decimal number below the limit without leading zeros, so that the
 * number prints as the id. */
static bool is_number(struct sh_slice id, uint64_t *number)
{
	if (id.n == 0 || (id.p[0] == '0' && id.n > 1))
		return false;
	return sh_parse_u64(id, number) == SH_NUM_OK && *number < SH_NODE_IDS_LIMIT;
}

/* Adds the id to the text of a stride that begins at offset `start`. */
static int add_text(
    struct sh_node_ids *s, size_t record, uint64_t start, struct sh_slice id, struct sh_error *err)
{
	if (sh_buf_reserve(&s->text, id.n + SH_NODE_IDS_PAD, err) < 0 ||
	    sh_buf_add(&s->text, id.p, id.n, err) < 0)
		return -1;
	s->at[record] = (uint32_t)(s->text.n - start);
	return 0;
}

/* Converts a stride whose ids counted up so far to one of numbers. */
static void make_numbers(struct sh_node_ids *s, size_t first)
{
	uint64_t *base = &s->base[first / SH_NODE_IDS_STRIDE], number = *base - SH_NODE_IDS_COUNTED;

	for (size_t r = first; r < s->n; r++)
		s->at[r] = (uint32_t)number++;
	*base = SH_NODE_IDS_NUMBERS;
}

/* Converts a stride of numbers to one of text. */
static int make_text(struct sh_node_ids *s, size_t first, struct sh_error *err)
{
	uint64_t start = s->text.n;

	for (size_t r = first; r < s->n; r++) {
		char room[SH_ID_ROOM];

		if (add_text(s, r, start, sh_node_ids_get(s, (uint32_t)r, room), err) < 0)
			return -1;
	}
	s->base[first / SH_NODE_IDS_STRIDE] = start;
	return 0;
}

static int begin_stride(struct sh_node_ids *s, struct sh_slice id, struct sh_error *err)
{
	uint64_t *base = &s->base[s->n / SH_NODE_IDS_STRIDE], number;

	if (is_number(id, &number)) {
		*base = SH_NODE_IDS_COUNTED + number;
		return 0;
	}
	*base = s->text.n;
	return reserve_at(s, s->n, err) < 0 ? -1 : add_text(s, s->n, *base, id, err);
}

/* Adds an id that is not the first of its stride. */
static int continue_stride(struct sh_node_ids *s, struct sh_slice id, struct sh_error *err)
{
	size_t in = s->n % SH_NODE_IDS_STRIDE, first = s->n - in;
	uint64_t *base = &s->base[first / SH_NODE_IDS_STRIDE], number, next;

	if (*base < SH_NODE_IDS_NUMBERS)
		return add_text(s, s->n, *base, id, err);
	if (!is_number(id, &number))
		number = UINT64_MAX;
	if (*base >= SH_NODE_IDS_COUNTED) {
		next = *base - SH_NODE_IDS_COUNTED + in;
		if (number == next)
			return 0;
		if (reserve_at(s, first, err) < 0)
			return -1;
		if (number <= UINT32_MAX && next - 1 <= UINT32_MAX)
			make_numbers(s, first);
	}
	if (*base == SH_NODE_IDS_NUMBERS && number <= UINT32_MAX) {
		s->at[s->n] = (uint32_t)number;
		return 0;
	}
	return make_text(s, first, err) < 0 ? -1 : add_text(s, s->n, *base, id, err);
}

int sh_node_ids_add(struct sh_node_ids *s, struct sh_slice id, struct sh_error *err)
{
	int status = sh_node_ids_reserve(s, 1, err);

	if (status == 0)
		status = s->n % SH_NODE_IDS_STRIDE == 0 ? begin_stride(s, id, err)
							: continue_stride(s, id, err);
	s->n += status == 0;
	return status;
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
