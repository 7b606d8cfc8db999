/* SPDX-License-Identifier: MIT */
#include "stream/docs.h"

#include "base/num.h"
#include "record/fields.h"
#include "record/foreign.h"
#include "unicode/encoding.h"

enum { GUESS_BYTES = 64 * 1024 };

int sh_docs_head(struct sh_slice *in, struct sh_error *err)
{
	size_t n = in->n < GUESS_BYTES ? in->n : GUESS_BYTES;
	enum sh_encoding guess = sh_encoding_guess(in->p, n);
	const char *name = sh_encoding_iconv_name(guess);

	if (sh_foreign_refuse(sh_slice(in->p, n), err) < 0)
		return -1;
	if (guess == SH_ENC_UTF8_BOM) {
		in->p += 3;
		in->n -= 3;
	}
	if (name)
		return sh_error_set(err, SH_ERR_RECORD,
		    "the text is %s, not UTF-8 (convert it: iconv -f %s -t UTF-8)", name, name);
	return 0;
}

/* Returns whether the first records can all be fingerprint records, of one width of at least 32
 * bits, and a record has a digit above 9. A fingerprint record has two fields, as a document
 * has. */
static bool are_like_prints(struct sh_slice in)
{
	enum { LOOKED_AT = 16 };
	unsigned bits = 0;
	bool hex = false;

	for (unsigned i = 0; i < LOOKED_AT && in.n; i++) {
		struct sh_slice line = sh_record_front(in, false);
		struct sh_fp_record r;
		struct sh_error err;

		if (sh_record_fp(sh_without_cr(line), &r, &err) < 0 || r.bits < 32 ||
		    (r.bits & (r.bits - 1)) != 0 || sh_same_width(&bits, &r, &err) < 0 ||
		    memchr(r.id.p, ' ', r.id.n))
			return false;
		hex = hex || strspn(line.p, "0123456789") < bits / 4;
		line.n += line.n < in.n;
		in = sh_slice(in.p + line.n, in.n - line.n);
	}
	return hex;
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

int sh_docs_header(
    const struct sh_document_form *form, const struct sh_header *header, struct sh_error *err)
{
	struct sh_slice all = sh_buf_slice(&header->first);

	if (all.n == 0)
		return 0;
	if (header->delimiter)
		form->columns->delimiter = header->delimiter;
	if (sh_docs_head(&all, err) == 0 &&
	    sh_document_header(form, sh_header_bare(header), err) == 0)
		return 0;
	err->file = header->file;
	err->line = 1;
	return -1;
}

/* Calls sh_docs_head() for a chunk with the first record of a file. */
static int begin(struct sh_job *job)
{
	const char *from = job->in.p;

	if (!job->from.starts_file)
		return 0;
	if (sh_docs_head(&job->in, &job->err) < 0) {
		job->err.file = job->from.file;
		return -1;
	}
	/* Behind a header, U+FEFF belongs to the first record. */
	if (job->from.header) {
		job->in.n += (size_t)(job->in.p - from);
		job->in.p = from;
	}
	job->from.at += (uint64_t)(job->in.p - from);
	return 0;
}

int sh_docs_lines(struct sh_job *job, bool rejects, sh_line_fn *each, void *arg)
{
	return begin(job) < 0 ? -1 : sh_job_lines(job, rejects, each, arg);
}

int sh_docs_work(const struct sh_docs_opts *opts, sh_docs_each *each, void *arg, struct sh_job *job)
{
	const struct sh_document_form *form = &opts->form;
	struct work w = { .opts = opts, .each = each, .arg = arg };
	int status;

	if (begin(job) < 0)
		return -1;
	if (job->from.starts_file && !form->json && !form->columns && !form->line_ids &&
	    !form->number[0] && are_like_prints(job->in) &&
	    sh_job_note(job, job->from.file, job->from.line,
		"the input looks like fingerprints, which shband and shjoin read; it is read as "
		"documents of one word each",
		&job->err) < 0)
		return -1;
	status = sh_job_lines(job, opts->rejects, one_document, &w);
	sh_document_room_free(&w.room);
	return status;
}
