/* SPDX-License-Identifier: MIT */
#include "io/finished.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/num.h"
#include "io/newlines.h"
#include "io/target.h"

#define LIST     SH_FINISHED_LIST
#define NEW_LIST LIST ".new"

static const char head[] = "simhash-shards 1\n", lock_name[] = LIST ".lock";

enum { LINE_SHOWN = 120, DONE_FIELDS = 5 };

/* ---- the list of the earlier run ---- */

static int refuse_files(const struct sh_finished *f, struct sh_error *err)
{
	for (size_t i = 0; i < f->n; i++) {
		int there = sh_folder_has(&f->folder, f->name[i], err);

		if (there < 0)
			return -1;
		if (there)
			return sh_error_set(err, SH_ERR_PARAM,
			    "'%s/%s' exists, but no list tells which run made it (name another "
			    "folder, or remove the file)",
			    f->folder.path, f->name[i]);
	}
	return 0;
}

/* Moves the first line of *text to *line, without its LF. Returns false at the end, also when the
 * last line has no LF. */
static bool next_line(struct sh_slice *text, struct sh_slice *line)
{
	*line = sh_record_front(*text, false);
	if (line->n == text->n)
		return false;
	*text = sh_slice(text->p + line->n + 1, text->n - line->n - 1);
	return true;
}

/* Sets *rest to the lines of the old list behind LINES OF THE RUN. */
static int compare(
    const struct sh_finished *f, struct sh_slice lines, struct sh_slice *rest, struct sh_error *err)
{
	struct sh_slice was, is;

	*rest = sh_buf_slice(&f->old);
	if (rest->n == 0)
		return 0;
	if (!next_line(rest, &was) || was.n != sizeof head - 2 || memcmp(was.p, head, was.n) != 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "'%s/" LIST "' is not the list of a run (name another folder)", f->folder.path);
	while (next_line(&lines, &is)) {
		if (!next_line(rest, &was))
			was = sh_slice_str("nothing");
		if (!sh_slice_eq(was, is))
			return sh_error_set(err, SH_ERR_PARAM,
			    "'%s' holds files of a run with other options or inputs: '%.*s' there, "
			    "'%.*s' here (name another folder, or remove this one)",
			    f->folder.path, sh_shown(was, LINE_SHOWN), was.p,
			    sh_shown(is, LINE_SHOWN), is.p);
	}
	return 0;
}

int sh_finished_open(struct sh_finished *f, const char *dir, char *const *name, size_t n,
    uint64_t wait, struct sh_slice lines, struct sh_error *err)
{
	struct sh_slice rest;
	int got;

	*f = (struct sh_finished){ .name = name, .n = n };
	if (sh_folder_open(&f->folder, dir, true, err) < 0)
		return -1;
	f->open = true;
	f->folder.lock_name = lock_name;
	f->done = calloc(n + 1, sizeof *f->done);
	if (!f->done)
		return sh_error_nomem(err);
	if (sh_folder_lock(&f->folder, true, wait, err) < 0)
		return -1;
	got = sh_folder_read(&f->folder, LIST, &f->old, err);
	if (got < 0)
		return -1;
	return got == 0 ? refuse_files(f, err) : compare(f, lines, &rest, err);
}

/* ---- files ---- */

uint64_t sh_finished_sum(struct sh_slice bytes)
{
	return XXH3_64bits(bytes.n ? bytes.p : "", bytes.n);
}

/* Computes the checksum of a file of this size. Returns 1, or 0 when there is no such file. */
static int sum_file(const struct sh_finished *f, const char *name, uint64_t size, uint64_t *sum,
    struct sh_error *err)
{
	struct sh_mapped map;

	if (sh_folder_map(&map, &f->folder, name, size, err) < 0)
		return err->code == SH_ERR_RECORD ? 0 : -1;
	*sum = sh_finished_sum(sh_slice(map.p, map.n));
	sh_mapped_close(&map);
	return 1;
}

/* Parses "done CHECKSUM BYTES NAME". Returns the index of the name, or f->n when there is none.
 * from: the most likely index. */
static size_t parse_done(
    const struct sh_finished *f, struct sh_slice line, size_t from, uint64_t *sum, uint64_t *size)
{
	enum { DIGITS = 16 };
	const char *p = line.p + DONE_FIELDS, *end = line.p + line.n, *blank;

	if (line.n < DONE_FIELDS + DIGITS + 1 || memcmp(line.p, "done ", DONE_FIELDS) != 0 ||
	    sh_parse_hex(sh_slice(p, DIGITS), sum) < 0 || p[DIGITS] != ' ')
		return f->n;
	p += DIGITS + 1;
	blank = memchr(p, ' ', (size_t)(end - p));
	if (!blank || sh_parse_u64(sh_slice(p, (size_t)(blank - p)), size) < 0)
		return f->n;
	for (size_t i = 0; i < f->n; i++) {
		size_t at = (from + i) % f->n;

		if (sh_slice_eq(
			sh_slice_str(f->name[at]), sh_slice(blank + 1, (size_t)(end - blank - 1))))
			return at;
	}
	return f->n;
}

/* Adds a line for the file to the new list. */
static int add_line(
    struct sh_finished *f, size_t i, uint64_t sum, uint64_t size, struct sh_error *err)
{
	char text[64];
	int n = snprintf(text, sizeof text, "done %016llx %llu ", (unsigned long long)sum,
	    (unsigned long long)size);

	f->done[i] = true;
	return sh_sink_write(&f->list, text, (size_t)n, err) < 0 ||
		       sh_sink_write(&f->list, f->name[i], strlen(f->name[i]), err) < 0 ||
		       sh_sink_write(&f->list, "\n", 1, err) < 0
		   ? -1
		   : 0;
}

static int find_done(struct sh_finished *f, struct sh_slice lines, struct sh_error *err)
{
	struct sh_slice line;
	size_t i = 0;

	while (next_line(&lines, &line)) {
		uint64_t sum, size, is;
		size_t found = parse_done(f, line, i, &sum, &size);
		int there;

		if (found == f->n)
			continue;
		there = sum_file(f, f->name[found], size, &is, err);
		if (there < 0 || (there && is == sum && add_line(f, found, sum, size, err) < 0))
			return -1;
		i = found + 1;
	}
	return 0;
}

/* ---- the list of this run ---- */

/* Returns whether the name is ".NAME.xxxxxx": a temporary file of a sink for one of the files. */
static bool is_leftover(const struct sh_finished *f, const char *found)
{
	size_t n = strlen(found);

	if (*found != '.' || n < SH_REPLACE_UNIQUE + 3 || found[n - SH_REPLACE_UNIQUE - 1] != '.')
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (strlen(f->name[i]) == n - SH_REPLACE_UNIQUE - 2 &&
		    memcmp(f->name[i], found + 1, n - SH_REPLACE_UNIQUE - 2) == 0)
			return true;
	return false;
}

static int remove_leftover(void *arg, const char *name, struct sh_error *err)
{
	const struct sh_finished *f = arg;

	return is_leftover(f, name) ? sh_folder_remove(&f->folder, name, err) : 0;
}

int sh_finished_begin(struct sh_finished *f, struct sh_slice lines, struct sh_error *err)
{
	struct sh_slice rest;

	if (compare(f, lines, &rest, err) < 0 ||
	    sh_folder_list(&f->folder, remove_leftover, f, err) < 0 ||
	    sh_folder_remove(&f->folder, NEW_LIST, err) < 0 ||
	    sh_folder_create(&f->list, &f->folder, NEW_LIST, err) < 0 ||
	    sh_sink_write(&f->list, head, sizeof head - 1, err) < 0 ||
	    sh_sink_write(&f->list, lines.p, lines.n, err) < 0 || find_done(f, rest, err) < 0 ||
	    sh_sink_sync(&f->list, err) < 0)
		return -1;
	return sh_folder_publish(&f->folder, NEW_LIST, LIST, err);
}

int sh_finished_add(struct sh_finished *f, size_t i, struct sh_error *err)
{
	struct stat st;
	uint64_t sum;
	int there;

	if (fstatat(f->folder.fd, f->name[i], &st, 0) < 0)
		return sh_error_sys(err, "cannot look at '%s/%s'", f->folder.path, f->name[i]);
	there = sum_file(f, f->name[i], (uint64_t)st.st_size, &sum, err);
	if (there == 0)
		return sh_error_set(err, SH_ERR_IO, "'%s/%s' was removed or changed meanwhile",
		    f->folder.path, f->name[i]);
	if (there < 0 || add_line(f, i, sum, (uint64_t)st.st_size, err) < 0)
		return -1;
	return sh_sink_sync(&f->list, err);
}

void sh_finished_close(struct sh_finished *f)
{
	if (!f->open)
		return;
	sh_sink_abort(&f->list); /* each line was written when it was added */
	sh_folder_close(&f->folder);
	sh_buf_free(&f->old);
	free(f->done);
	*f = (struct sh_finished){ 0 };
}
