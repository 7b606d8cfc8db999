/* SPDX-License-Identifier: MIT */
/* The sorter: sorts records in memory, and beyond a limit in a temporary file.
 *
 * A record is a string of bytes. Either all records have one size, at most SH_RECORD_MAX, or each
 * has its own, at most 2^32-1 bytes. Records are compared by their bytes, as memcmp() does and then
 * by size. The last `tail` bytes of each record are not compared: they are a value that the record
 * carries. Records that agree in all compared bytes come in no particular order. So nothing about
 * the result depends on the limit or the threads when tail is 0, or when the caller adds up the
 * values.
 *
 *     sh_sorter_init()
 *     sh_sorter_add() for each record, by one thread at a time
 *     sh_sorter_finish()
 *     sh_sorter_load() for each range, by any thread, and sh_sorted_next() for its records
 *
 * The records that fill the memory are sorted and written as a run. A range of keys is then read
 * from all runs and sorted again in memory. So there is no merge. */
#ifndef SH_IO_SORTER_H
#define SH_IO_SORTER_H

#include "base/buf.h"

#include <stdint.h>

enum { SH_RECORD_MAX = 64 };

struct sh_sorter {
	/* set by the caller before sh_sorter_init() */
	size_t size;      /* bytes of each record; 0: each record has its own size */
	size_t tail;      /* bytes at the end that are not compared; less than each record has,
			   * or as many where each has its own size */
	size_t memory;    /* bytes of the records in memory, about; at least 64 KiB are used */
	unsigned threads; /* that sort; at least 1 */
	const char *dir;  /* folder of the file, as for sh_spill_folder(); borrowed */

	/* set by sh_sorter_finish() */
	size_t ranges; /* at least 1; each key of range i is below each key of range i + 1 */

	/* private */
	uint64_t n;          /* records in memory */
	struct sh_buf in;    /* their bytes; a record of its own size follows its size in 4 bytes */
	struct sh_buf items; /* sorter.c: struct reference of each such record, sorted */
	size_t *start;       /* by range, in memory: its first record; ranges + 1 */
	int fd;              /* -1: nothing was written */
	uint64_t end;        /* bytes in the file */
	struct sh_sorter_block *block; /* run by run */
	size_t n_blocks, block_cap;
	struct sh_buf keys; /* the first keys of the blocks */
	size_t *run;        /* by run: the end of its blocks in block[] */
	size_t n_runs, run_cap;
	struct sh_slice *border; /* by range, in the file: its least key */
};

/* Prepares a sorter whose first five members are set. Free it with sh_sorter_free(), after which
 * it must be prepared again. */
void sh_sorter_init(struct sh_sorter *s);
void sh_sorter_free(struct sh_sorter *s);

/* Adds a record in two pieces, such as a key and its value. The sorter copies it. SH_ERR_RANGE: it
 * has 4 GiB or more. */
int sh_sorter_add(
    struct sh_sorter *s, struct sh_slice first, struct sh_slice second, struct sh_error *err);
/* Adds n >= 1 records of one size, which the caller writes to the result before it uses the sorter
 * again. They are in memory together, even beyond the limit. Returns NULL on an error. */
char *sh_sorter_append(struct sh_sorter *s, size_t n, struct sh_error *err);

/* Sorts the records and divides them into ranges. More records may be added afterwards, but
 * sh_sorter_finish() must then be called again. prefix: records that agree in their first `prefix`
 * bytes are in one range; SIZE_MAX: records that agree in all compared bytes are. A range of
 * the file has up to about memory / 16 bytes, one in memory up to 2^16 records. It has more when
 * such a set of records is larger, and when 1/64 of the file is. The ranges do not depend on the
 * threads. */
int sh_sorter_finish(struct sh_sorter *s, size_t prefix, struct sh_error *err);

/* Returns the first range that may have records of at least this key. */
size_t sh_sorter_range_of(const struct sh_sorter *s, struct sh_slice key);

/* The records of a range. A zeroed struct is ready for sh_sorter_load(). */
struct sh_sorted {
	const char *record; /* when records have one size: the n records, one after the other */
	size_t n;

	/* private */
	size_t size, next;
	struct sh_buf in, items; /* of a range in the file */
};

/* Loads a range, which must be below s->ranges. Its records are valid until the next load with this
 * struct, or until the sorter is freed. A range may be loaded any number of times. */
int sh_sorter_load(
    const struct sh_sorter *s, size_t range, struct sh_sorted *sorted, struct sh_error *err);
/* Gives the next record of the range, tail included. Returns false after the last one. */
bool sh_sorted_next(struct sh_sorted *sorted, struct sh_slice *record);
void sh_sorted_free(struct sh_sorted *sorted);

#endif
