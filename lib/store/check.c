/* SPDX-License-Identifier: MIT */
/* Checks every byte of an archive. */
#include <stdlib.h>

#include "base/bits.h"
#include "io/parallel.h"
#include "store/store.h"

/* The documents of an archive, by number, and their segments. */
struct checking {
	struct sh_store *store;
	uint64_t *there, *stays;
};

static int check_blocks(void *arg, size_t from, size_t to, struct sh_error *err)
{
	struct checking *k = arg;

	for (size_t i = from; i < to; i++) {
		struct sh_store_segment *s = &k->store->segment[i];

		for (enum sh_store_part p = 0; p < SH_STORE_PARTS; p++)
			sh_folder_expect(&s->part[p].map, true);
		if (sh_store_segment_need(s, SH_STORE_PART_DOCUMENTS, 0, s->entry.bytes, err) < 0 ||
		    sh_store_segment_need(s, SH_STORE_PART_INDEX, 0, s->sums, err) < 0)
			return -1;
	}
	return 0;
}

static int bad(
    const struct sh_store_segment *s, size_t record, const char *what, struct sh_error *err)
{
	return sh_store_segment_damaged(
	    s, SH_STORE_PART_INDEX, what, s->records + record * SH_STORE_RECORD_BYTES, err);
}

/* Checks that the numbers ascend, and that the lines stand one after the other. */
static int check_records(struct checking *k, struct sh_store_segment *s, struct sh_error *err)
{
	const char *text = s->part[SH_STORE_PART_DOCUMENTS].map.p;
	const struct sh_store_segment_entry *e = &s->entry;
	uint64_t at = 0, kept = 0, last = 0;
	struct sh_record r;

	for (size_t i = 0; i < e->documents; i++) {
		if (sh_store_segment_record(s, i, &r, err) < 0)
			return -1;
		if (r.number < e->first || r.number > e->last || (i && r.number <= last) ||
		    (i == 0 && r.number != e->first))
			return bad(s, i, "a record out of order", err);
		if (r.line.p != text + at || text[at + r.line.n] != '\n' ||
		    r.keeper >= k->store->manifest.next_number)
			return bad(s, i, "a bad record", err);
		at += r.line.n + 1;
		last = r.number;
		sh_bits_put(k->there, r.number);
		if (r.keeper == r.number) {
			sh_bits_put(k->stays, r.number);
			kept++;
		}
	}
	if (last != e->last || kept != e->kept || at != e->bytes)
		return bad(s, (size_t)e->documents - 1,
		    "the last record, but the manifest has other numbers", err);
	return 0;
}

static int check_keepers(void *arg, const struct sh_record *r, struct sh_error *err)
{
	struct checking *k = arg;

	if (sh_bits_has(k->stays, r->keeper))
		return 0;
	return sh_error_set(err, SH_ERR_RECORD,
	    "'%s' is damaged: document %08x has a keeper that does not stay: restore the archive "
	    "from a backup",
	    k->store->folder.path, r->number);
}

static int check_list(
    struct checking *k, struct sh_store_segment *s, enum sh_list list, struct sh_error *err)
{
	const struct sh_store_manifest *m = &k->store->manifest;
	const uint64_t *set = list == SH_LIST_POSTINGS ? k->stays : k->there;
	struct sh_store_posting last = { 0 }, p;
	struct sh_record r;
	size_t at;

	for (size_t i = 0; i < sh_store_segment_length(s, list); i++, last = p) {
		bool after;
		int got = 1;

		if (sh_store_segment_posting(s, list, i, &p, err) < 0)
			return -1;
		after = p.key != last.key             ? p.key > last.key
			: p.document != last.document ? p.document > last.document
			: list == SH_LIST_POSTINGS    ? p.place >= last.place
						      : i == 0;
		if (!after || p.document < s->entry.first || p.document > s->entry.last ||
		    !sh_bits_has(set, p.document))
			got = 0;
		if (got && list == SH_LIST_IDS) {
			got = sh_store_segment_find(s, p.document, &at, err);
			if (got > 0)
				got = sh_store_segment_record(s, at, &r, err) < 0 ? -1 : 1;
			if (got > 0 && (sh_store_id_key(m, r.id) != p.key || p.place))
				got = 0;
		}
		if (got < 0)
			return -1;
		if (got == 0)
			return sh_store_segment_damaged(s, SH_STORE_PART_INDEX,
			    list == SH_LIST_IDS ? "a bad id" : "a bad posting",
			    (list == SH_LIST_IDS ? s->ids : 0) + i * SH_STORE_POSTING_BYTES, err);
	}
	return 0;
}

int sh_store_check(struct sh_store *s, unsigned jobs, struct sh_error *err)
{
	size_t words = sh_bits_words(s->manifest.next_number);
	struct checking k = { s, calloc(words, sizeof *k.there), calloc(words, sizeof *k.stays) };
	int status = k.there && k.stays ? 0 : sh_error_nomem(err);

	if (status == 0 && s->n_segments)
		status = sh_parallel(&k, 0, jobs, s->n_segments, 1, check_blocks, err);
	for (size_t i = 0; status == 0 && i < s->n_segments; i++)
		status = check_records(&k, &s->segment[i], err);
	for (size_t i = 0; status == 0 && i < s->n_segments; i++) {
		status = check_list(&k, &s->segment[i], SH_LIST_POSTINGS, err);
		if (status == 0)
			status = check_list(&k, &s->segment[i], SH_LIST_IDS, err);
	}
	if (status == 0)
		status = sh_store_each(s, check_keepers, &k, err);
	free(k.there);
	free(k.stays);
	return status;
}
