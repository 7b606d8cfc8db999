#include "archive_commands.h"

#include <errno.h>
#include <time.h>

#include "now.h"
#include "store/change.h"

int archive_is_store(const char *path, struct sh_error *err)
{
	static const char head[] = "simhash-archive 3\n";
	struct sh_folder folder;
	struct sh_buf text = { 0 };
	int got;

	if (sh_folder_open(&folder, path, false, err) < 0)
		return errno == ENOENT ? 0 : -1;
	got = sh_folder_read(&folder, "manifest", &text, err);
	if (got > 0)
		got = text.n >= sizeof head - 1 && memcmp(text.p, head, sizeof head - 1) == 0;
	sh_buf_free(&text);
	sh_folder_close(&folder);
	return got;
}

/* Opens and locks the archive. */
static void open_store(const struct archive_command *a, struct sh_store *s, bool alone)
{
	struct sh_error err;

	if (sh_store_open(s, a->dir, &err) < 0 || sh_store_lock(s, alone, a->wait, &err) < 0)
		cli_die(a->cli, &err);
}

void archive_check(const struct archive_command *a)
{
	struct sh_store s;
	struct sh_error err;
	uint64_t n;

	open_store(a, &s, false);
	if (sh_store_check(&s, a->cli->jobs, &err) < 0)
		cli_die(a->cli, &err);
	n = sh_store_manifest_documents(&s.manifest);
	if (!a->quiet)
		cli_warn(a->cli, "%llu document%s in %zu segment%s, all good",
		    (unsigned long long)n, CLI_PLURAL(n), s.n_segments, CLI_PLURAL(s.n_segments));
	sh_store_close(&s);
}

void archive_compact(const struct archive_command *a)
{
	struct sh_store s;
	struct sh_error err;

	open_store(a, &s, true);
	if (sh_store_compact(&s, &err) < 0)
		cli_die(a->cli, &err);
	sh_store_close(&s);
}

/* ---- removing ---- */

static void remove_documents(const struct archive_command *a, struct sh_store_removal *r)
{
	struct sh_store s;
	struct sh_error err;

	r->dry = a->dry_run;
	open_store(a, &s, !a->dry_run);
	if (sh_store_remove(&s, r, &err) < 0)
		cli_die(a->cli, &err);
	if (!a->quiet)
		cli_warn(a->cli, "%llu document%s removed%s, %llu of which had stayed",
		    (unsigned long long)r->documents, CLI_PLURAL(r->documents),
		    r->dry ? " (dry run)" : "", (unsigned long long)r->kept);
	sh_store_close(&s);
}

void archive_expire(const struct archive_command *a)
{
	uint64_t now = now_seconds(a->cli);
	struct sh_store_removal r = { .before = now > a->age ? now - a->age : 0 };

	remove_documents(a, &r);
}

static void note_met(void *arg, uint32_t id)
{
	struct dedup_ids *list = arg;

	list->at[id].line = 0;
}

void archive_remove(const struct archive_command *a)
{
	struct cli *c = a->cli;
	struct dedup_ids ids = { 0 };
	struct sh_store_removal r = { .ids = &ids.ids, .met = note_met, .arg = &ids };

	/* Reads the ids before it locks: they may come from a program that reads the archive
	 * itself. */
	dedup_read_ids(c, (const char *const *)c->operands, c->n_operands, &ids);
	remove_documents(a, &r);
	dedup_warn_of_ids(c, "remove", &ids);
	dedup_free_ids(&ids);
}

/* ---- figures ---- */

struct times {
	uint64_t oldest, newest, n;
};

static int look_at_time(void *arg, const struct sh_record *r, struct sh_error *err)
{
	struct times *t = arg;

	(void)err;
	if (t->n++ == 0 || r->time < t->oldest)
		t->oldest = r->time;
	if (r->time > t->newest)
		t->newest = r->time;
	return 0;
}

static void tell_time(struct cli *c, const char *what, bool known, uint64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm day;
	char text[40] = "-";

	if (known && gmtime_r(&t, &day))
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &day);
	cli_print(c, "%s\t%s\n", what, text);
}

void archive_stats(const struct archive_command *a)
{
	struct cli *c = a->cli;
	struct times times = { 0 };
	uint64_t bytes[SH_STORE_PARTS] = { 0 }, postings = 0, n, all = 0;
	struct sh_store s;
	const struct sh_store_manifest *m = &s.manifest;
	struct sh_error err;

	open_store(a, &s, false);
	if (sh_store_each(&s, look_at_time, &times, &err) < 0)
		cli_die(c, &err);
	for (size_t i = 0; i < s.n_segments; i++) {
		postings += s.segment[i].entry.postings;
		for (enum sh_store_part p = 0; p < SH_STORE_PARTS; p++) {
			bytes[p] += s.segment[i].part[p].map.n;
			all += s.segment[i].part[p].map.n;
		}
	}
	for (size_t i = 0; i < m->n_settings; i++)
		cli_print(c, "%.*s\t%.*s\n", (int)m->setting[i].name.n, m->setting[i].name.p,
		    (int)m->setting[i].value.n, m->setting[i].value.p);
	n = sh_store_manifest_documents(m);
	cli_print(c, "--store\t%s\ndocuments\t%llu\nstayed\t%llu\n%s\t%llu\nsegments\t%zu\n",
	    sh_store_form_name[m->form], (unsigned long long)n,
	    (unsigned long long)sh_store_manifest_kept(m),
	    m->kind == SH_STORE_OF_DOCUMENTS ? "keys" : "seeds", (unsigned long long)postings,
	    m->n_segments);
	tell_time(c, "oldest", n > 0, times.oldest);
	tell_time(c, "newest", n > 0, times.newest);
	cli_print(c, "bytes of documents\t%llu\nbytes of the index\t%llu\nbytes a document\t%llu\n",
	    (unsigned long long)bytes[SH_STORE_PART_DOCUMENTS],
	    (unsigned long long)bytes[SH_STORE_PART_INDEX], (unsigned long long)(n ? all / n : 0));
	sh_store_close(&s);
}

/* ---- texts ---- */

static int write_line(void *arg, const struct sh_record *r, struct sh_error *err)
{
	struct cli *c = arg;

	(void)err;
	if (r->keeper == r->number) {
		cli_write(c, r->line.p, r->line.n);
		cli_write(c, "\n", 1);
	}
	return 0;
}

void archive_export(const struct archive_command *a)
{
	struct sh_store s;
	struct sh_error err;

	open_store(a, &s, false);
	if (s.manifest.form == SH_STORE_SKETCH) {
		sh_error_set(&err, SH_ERR_PARAM,
		    "the archive keeps no texts: export needs an archive of 'sharchive init "
		    "--store=documents'");
		cli_die(a->cli, &err);
	}
	if (sh_store_each(&s, write_line, a->cli, &err) < 0)
		cli_die(a->cli, &err);
	sh_store_close(&s);
}
