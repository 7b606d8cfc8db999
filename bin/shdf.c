/* shdf: features to document frequencies. */
#include <stdlib.h>

#include "base/num.h"
#include "cli.h"
#include "peeked.h"
#include "record/fields.h"
#include "repeated_ids.h"
#include "weight/df.h"

enum { MIN_DF = CLI_OWN, MAX_DF, BARE, FEATURES };

#define DEFAULT_MEMORY ((size_t)512 << 20)

static const struct cli_option options[] = {
	{ 'm', "merge", NULL, "sum tables of document frequencies" },
	{ MIN_DF, "min-df", "N|SHARE", "leave out features of fewer documents (3, 0.01 or 1%)" },
	{ MAX_DF, "max-df", "N|SHARE", "leave out features of more documents" },
	{ BARE, "bare", NULL, "leave the words of the widest feature out of the first line" },
	FEATURES_OPTION(FEATURES),
	{ 'S', "memory", "SIZE", "use temporary files beyond this memory [512M]" },
	{ CLI_TMPDIR, "tmpdir", "DIR", "put temporary files there [$TMPDIR, /tmp]" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shdf",
	.synopsis = "[FILE...]",
	.purpose = "Features (id<TAB>feature<TAB>weight) to document frequencies (feature<TAB>df).",
	.options = { options },
};

struct table_out {
	struct cli *cli;
	struct sh_df_limit min, max;
	uint64_t documents;
	const struct sh_df_counter *counter; /* or NULL: tables are added up */
	/* when tables are added up: words of the widest feature */
	uint64_t words;
	bool bare, features; /* these options were given */
};

/* Prints the text after the number of documents. Returns its length. */
static size_t print_words(const struct table_out *t, char *out)
{
	uint64_t words = t->counter ? sh_df_words(t->counter) : t->words;

	if (t->bare || words == 0)
		return 0;
	*out = '\t';
	return 1 + sh_print_u64(out + 1, words);
}

/* Writes a line of the table. Never leaves out the first line, the number of documents. */
static int emit(void *arg, struct sh_slice feature, uint64_t df, struct sh_error *err)
{
	struct table_out *t = arg;
	struct sh_sink *out = &t->cli->out;
	char number[2 * SH_NUM_CHARS + 3] = "\t";
	size_t n;

	if (feature.n == 0)
		t->documents = df;
	else if (!sh_df_within(&t->min, &t->max, df, t->documents))
		return 0;
	n = 1 + sh_print_u64(number + 1, df);
	if (feature.n == 0)
		n += print_words(t, number + n);
	number[n++] = '\n';
	if (sh_sink_write(out, feature.p, feature.n, err) < 0)
		return -1;
	return sh_sink_write(out, number, n, err);
}

static void tell_progress(void *arg, uint64_t bytes, uint64_t lines)
{
	struct table_out *t = arg;

	progress_read(&t->cli->progress, bytes, lines);
}

struct counting {
	struct sh_df_counter *counter;
	struct sh_past_ids past;
	struct sh_buf id; /* of the current document */
	bool begun;
};

/* Counts one line. Another id begins another document. */
static int count_line(
    struct counting *n, struct sh_slice line, const struct sh_origin *from, struct sh_error *err)
{
	struct sh_feature f;

	if (sh_record_feature(line, &f, err) < 0)
		return -1;
	if (!n->begun || !sh_slice_eq(f.id, sh_buf_slice(&n->id))) {
		n->id.n = 0;
		if (sh_buf_add(&n->id, f.id.p, f.id.n, err) < 0)
			return -1;
		sh_past_ids_begin(&n->past, f.id, from->file, from->line);
		sh_df_document(n->counter);
		n->begun = true;
	}
	return f.text.n ? sh_df_feature(n->counter, f.text, err) : 0;
}

static void count(struct cli *c, size_t memory, struct table_out *out)
{
	struct sh_error err;
	struct counting n = { .counter = sh_df_counter_new(memory, c->tmpdir, &err) };
	struct sh_lines lines;
	struct sh_slice line;

	out->counter = n.counter;
	if (!n.counter || sh_past_ids_init(&n.past, &err) < 0)
		cli_die(c, &err);
	cli_lines_init(c, &lines);
	if (!out->features)
		need_features(c, &lines.source, FEATURES_ADVICE);
	while (cli_line(c, &lines, &line)) {
		if (count_line(&n, line, &lines.from, &err) < 0) {
			sh_lines_blame(&lines, &err);
			cli_reject(c, line, &err);
		}
	}
	if (sh_df_finish(n.counter, emit, out, &err) < 0)
		cli_die(c, &err);
	warn_repeated_ids(c, &n.past);
	sh_lines_free(&lines);
	sh_buf_free(&n.id);
	sh_past_ids_free(&n.past);
	sh_df_counter_delete(n.counter);
}

static void take_limit(struct cli *c, const char *option, struct sh_df_limit *limit)
{
	struct sh_error err;

	if (sh_df_limit_parse(c->arg, limit, &err) < 0)
		cli_usage(c, "%s: %s", option, err.text);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct table_out out = { .cli = &c };
	struct sh_error err;
	size_t memory = DEFAULT_MEMORY;
	bool merge = false;
	int opt;

	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1) {
		switch (opt) {
		case 'm':
			merge = true;
			break;
		case MIN_DF:
			take_limit(&c, "--min-df", &out.min);
			break;
		case MAX_DF:
			take_limit(&c, "--max-df", &out.max);
			break;
		case BARE:
			out.bare = true;
			break;
		case FEATURES:
			out.features = true;
			break;
		case 'S':
			memory = cli_size(&c, "-S");
			break;
		}
	}
	cli_open(&c);
	if (!merge)
		count(&c, memory, &out);
	else if (sh_df_merge(c.operands, c.n_operands, c.trailer_in, emit, tell_progress, &out,
		     out.bare ? NULL : &out.words, &err) < 0)
		cli_die(&c, &err);
	return cli_finish(&c);
}
