#include "text/docs.h"

#include "base/num.h"
#include "io/decompress.h"
#include "text/encoding.h"

enum { GUESS_BYTES = 64 * 1024 };

int sh_docs_head(struct sh_slice *in, struct sh_error *err)
{
	size_t n = in->n < GUESS_BYTES ? in->n : GUESS_BYTES;
	enum sh_encoding guess = sh_encoding_guess(in->p, n);
	const char *name = sh_encoding_iconv_name(guess);

	if (guess == SH_ENC_UTF8_BOM) {
		in->p += 3;
		in->n -= 3;
	}
	if (sh_refuse_compressed(*in, err) < 0)
		return -1;
	if (name)
		return sh_error_set(err, SH_ERR_RECORD,
		    "the text is %s, not UTF-8 (iconv -f %s -t UTF-8 makes it so)", name, name);
	return 0;
}

struct work {
	const struct sh_docs_opts *opts;
	sh_docs_each *each;
	void *arg;
	struct sh_document_room room;
};

static int one_document(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct work *w = arg;
	struct sh_document doc;
	uint64_t before = job->ill_formed, ill;

	if (sh_document_parse(
		&w->opts->form, line, job->from.number + job->at, &w->room, &doc, err) < 0 ||
	    w->each(w->arg, &doc, job, err) < 0)
		return -1;
	job->ill_formed += doc.ill_formed;
	ill = job->ill_formed - before;
	if (w->opts->strict && ill)
		return sh_error_set(err, SH_ERR_RECORD,
		    "%llu ill-formed UTF-8 sequence%s (--strict)", (unsigned long long)ill,
		    ill == 1 ? "" : "s");
	return 0;
}

int sh_docs_work(const struct sh_docs_opts *opts, sh_docs_each *each, void *arg, struct sh_job *job)
{
	struct work w = { opts, each, arg, { { 0 }, { 0 } } };
	int status;

	if (job->from.starts_file && sh_docs_head(&job->in, &job->err) < 0) {
		job->err.file = job->from.file;
		return -1;
	}
	status = sh_job_lines(job, opts->rejects, one_document, &w);
	sh_document_room_free(&w.room);
	return status;
}
