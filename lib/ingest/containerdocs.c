/* SPDX-License-Identifier: MIT */
/* Reads the documents in the members of a container. */
#include "ingest/forms.h"

/* The member that is being read. */
struct member {
	struct sh_ingest *in;
	struct sh_container *container;
	struct sh_buf name; /* FILE#MEMBER and a final NUL */
};

/* Adds n decompressed bytes of the member to c->out, which the container limits. */
static void on_bytes(void *arg, uint64_t n)
{
	struct member *m = arg;

	m->container->out += n;
	/* The bytes of a tar file are reported when the file itself is read. */
	if (m->in->progress && m->container->form != SH_CONTAINER_TAR)
		m->in->progress(m->in->arg, n);
}

static int read_file(struct member *m, const char *name, struct sh_error *err)
{
	const char *file = m->name.p;
	struct sh_reader r;
	int bad;

	if (sh_reader_open_stream(&r, sh_container_read, m->container, file, err) < 0)
		return -1;
	r.progress = on_bytes;
	r.progress_arg = m;
	on_bytes(m, sh_reader_ready(&r).n);
	bad = sh_ingest_input(m->in, &r, name, sh_slice(file, m->name.n - 1), true, err);
	sh_reader_close(&r);
	return bad;
}

/* Returns -1 with *err when the member cannot be read as a file. */
static int check(const struct sh_member *member, struct sh_error *err)
{
	if (!member->name)
		return sh_error_set(
		    err, SH_ERR_IO, "a member whose name cannot be converted to UTF-8");
	if (member->encrypted)
		return sh_error_set(err, SH_ERR_IO, "the member is encrypted");
	return 0;
}

static int read_member(struct member *m, const struct sh_member *member, struct sh_error *err)
{
	if (check(member, err) < 0)
		return -1;
	switch (member->kind) {
	case SH_MEMBER_FOLDER:
		return 0;
	case SH_MEMBER_LINK:
		return sh_ingest_leave_out(m->in, "link in a container", false, err);
	case SH_MEMBER_SPECIAL:
		return sh_ingest_leave_out(m->in, "special file in a container", false, err);
	default:
		return read_file(m, member->name, err);
	}
}

static int put_name(
    struct member *m, struct sh_slice file, const char *member, struct sh_error *err)
{
	struct sh_slice name = sh_slice_str(member ? member : "");

	m->name.n = 0;
	if (sh_buf_add(&m->name, file.p, file.n, err) < 0 ||
	    sh_buf_add(&m->name, "#", 1, err) < 0 || sh_buf_add(&m->name, name.p, name.n, err) < 0)
		return -1;
	return sh_buf_add(&m->name, "", 1, err);
}

/* Reads one member. in->trouble() gets an error of the member, and decides whether reading goes
 * on. */
static int one_member(
    struct member *m, struct sh_slice file, const struct sh_member *member, struct sh_error *err)
{
	if (put_name(m, file, member->name, err) < 0)
		return -1;
	if (read_member(m, member, err) == 0)
		return 0;
	if (err->code == SH_ERR_NOMEM || !m->in->trouble)
		return -1;
	err->file = m->name.p;
	return m->in->trouble(m->in->arg, err);
}

int sh_ingest_container(struct sh_ingest *in, enum sh_container_form form, struct sh_reader *r,
    struct sh_slice file, struct sh_error *err)
{
	struct sh_container c;
	struct sh_member found;
	struct member m = { in, &c, { 0 } };
	int got = sh_container_open(&c, form, r, in->max_size, err);

	while (got == 0 && !c.broken) {
		got = sh_container_next(&c, &found, err);
		if (got <= 0)
			break;
		in->reader = r;
		got = one_member(&m, file, &found, err);
	}
	sh_container_close(&c);
	sh_buf_free(&m.name);
	in->reader = r;
	return got;
}
