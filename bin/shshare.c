/* shshare: finds the pairs of documents that share some features. */
#include <stdlib.h>

#include "base/num.h"
#include "feature_run.h"
#include "fp/bottom.h"
#include "hash/mix.h"
#include "hash/mix_lines.h"
#include "join/share.h"
#include "peeked.h"

enum { LEAST = CLI_OWN, FEATURES };

#define DEFAULT_MEMORY ((size_t)1 << 30)

/* Documents whose pairs one thread finds at a time. */
enum { TASK = 1024 };

enum { DEFAULT_LEAST = 2, DEFAULT_FEATURES = 48, MAX_FEATURES = 65536 };

static const struct cli_option options[] = {
	{ LEAST, "least", "N", "write pairs that share at least N features [2]" },
	{ FEATURES, "features", "N", "keep the N features of the least hashes of a document [48]" },
	{ 'S', "memory", "SIZE", "use temporary files beyond this memory [1G]" },
	{ CLI_TMPDIR, "tmpdir", "DIR", "put temporary files in DIR [$TMPDIR, /tmp]" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shshare",
	.threads = "documents",
	.synopsis = "[FILE [ARCHIVE]]",
	.purpose = "Features (id<TAB>feature<TAB>weight) to pairs of documents that share some.",
	.options = { options },
};

struct settings {
	unsigned least, features;
	size_t memory;
};

/* The documents read so far. */
struct documents {
	struct sh_tables tables;
	struct sh_share share;
	struct sh_buf ids; /* ids, each followed by a NUL */
	uint64_t *id;      /* by document: offset of its id */
	size_t n, id_cap;
	uint32_t fresh; /* documents of the first of two files; otherwise 0 */
};

/* ---- reading ---- */

/* Returns the words of 64 bits that n bytes take. */
static size_t words_of(size_t n)
{
	return (n + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

/* The state of a worker: the features of its document. */
struct sampler {
	unsigned most; /* features of a sample */
	const struct sh_mix_kernel *mix;
	uint64_t *hash;
	size_t n, cap;
};

static void begin(struct sh_feature_doc *d)
{
	struct sampler *s = d->own;

	s->n = 0;
}

/* Returns room for the hashes of n more features, or NULL with *err. */
static uint64_t *hash_room(struct sampler *s, size_t n, struct sh_error *err)
{
	return SH_RESERVE(s->hash, s->cap, s->n + n, err) < 0 ? NULL : s->hash + s->n;
}

static int add(
    struct sh_feature_doc *d, struct sh_slice feature, int64_t weight, struct sh_error *err)
{
	struct sampler *s = d->own;
	uint64_t *room = hash_room(s, 1, err);

	(void)weight;
	if (!room)
		return -1;
	*room = sh_mix_feature(feature, 0);
	s->n += feature.n > 0;
	return 0;
}

static size_t add_lines(struct sh_feature_doc *d)
{
	struct sampler *s = d->own;
	struct sh_error err;
	uint64_t *room = hash_room(s, d->lines.tokens, &err);

	if (!room)
		return 0;
	sh_mix_lines(s->mix, &d->lines, d->lines.lines, sh_mix_seed(0), room);
	s->n += d->lines.lines;
	return d->lines.lines;
}

/* Adds a document to job->out, for keep_documents(): the lengths of its id and its sample, its
 * sample, its id. */
static int end(struct sh_feature_doc *d, struct sh_job *job, struct sh_error *err)
{
	struct sampler *s = d->own;
	struct sh_slice id = sh_feature_doc_id(d);
	uint64_t *to;

	if (sh_buf_reserve(&job->out, (2 + s->most) * sizeof *to + id.n + sizeof *to, err) < 0)
		return -1;
	to = (uint64_t *)(void *)(job->out.p + job->out.n);
	to[0] = id.n;
	to[1] = sh_bottom(s->hash, s->n, s->most, to + 2);
	memcpy(to + 2 + to[1], id.p, id.n);
	job->out.n += (2 + to[1] + words_of(id.n)) * sizeof *to;
	return 0;
}

static const struct sh_feature_calls calls = {
	.split = true,
	.begin = begin,
	.add = add,
	.add_lines = add_lines,
	.end = end,
};

static struct sh_slice id_of(const struct documents *d, size_t i)
{
	size_t end = i + 1 < d->n ? (size_t)d->id[i + 1] : d->ids.n;

	return sh_slice(d->ids.p + d->id[i], end - (size_t)d->id[i] - 1);
}

static int keep_document(
    struct documents *d, struct sh_slice id, const uint64_t *sample, size_t n, struct sh_error *err)
{
	if (d->n == SH_SHARE_NONE - 1)
		return sh_error_set(err, SH_ERR_RANGE, "too many documents: split the input");
	if (d->n == d->id_cap && sh_tables_grow(&d->tables, (void **)&d->id, &d->id_cap, d->n + 1,
				     sizeof *d->id, err) < 0)
		return -1;
	d->id[d->n] = d->ids.n;
	if (sh_buf_add(&d->ids, id.p, id.n, err) < 0 || sh_buf_add(&d->ids, "", 1, err) < 0)
		return -1;
	d->n++;
	return sh_share_add(&d->share, sample, n, err);
}

static int keep_documents(void *arg, struct sh_job *job, struct sh_error *err)
{
	const uint64_t *p = (const uint64_t *)(void *)job->out.p, *end = p + job->out.n / sizeof *p;
	size_t id_n;

	for (; p < end; p += words_of(id_n)) {
		const uint64_t *sample = p + 2;
		size_t n = (size_t)p[1];

		id_n = (size_t)p[0];
		p = sample + n;
		if (keep_document(arg, sh_slice((const char *)p, id_n), sample, n, err) < 0)
			return -1;
	}
	return 0;
}

static void read_file(
    struct cli *c, const struct settings *s, struct documents *d, char *const *name)
{
	unsigned n = sh_feature_docs_states(c->jobs);
	struct sampler *states = cli_zeroed(c, n, sizeof *states);
	void *own[FEATURE_STATES];
	struct run run = { .cli = c, .collect = keep_documents, .arg = d };
	struct sh_source source;

	for (unsigned i = 0; i < n; i++) {
		states[i] = (struct sampler){ .most = s->features, .mix = sh_mix_kernel_at(0) };
		own[i] = &states[i];
	}
	cli_source_init(c, &source);
	source.names = name;
	source.n_names = 1;
	if (!cli_given(c, FEATURES))
		need_features(c, &source,
		    "shtok -f 1,2 makes features of documents, --features 48 reads these records "
		    "as features");
	run_feature_docs(&run, &source, &calls, own);
	sh_source_free(&source);
	for (unsigned i = 0; i < n; i++)
		free(states[i].hash);
	free(states);
}

/* ---- writing ---- */

/* The state of a worker. */
struct finder {
	const struct documents *documents;
	unsigned least;
	struct sh_share_room room;
};

static char *print_id(char *p, struct sh_slice id)
{
	memcpy(p, id.p, id.n);
	p[id.n] = '\t';
	return p + id.n + 1;
}

static int write_pair(struct sh_job *job, const struct documents *d, uint32_t x, uint32_t y,
    uint32_t common, struct sh_error *err)
{
	bool swap = !d->fresh && sh_slice_cmp(id_of(d, y), id_of(d, x)) < 0;
	uint32_t first = swap ? y : x, second = swap ? x : y;
	struct sh_slice a = id_of(d, first), b = id_of(d, second);
	char *p = sh_job_room(job, a.n + b.n + 3 * SH_NUM_CHARS + 5, err);

	if (!p)
		return -1;
	p = print_id(print_id(p, a), b);
	p += sh_print_u64(p, common);
	*p++ = '\t';
	p += sh_print_u64(p, sh_share_size(&d->share, first));
	*p++ = '\t';
	p += sh_print_u64(p, sh_share_size(&d->share, second));
	*p++ = '\n';
	job->out.n = (size_t)(p - job->out.p);
	return 0;
}

static int find_pairs_of(struct finder *f, uint32_t x, struct sh_job *job, struct sh_error *err)
{
	const struct documents *d = f->documents;
	const struct sh_shared *found;
	size_t n;

	if (sh_share_find(&d->share, x, f->least, 0, &f->room, &found, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if ((!d->fresh || found[i].number < d->fresh) &&
		    write_pair(job, d, found[i].number, x, found[i].common, err) < 0)
			return -1;
	return 0;
}

/* Finds the pairs of TASK documents with the documents before them. */
static int find_pairs(void *worker, struct sh_job *job)
{
	struct finder *f = worker;
	size_t x = f->documents->fresh + job->task * TASK, left = f->documents->n - x,
	       end = x + (left < TASK ? left : TASK);

	for (; x < end; x++)
		if (find_pairs_of(f, (uint32_t)x, job, &job->err) < 0)
			return -1;
	return 0;
}

static void join(struct cli *c, const struct settings *s, struct documents *d)
{
	struct finder finders[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = find_pairs };
	struct sh_error err;

	if (sh_share_order(&d->share, NULL, 0, c->jobs, &err) < 0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++) {
		finders[i] = (struct finder){ .documents = d, .least = s->least };
		run.workers[i] = &finders[i];
	}
	run_tasks(&run, (d->n - d->fresh + TASK - 1) / TASK);
	for (unsigned i = 0; i < c->jobs; i++)
		sh_share_room_free(&finders[i].room);
}

static void share(struct cli *c, const struct settings *s)
{
	size_t n;
	char *const *name = cli_inputs(c, &n);
	struct documents d = { 0 };

	sh_tables_init(&d.tables, s->memory, c->tmpdir);
	d.share.tables = &d.tables;
	read_file(c, s, &d, name);
	d.fresh = n == 2 ? (uint32_t)d.n : 0;
	if (n == 2)
		read_file(c, s, &d, name + 1);
	if (n != 2 || d.fresh)
		join(c, s, &d);
	sh_share_free(&d.share);
	sh_tables_put(&d.tables, d.id);
	sh_tables_free(&d.tables);
	sh_buf_free(&d.ids);
}

/* ---- options ---- */

static void set_option(struct cli *c, struct settings *s, int opt)
{
	switch (opt) {
	case LEAST:
		s->least = (unsigned)cli_number(c, "--least", 1, MAX_FEATURES);
		break;
	case FEATURES:
		s->features = (unsigned)cli_number(c, "--features", 1, MAX_FEATURES);
		break;
	case 'S':
		s->memory = cli_size(c, "-S");
		break;
	}
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = {
		.least = DEFAULT_LEAST, .features = DEFAULT_FEATURES, .memory = DEFAULT_MEMORY
	};
	int opt;

	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1)
		set_option(&c, &s, opt);
	if (c.n_operands > 2)
		cli_usage(
		    &c, "'%s': at most two files: new documents, and an archive", c.operands[2]);
	if (s.least > s.features)
		cli_usage(&c, "--least %u: a document keeps only %u features (--features)", s.least,
		    s.features);
	cli_open(&c);
	share(&c, &s);
	return cli_finish(&c);
}
