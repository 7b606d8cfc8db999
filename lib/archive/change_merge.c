/* Merges segments. */
#include <stdlib.h>

#include "archive/change.h"
#include "archive/segment_write.h"
#include "base/bits.h"
#include "base/merge.h"

static bool goes(const uint64_t *drop, uint32_t number)
{
	return drop && sh_bits_has(drop, number);
}

/* The segments that are merged. */
struct merging {
	struct sh_segment *s;
	size_t n;
	size_t *at; /* by segment: the next record of .key */
	uint32_t *number;
	const uint64_t *drop;
	struct sh_segment_writer to;
	uint64_t kept;
};

static int next_key(void *arg, size_t i, struct sh_slice *key, struct sh_error *err)
{
	struct merging *m = arg;
	struct sh_segment *s = &m->s[i];
	uint64_t k;

	if (m->at[i] == sh_segment_keys(s))
		return 0;
	if (sh_segment_key(s, m->at[i], &k, &m->number[i], err) < 0)
		return -1;
	*key = sh_slice(s->part[SH_PART_KEY].map.p + m->at[i]++ * SH_KEY_LINE, SH_KEY_LINE);
	return 1;
}

static int merge_keys(struct merging *m, struct sh_error *err)
{
	struct sh_merge heap = { .next = next_key, .arg = m };
	int status = sh_merge_init(&heap, m->n, err);
	size_t top;

	while (status == 0 && sh_merge_top(&heap, &top)) {
		if (!goes(m->drop, m->number[top]))
			status = sh_segment_write(&m->to, SH_PART_KEY, heap.key[top], err);
		if (status == 0)
			status = sh_merge_pop(&heap, err);
	}
	sh_merge_free(&heap);
	return status;
}

static int copy_lines(
    struct merging *m, struct sh_segment *s, enum sh_part part, struct sh_error *err)
{
	struct sh_checked *c = &s->part[part];
	struct sh_slice line;
	uint32_t number;

	for (size_t at = 0; at < c->map.n; at += line.n + 1) {
		if (sh_checked_line(c, at, &line, err) < 0 ||
		    sh_line_number(line, &number, err) < 0)
			return -1;
		if (goes(m->drop, number))
			continue;
		if (part == SH_PART_DOC)
			sh_segment_covers(&m->to, number, number);
		if (sh_segment_write(&m->to, part, sh_slice(line.p, line.n + 1), err) < 0)
			return -1;
	}
	return 0;
}

static int merge_parts(struct merging *m, struct sh_error *err)
{
	for (size_t i = 0; i < m->n; i++) {
		for (enum sh_part part = 0; part < SH_PART_SUM; part++)
			sh_folder_expect(&m->s[i].part[part].map, true);
		if (copy_lines(m, &m->s[i], SH_PART_DOC, err) < 0 ||
		    (m->to.store != SH_ARCHIVE_NONE &&
			copy_lines(m, &m->s[i], SH_PART_STORE, err) < 0))
			return -1;
	}
	return merge_keys(m, err);
}

static int merge_into(
    struct merging *m, struct sh_change *c, struct sh_segment_entry *out, struct sh_error *err)
{
	uint32_t number = 0;
	int status = sh_change_number(c, &number, err);

	if (status == 0)
		status = sh_segment_create(&m->to, &c->archive->folder, number, c->next.store, err);
	if (status == 0)
		status = merge_parts(m, err);
	if (status == 0)
		status = sh_segment_finish(&m->to, err);
	sh_segment_abandon(&m->to);
	*out = m->to.entry;
	if (m->to.empty) {
		out->first = 1;
		out->last = 0;
	}
	return status;
}

int sh_change_merge(struct sh_change *c, size_t from, size_t to, const uint64_t *drop,
    struct sh_segment_entry *out, struct sh_error *err)
{
	size_t n = to - from;
	struct merging m = { .n = n, .drop = drop };
	int status = 0;

	m.s = calloc(n, sizeof *m.s);
	m.at = calloc(n, sizeof *m.at);
	m.number = calloc(n, sizeof *m.number);
	if (!m.s || !m.at || !m.number)
		status = sh_error_nomem(err);
	for (size_t i = 0; status == 0 && i < n; i++)
		status = sh_segment_open(
		    &m.s[i], &c->archive->folder, &c->next.segment[from + i], c->next.store, err);
	if (status == 0)
		status = merge_into(&m, c, out, err);
	for (size_t i = 0; m.s && i < n; i++)
		sh_segment_close(&m.s[i]);
	free(m.s);
	free(m.at);
	free(m.number);
	return status;
}

/* ---- the rule of merging ---- */

static unsigned size_class(const struct sh_segment_entry *e)
{
	uint64_t n = e->part[SH_PART_DOC].records;
	unsigned class = 0;

	while (n /= SH_FAN_OUT)
		class ++;
	return class;
}

int sh_change_merge_newest(struct sh_change *c, struct sh_error *err)
{
	struct sh_manifest *m = &c->next;

	while (m->n_segments) {
		unsigned class = size_class(&m->segment[m->n_segments - 1]);
		struct sh_segment_entry all;
		size_t from = m->n_segments;

		while (from > 0 && size_class(&m->segment[from - 1]) <= class)
			from--;
		if (m->n_segments - from < SH_FAN_OUT)
			return 0;
		if (sh_change_merge(c, from, m->n_segments, NULL, &all, err) < 0)
			return -1;
		m->segment[from] = all;
		m->n_segments = from + 1;
	}
	return 0;
}
