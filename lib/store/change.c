/* SPDX-License-Identifier: MIT */
#include "store/change.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/bits.h"
#include "base/bytes.h"
#include "base/merge.h"

/* ---- writing a segment ---- */

/* Writes a file of a segment. */
struct part_writer {
	struct sh_sink file;
	char block[SH_STORE_BLOCK];
	size_t n;           /* bytes in the block */
	struct sh_buf sums; /* checksums of the blocks before */
};

struct sh_segment_writer {
	struct sh_store_segment_entry entry;
	struct part_writer part[SH_STORE_PARTS];
	/* of new documents: their records, and their postings in the list of ids */
	struct sh_buf records;
	struct sh_store_posting *ids;
	size_t n_ids, ids_cap;
};

static int end_block(struct part_writer *w, struct sh_error *err)
{
	char sum[8];

	sh_put_le64(sum, XXH3_64bits(w->block, w->n));
	w->n = 0;
	return sh_buf_add(&w->sums, sum, sizeof sum, err);
}

static int put(struct part_writer *w, const void *from, size_t n, struct sh_error *err)
{
	const char *p = from;

	if (sh_sink_write(&w->file, p, n, err) < 0)
		return -1;
	while (n) {
		size_t room = SH_STORE_BLOCK - w->n, now = n < room ? n : room;

		memcpy(w->block + w->n, p, now);
		w->n += now;
		p += now;
		n -= now;
		if (w->n == SH_STORE_BLOCK && end_block(w, err) < 0)
			return -1;
	}
	return 0;
}

static int put_posting(
    struct sh_segment_writer *w, const struct sh_store_posting *p, struct sh_error *err)
{
	char bytes[SH_STORE_POSTING_BYTES];

	sh_put_le64(bytes, p->key);
	sh_put_le32(bytes + 8, p->document);
	sh_put_le32(bytes + 12, p->place);
	return put(&w->part[SH_STORE_PART_INDEX], bytes, sizeof bytes, err);
}

/* Prints a record whose line begins at `at`. See segment.c for the layout. */
static void print_record(char out[SH_STORE_RECORD_BYTES], const struct sh_record *r, uint64_t at)
{
	memset(out, 0, SH_STORE_RECORD_BYTES);
	sh_put_le32(out, r->number);
	sh_put_le32(out + 4, r->keeper);
	sh_put_le64(out + 8, r->time);
	sh_put_le64(out + 16, r->digest);
	sh_put_le64(out + 24, at);
	sh_put_le32(out + 32, (uint32_t)r->line.n);
	sh_put_le32(out + 36, (uint32_t)(r->id.p - r->line.p));
	sh_put_le32(out + 40, (uint32_t)r->id.n);
	out[44] = (char)(r->similarity & 0xFF);
	out[45] = (char)(r->similarity >> 8);
	out[46] = (char)r->measure;
}

/* Appends the line of a document, and counts the document. */
static int put_line(struct sh_segment_writer *w, const struct sh_record *r, struct sh_error *err)
{
	struct sh_store_segment_entry *e = &w->entry;

	if (r->line.n >= UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE,
		    "a document has 4 GiB or more, and an archive has no room for it");
	if (e->documents++ == 0)
		e->first = r->number;
	e->last = r->number;
	e->kept += r->keeper == r->number;
	e->bytes += r->line.n + 1;
	if (put(&w->part[SH_STORE_PART_DOCUMENTS], r->line.p, r->line.n, err) < 0)
		return -1;
	return put(&w->part[SH_STORE_PART_DOCUMENTS], "\n", 1, err);
}

static void writer_delete(struct sh_segment_writer *w)
{
	if (!w)
		return;
	for (enum sh_store_part i = 0; i < SH_STORE_PARTS; i++) {
		sh_sink_abort(&w->part[i].file);
		sh_buf_free(&w->part[i].sums);
	}
	sh_buf_free(&w->records);
	free(w->ids);
	free(w);
}

/* Creates the files of the next segment. The caller calls writer_delete() for *out also after a
 * failure. */
static int create(struct sh_store_change *c, struct sh_segment_writer **out, struct sh_error *err)
{
	struct sh_segment_writer *w = *out = calloc(1, sizeof *w);

	if (!w)
		return sh_error_nomem(err);
	if (c->next.next_segment == UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE,
		    "the archive has used all segment numbers: make a new archive");
	w->entry.number = c->next.next_segment++;
	for (enum sh_store_part i = 0; i < SH_STORE_PARTS; i++) {
		char name[SH_STORE_PART_NAME];

		sh_store_part_name(name, &c->next, w->entry.number, i);
		if (sh_folder_create(&w->part[i].file, &c->store->folder, name, err) < 0)
			return -1;
	}
	return 0;
}

/* Writes the checksums, and all data to the disk. Completes w->entry. */
static int finish(struct sh_segment_writer *w, struct sh_error *err)
{
	struct part_writer *index = &w->part[SH_STORE_PART_INDEX];
	struct sh_buf all = { 0 };
	int status = 0;

	for (enum sh_store_part i = 0; status == 0 && i < SH_STORE_PARTS; i++) {
		if (w->part[i].n)
			status = end_block(&w->part[i], err);
		if (status == 0)
			status = sh_buf_add(&all, w->part[i].sums.p, w->part[i].sums.n, err);
	}
	if (status == 0) {
		w->entry.sum = XXH3_64bits(all.p, all.n);
		status = sh_sink_write(&index->file, all.p, all.n, err);
	}
	for (enum sh_store_part i = 0; status == 0 && i < SH_STORE_PARTS; i++)
		status = sh_sink_close(&w->part[i].file, err);
	sh_buf_free(&all);
	return status;
}

/* ---- beginning and end ---- */

int sh_store_change_begin(struct sh_store_change *c, struct sh_store *s, struct sh_error *err)
{
	*c = (struct sh_store_change){ .store = s };
	return sh_store_manifest_copy(&c->next, &s->manifest, err);
}

void sh_store_change_end(struct sh_store_change *c)
{
	const struct sh_store *s = c->store;
	char name[SH_STORE_PART_NAME];

	writer_delete(c->to);
	/* A full disk is the most frequent cause of failure: frees space. */
	for (uint32_t i = s->manifest.next_segment; !c->is_out && i < c->next.next_segment; i++) {
		for (enum sh_store_part p = 0; p < SH_STORE_PARTS; p++) {
			sh_store_part_name(name, &s->manifest, i, p);
			sh_folder_drop(&s->folder, name);
		}
	}
	if (!c->is_out) {
		sh_store_new_name(name, &s->manifest);
		sh_folder_drop(&s->folder, name);
	}
	sh_store_manifest_free(&c->next);
	*c = (struct sh_store_change){ 0 };
}

int sh_store_change_commit(struct sh_store_change *c, struct sh_error *err)
{
	struct sh_store *s = c->store;
	struct sh_buf text = { 0 };
	struct sh_store_manifest old;
	char name[SH_STORE_PART_NAME];
	int status;

	if (c->next.next_segment == s->manifest.next_segment &&
	    c->next.n_segments == s->manifest.n_segments)
		return 0;
	sh_store_new_name(name, &c->next);
	status = sh_store_manifest_print(&c->next, &text, err);
	if (status == 0)
		status = sh_folder_put(&s->folder, name, text.p, text.n, err);
	sh_buf_free(&text);
	if (status < 0)
		return -1;
	c->is_out = true;
	if (sh_folder_publish(&s->folder, name, "manifest", err) < 0)
		return -1;
	old = s->manifest;
	s->manifest = c->next;
	c->next = old;
	return sh_store_clean(s, err);
}

/* ---- merging ---- */

struct merging {
	struct sh_store_segment *s; /* the n segments */
	size_t n;
	const uint64_t *drop;
	struct sh_segment_writer *to;
	/* The list that is merged. By segment: index of its next element, and its current element
	 * in an order of bytes. */
	enum sh_list list;
	size_t *at;
	char (*key)[SH_STORE_POSTING_BYTES];
};

static bool goes(const struct merging *m, uint32_t number)
{
	return m->drop && sh_bits_has(m->drop, number);
}

static int next_posting(void *arg, size_t i, struct sh_slice *key, struct sh_error *err)
{
	struct merging *m = arg;
	struct sh_store_segment *s = &m->s[i];
	struct sh_store_posting p;

	if (m->at[i] == sh_store_segment_length(s, m->list))
		return 0;
	if (sh_store_segment_posting(s, m->list, m->at[i]++, &p, err) < 0)
		return -1;
	if (p.document < s->entry.first || p.document > s->entry.last)
		return sh_store_segment_damaged(s, SH_STORE_PART_INDEX,
		    "a posting without a document", (m->at[i] - 1) * SH_STORE_POSTING_BYTES, err);
	sh_put_be64(m->key[i], p.key);
	sh_put_be32(m->key[i] + 8, p.document);
	sh_put_be32(m->key[i] + 12, p.place);
	*key = sh_slice(m->key[i], SH_STORE_POSTING_BYTES);
	return 1;
}

static int merge_list(struct merging *m, enum sh_list list, struct sh_error *err)
{
	struct sh_merge heap = { .next = next_posting, .arg = m };
	size_t top;
	int status;

	m->list = list;
	memset(m->at, 0, m->n * sizeof *m->at);
	status = sh_merge_init(&heap, m->n, err);
	while (status == 0 && sh_merge_top(&heap, &top)) {
		const char *key = m->key[top];
		const struct sh_store_posting p = { sh_be64(key), sh_be32(key + 8),
			sh_be32(key + 12) };

		if (!goes(m, p.document)) {
			m->to->entry.postings += list == SH_LIST_POSTINGS;
			status = put_posting(m->to, &p, err);
		}
		if (status == 0)
			status = sh_merge_pop(&heap, err);
	}
	sh_merge_free(&heap);
	return status;
}

/* Copies the lines of the documents that stay; then, with their postings written, the records. */
static int copy_documents(struct merging *m, bool records, struct sh_error *err)
{
	uint64_t at = 0;

	for (size_t i = 0; i < m->n; i++) {
		for (size_t k = 0; k < m->s[i].entry.documents; k++) {
			char bytes[SH_STORE_RECORD_BYTES];
			struct sh_record r;
			int status = sh_store_segment_record(&m->s[i], k, &r, err);

			if (status == 0 && goes(m, r.number))
				continue;
			if (status == 0 && records) {
				print_record(bytes, &r, at);
				at += r.line.n + 1;
				status = put(
				    &m->to->part[SH_STORE_PART_INDEX], bytes, sizeof bytes, err);
			} else if (status == 0) {
				status = put_line(m->to, &r, err);
			}
			if (status < 0)
				return -1;
		}
	}
	return 0;
}

static int merge_all(struct merging *m, struct sh_error *err)
{
	for (size_t i = 0; i < m->n; i++)
		for (enum sh_store_part p = 0; p < SH_STORE_PARTS; p++)
			sh_mapped_expect(&m->s[i].part[p].map, true);
	if (copy_documents(m, false, err) < 0 || merge_list(m, SH_LIST_POSTINGS, err) < 0 ||
	    merge_list(m, SH_LIST_IDS, err) < 0 || copy_documents(m, true, err) < 0)
		return -1;
	return finish(m->to, err);
}

/* Merges segments from .. to-1 into one. drop: has a bit for the number of each document to leave
 * out; NULL: leaves out none. When no document is left, the segments go without a new one. */
static int merge_segments(
    struct sh_store_change *c, size_t from, size_t to, const uint64_t *drop, struct sh_error *err)
{
	size_t n = to - from;
	struct sh_store_manifest *next = &c->next;
	struct merging m = { .n = n,
		.drop = drop,
		.s = calloc(n, sizeof *m.s),
		.at = calloc(n, sizeof *m.at),
		.key = calloc(n, sizeof *m.key) };
	int status = m.s && m.at && m.key ? 0 : sh_error_nomem(err);

	for (size_t i = 0; status == 0 && i < n; i++)
		status = sh_store_segment_open(
		    &m.s[i], &c->store->folder, next, &next->segment[from + i], err);
	if (status == 0)
		status = create(c, &m.to, err);
	if (status == 0)
		status = merge_all(&m, err);
	if (status == 0) {
		bool left = m.to->entry.documents > 0;

		next->segment[from] = m.to->entry;
		memmove(next->segment + from + left, next->segment + to,
		    (next->n_segments - to) * sizeof *next->segment);
		next->n_segments -= n - left;
	}
	writer_delete(m.to);
	for (size_t i = 0; m.s && i < n; i++)
		sh_store_segment_close(&m.s[i]);
	free(m.s);
	free(m.at);
	free(m.key);
	return status;
}

/* ---- new documents ---- */

int sh_store_change_document(
    struct sh_store_change *c, const struct sh_record *r, struct sh_error *err)
{
	struct sh_segment_writer *w = c->to;
	struct sh_record here = *r;
	char bytes[SH_STORE_RECORD_BYTES];
	uint64_t at;

	if (!w && create(c, &c->to, err) < 0)
		return -1;
	w = c->to;
	if (c->next.next_number == UINT32_MAX)
		return sh_error_set(
		    err, SH_ERR_RANGE, "the archive is full: it has used all document numbers");
	here.number = c->next.next_number++;
	at = w->entry.bytes;
	if (put_line(w, &here, err) < 0)
		return -1;
	if (SH_RESERVE(w->ids, w->ids_cap, w->n_ids + 1, err) < 0)
		return -1;
	w->ids[w->n_ids++] =
	    (struct sh_store_posting){ sh_store_id_key(&c->next, r->id), here.number, 0 };
	print_record(bytes, &here, at);
	return sh_buf_add(&w->records, bytes, sizeof bytes, err);
}

int sh_store_change_posting(
    struct sh_store_change *c, const struct sh_store_posting *p, struct sh_error *err)
{
	c->to->entry.postings++;
	return put_posting(c->to, p, err);
}

static int by_key(const void *a, const void *b)
{
	const struct sh_store_posting *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->document < y->document ? -1 : x->document > y->document;
}

static unsigned size_class(uint64_t documents)
{
	unsigned class = 0;

	while (documents /= SH_STORE_FAN_OUT)
		class ++;
	return class;
}

/* Finds where the last merge would begin if the merges were made one after the other. Makes one
 * merge from there, so that each document is written once. */
static int merge_newest(struct sh_store_change *c, uint64_t most, struct sh_error *err)
{
	const struct sh_store_segment_entry *e = c->next.segment;
	size_t n = c->next.n_segments, from, before = n - 1;
	uint64_t merged, documents = e[before].documents;

	/* The segments from `from` on count as one segment of `merged` documents. */
	do {
		from = before;
		merged = documents;
		while (before > 0 && size_class(e[before - 1].documents) <= size_class(merged))
			documents += e[--before].documents;
	} while (from - before + 1 >= SH_STORE_FAN_OUT && (!most || documents <= most));
	return n - from > 1 ? merge_segments(c, from, n, NULL, err) : 0;
}

int sh_store_change_add_segment(struct sh_store_change *c, uint64_t most, struct sh_error *err)
{
	struct sh_segment_writer *w = c->to;
	int status = 0;

	if (!w)
		return 0;
	qsort(w->ids, w->n_ids, sizeof *w->ids, by_key);
	for (size_t i = 0; status == 0 && i < w->n_ids; i++)
		status = put_posting(w, &w->ids[i], err);
	if (status == 0)
		status = put(&w->part[SH_STORE_PART_INDEX], w->records.p, w->records.n, err);
	if (status == 0)
		status = finish(w, err);
	if (status == 0)
		status = sh_store_manifest_add(&c->next, &w->entry, err);
	writer_delete(w);
	c->to = NULL;
	return status == 0 ? merge_newest(c, most, err) : -1;
}

/* ---- whole changes ---- */

int sh_store_compact(struct sh_store *s, struct sh_error *err)
{
	struct sh_store_change c;
	int status;

	if (s->manifest.n_segments < 2)
		return 0;
	status = sh_store_change_begin(&c, s, err);
	if (status == 0)
		status = merge_segments(&c, 0, s->manifest.n_segments, NULL, err);
	if (status == 0)
		status = sh_store_change_commit(&c, err);
	sh_store_change_end(&c);
	return status;
}

/* ---- removing ---- */

/* Removes the documents of the set, which has a bit for each number. */
static int rewrite(struct sh_store *s, const uint64_t *set, struct sh_error *err)
{
	struct sh_store_change c;
	int status = sh_store_change_begin(&c, s, err);

	/* From behind: a segment that loses all documents goes. */
	for (size_t i = c.next.n_segments; status == 0 && i-- > 0;) {
		uint64_t at = c.next.segment[i].first, last = c.next.segment[i].last;

		while (at <= last && !sh_bits_has(set, (size_t)at))
			at++;
		if (at <= last)
			status = merge_segments(&c, i, i + 1, set, err);
	}
	if (status == 0)
		status = sh_store_change_commit(&c, err);
	sh_store_change_end(&c);
	return status;
}

int sh_store_remove(struct sh_store *s, sh_store_unwanted *unwanted, void *arg, bool dry,
    uint64_t *documents, uint64_t *kept, struct sh_error *err)
{
	uint64_t *set = calloc(sh_bits_words(s->manifest.next_number), sizeof *set);
	struct sh_record r;
	int got = set ? 1 : sh_error_nomem(err);

	*documents = *kept = 0;
	/* The second walk finds the duplicates of the documents that the first one has found. */
	for (int walk = 0; walk < 2 && got >= 0; walk++) {
		struct sh_store_walk at = { 0 };

		while ((got = sh_store_next(s, &at, &r, err)) > 0) {
			if (walk == 0 ? !unwanted(arg, &r)
				      : sh_bits_has(set, r.number) || !sh_bits_has(set, r.keeper))
				continue;
			sh_bits_put(set, r.number);
			++*documents;
			*kept += r.keeper == r.number;
		}
	}
	if (got == 0 && *documents && !dry)
		got = rewrite(s, set, err);
	free(set);
	return got;
}
