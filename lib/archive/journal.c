#include "archive/journal.h"

#include <xxhash.h>

#include "archive/manifest.h"
#include "base/num.h"

static const char head[] = "simhash-archive-journal 1 ";

enum { HEAD = sizeof head - 1, KEY = 32, SUM = 16 };

/* ---- writing ---- */

static int create(struct sh_journal *j, const uint64_t *key, struct sh_error *err)
{
	char line[HEAD + KEY + 1];

	memcpy(line, head, HEAD);
	sh_print_hex(line + HEAD, key, KEY);
	line[HEAD + KEY] = '\n';
	if (sh_folder_create(&j->file, j->folder, SH_JOURNAL_NAME, err) < 0)
		return -1;
	return sh_folder_write(&j->file, line, sizeof line, err);
}

int sh_journal_add(
    struct sh_journal *j, const uint64_t *key, const char *name, struct sh_error *err)
{
	size_t n = strlen(name);
	uint64_t sum = XXH3_64bits(name, n);
	char rest[1 + SUM + 1] = " ";

	if (!j->file.folder && create(j, key, err) < 0)
		return -1;
	sh_print_hex(rest + 1, &sum, SUM);
	rest[1 + SUM] = '\n';
	if (sh_folder_write(&j->file, name, n, err) < 0 ||
	    sh_folder_write(&j->file, rest, sizeof rest, err) < 0)
		return -1;
	return sh_buf_add(&j->names, name, n + 1, err);
}

int sh_journal_sync(struct sh_journal *j, struct sh_error *err)
{
	if (sh_folder_flush(&j->file, err) < 0)
		return -1;
	return sh_folder_sync(j->folder, err);
}

/* ---- reading ---- */

static int not_a_journal(const struct sh_journal *j, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "'%s/" SH_JOURNAL_NAME "' is not a journal of this archive: move it to another folder",
	    j->folder->path);
}

/* Returns whether the text begins as a journal does. The first line may be cut short. */
static bool is_head(struct sh_slice text, const uint64_t *key)
{
	char want[HEAD + KEY + 1];
	size_t n = key ? HEAD + KEY : HEAD;

	memcpy(want, head, HEAD);
	if (key)
		sh_print_hex(want + HEAD, key, KEY);
	return text.n == 0 || memcmp(text.p, want, text.n < n ? text.n : n) == 0;
}

static bool read_name(struct sh_slice line, char *name)
{
	uint64_t sum;
	size_t n = line.n < SUM + 1 ? 0 : line.n - SUM - 1;

	if (n == 0 || n >= SH_NAME_MAX || line.p[n] != ' ' ||
	    sh_parse_hex(sh_slice(line.p + n + 1, SUM), &sum) != SH_NUM_OK ||
	    sum != XXH3_64bits(line.p, n))
		return false;
	memcpy(name, line.p, n);
	name[n] = '\0';
	return strcmp(name, SH_MANIFEST_NEW) == 0 || sh_is_part_name(name);
}

static int read_names(struct sh_journal *j, struct sh_slice text, struct sh_error *err)
{
	const char *end = text.n ? memchr(text.p, '\n', text.n) : NULL;

	while (end) {
		char name[SH_NAME_MAX];
		const char *from = end + 1;

		end = memchr(from, '\n', text.n - (size_t)(from - text.p));
		if (!end)
			break;
		if (!read_name(sh_slice(from, (size_t)(end - from)), name))
			return not_a_journal(j, err);
		if (sh_buf_add(&j->names, name, strlen(name) + 1, err) < 0)
			return -1;
	}
	return 0;
}

int sh_journal_read(struct sh_journal *j, const uint64_t *key, struct sh_error *err)
{
	struct sh_buf text = { 0 };
	int got = sh_folder_read(j->folder, SH_JOURNAL_NAME, &text, err);

	if (got > 0 && !is_head(sh_buf_slice(&text), key))
		got = not_a_journal(j, err);
	if (got > 0 && read_names(j, sh_buf_slice(&text), err) < 0)
		got = -1;
	sh_buf_free(&text);
	return got;
}

bool sh_journal_has(const struct sh_journal *j, const char *name)
{
	for (size_t at = 0; at < j->names.n; at += strlen(j->names.p + at) + 1)
		if (strcmp(j->names.p + at, name) == 0)
			return true;
	return false;
}

/* ---- removing ---- */

int sh_journal_clear(
    struct sh_journal *j, sh_journal_kept *kept, const void *arg, struct sh_error *err)
{
	for (size_t at = 0; at < j->names.n; at += strlen(j->names.p + at) + 1)
		if (!kept(arg, j->names.p + at) &&
		    sh_folder_remove(j->folder, j->names.p + at, err) < 0)
			return -1;
	/* After a crash of the system, a file without its name in the journal must not come
	 * back. */
	if (sh_folder_sync(j->folder, err) < 0)
		return -1;
	return sh_folder_remove(j->folder, SH_JOURNAL_NAME, err);
}

void sh_journal_free(struct sh_journal *j)
{
	sh_folder_abandon(&j->file);
	sh_buf_free(&j->names);
}
