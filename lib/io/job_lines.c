/* SPDX-License-Identifier: MIT */
#include "io/pool.h"

#include <stdio.h>

#include "base/num.h"
#include "io/csv.h"
#include "io/newlines.h"

int sh_job_reject(struct sh_job *job, struct sh_slice line, bool rejects)
{
	struct sh_error full;

	if (!job->err.line && job->err.code != SH_ERR_IO && job->err.code != SH_ERR_NOMEM) {
		job->err.file = job->from.file;
		job->err.line = sh_job_line(job);
	}
	if (!rejects || job->err.code != SH_ERR_RECORD)
		return -1;
	job->rejected++;
	if (sh_buf_add(&job->aside, line.p, line.n, &full) < 0 ||
	    sh_buf_add(&job->aside, "\n", 1, &full) < 0) {
		job->err = full;
		return -1;
	}
	return 0;
}

static bool is_blank(struct sh_slice line, const char *blanks)
{
	for (size_t i = 0; i < line.n; i++)
		if (!strchr(blanks, line.p[i]) || !line.p[i])
			return false;
	return true;
}

static int one_line(
    struct sh_job *job, struct sh_slice line, bool rejects, sh_line_fn *each, void *arg)
{
	size_t out = job->out.n, notes = job->notes.n;
	uint64_t ill_formed = job->ill_formed, empty = job->empty;

	if (sh_trailer_refuse(line, &job->err) == 0 && each(arg, line, job, &job->err) == 0) {
		job->records++;
		return 0;
	}
	job->out.n = out < job->out.n ? out : job->out.n; /* it may have been flushed */
	job->notes.n = notes;
	job->ill_formed = ill_formed;
	job->empty = empty;
	return sh_job_reject(job, line, rejects);
}

int sh_job_lines(struct sh_job *job, bool rejects, sh_line_fn *each, void *arg)
{
	return sh_job_runs(job, rejects, each, NULL, arg);
}

int sh_job_runs(struct sh_job *job, bool rejects, sh_line_fn *each, sh_run_fn *more, void *arg)
{
	const char *p = job->in.p, *end = p + job->in.n;
	struct sh_slice line;
	uint64_t lines = 0;

	for (job->at = 0; p < end; job->at++) {
		if (more) {
			p = more(arg, p, end, job, &lines);
			job->at += lines;
			job->records += lines;
			if (p == end)
				break;
		}
		line = sh_record_front(sh_slice(p, (size_t)(end - p)), job->from.csv);
		job->offset = (size_t)(p - job->in.p);
		if (job->from.trailer && sh_is_trailer(line.p, line.n))
			job->from.number--; /* counts no trailers */
		else if (job->from.blanks && is_blank(line, job->from.blanks))
			job->blank++;
		else if (one_line(job, line, rejects, each, arg) < 0)
			return -1;
		if (job->from.csv)
			job->at += sh_count_newlines(line.p, line.n);
		p += line.n + (line.n < (size_t)(end - p));
	}
	return 0;
}

int sh_job_note(
    struct sh_job *job, const char *file, uint64_t line, const char *text, struct sh_error *err)
{
	char place[SH_NUM_CHARS + 4];
	int n = snprintf(place, sizeof place, ":%llu: ", (unsigned long long)line);

	if (sh_buf_add(&job->notes, file, strlen(file), err) < 0 ||
	    sh_buf_add(&job->notes, place, (size_t)n, err) < 0 ||
	    sh_buf_add(&job->notes, text, strlen(text), err) < 0)
		return -1;
	return sh_buf_add(&job->notes, "\n", 1, err);
}
