/* SPDX-License-Identifier: MIT */
#include "ingest/ingest.h"

const char *sh_ingest_lacks(void)
{
	return ""
#ifndef SH_HAVE_LIBXML2
	       "; HTML (libxml2-dev)"
#endif
#ifndef SH_HAVE_ARCHIVE
	       "; tar, ZIP and 7z (libarchive-dev)"
#endif
#ifndef SH_HAVE_UCHARDET
	       "; guesses at charsets (libuchardet-dev)"
#endif
#ifndef SH_HAVE_ZLIB
	       "; gzip (zlib1g-dev)"
#endif
#ifndef SH_HAVE_BZIP2
	       "; bzip2 (libbz2-dev)"
#endif
#ifndef SH_HAVE_LZMA
	       "; xz (liblzma-dev)"
#endif
#ifndef SH_HAVE_LZ4
	       "; lz4 (liblz4-dev)"
#endif
#ifndef SH_HAVE_BROTLI
	       "; brotli within HTTP (libbrotli-dev)"
#endif
#ifndef SH_HAVE_ZSTD
	       "; zstd (libzstd-dev)"
#endif
	    ;
}

/* ---- a file that is one document ---- */

static int whole_file(struct sh_ingest *in, enum sh_body_kind kind, struct sh_reader *r,
    struct sh_slice id, struct sh_error *err)
{
	struct sh_slice all;
	int bad;

	if (sh_reader_need(r, in->max_size + 1, err) < 0)
		return -1;
	all = sh_reader_ready(r);
	sh_reader_consume(r, all.n);
	in->text.n = in->body.notes.n = 0;
	if (all.n > in->max_size)
		bad = sh_error_set(err, SH_ERR_RECORD,
		    "the file is larger than %zu bytes (--max-size SIZE allows more)",
		    in->max_size);
	else
		bad = sh_body_text(&in->body, kind, all, NULL, &in->text, err);
	if (bad == 0)
		bad = sh_ingest_document(in, id, sh_buf_slice(&in->text), err);
	return bad < 0 ? sh_ingest_bad(in, r, sh_slice_str(r->name), err) : 0;
}

/* ---- any file ---- */

/* Detects the format by the first bytes in the reader. */
static int detect(struct sh_ingest *in, const struct sh_reader *r, const char *path,
    enum sh_format *format, struct sh_error *err)
{
	struct sh_slice head = sh_reader_ready(r);
	enum sh_body_kind kind;
	const char *doubt;

	if (sh_body_sniff(&in->body, head, NULL, &kind, err) < 0)
		return -1;
	*format = sh_format_detect(head, kind, path, &in->json);
	doubt = *format == SH_FORMAT_TEXT ? sh_format_doubt(head, path, &in->json) : NULL;
	return doubt ? sh_tally_add(&in->tally[SH_AS_TEXT], sh_slice_str(doubt), err) : 0;
}

int sh_ingest_read(struct sh_ingest *in, enum sh_format format, struct sh_reader *r,
    struct sh_slice id, struct sh_error *err)
{
	char room[160];
	const char *what;

	in->reader = r;
	switch (format) {
	case SH_FORMAT_JSONL:
		return sh_ingest_jsonl(in, r, id, err);
	case SH_FORMAT_WARC:
		return sh_ingest_warc(in, r, err);
	case SH_FORMAT_MBOX:
		return sh_ingest_mbox(in, r, id, err);
	case SH_FORMAT_NONE:
		what = sh_format_other(sh_reader_ready(r), room, sizeof room);
		return sh_ingest_leave_out(in, what, true, err);
	default:
		return whole_file(
		    in, format == SH_FORMAT_HTML ? SH_BODY_HTML : SH_BODY_TEXT, r, id, err);
	}
}

/* ---- the members of a container ---- */

/* Adds n decompressed bytes of the member to c->out, which the container limits. */
static void on_bytes(void *ingest, uint64_t n)
{
	struct sh_ingest *in = ingest;

	in->container->out += n;
	/* The bytes of a tar file are reported when the file itself is read. */
	if (in->progress && in->container->form != SH_CONTAINER_TAR)
		in->progress(in->arg, n);
}

/* Reads the current member of in->container, whose name is in in->member. */
static int read_member(struct sh_ingest *in, struct sh_error *err)
{
	struct sh_container *c = in->container;
	struct sh_slice id = sh_slice(in->member.p, in->member.n - 1);
	struct sh_reader r;
	int bad;

	if (!c->name)
		return sh_error_set(
		    err, SH_ERR_IO, "a member whose name cannot be converted to UTF-8");
	if (c->encrypted)
		return sh_error_set(err, SH_ERR_IO, "the member is encrypted");
	switch (c->kind) {
	case SH_MEMBER_FOLDER:
		return 0;
	case SH_MEMBER_LINK:
		return sh_ingest_leave_out(in, "link in a container", false, err);
	case SH_MEMBER_SPECIAL:
		return sh_ingest_leave_out(in, "special file in a container", false, err);
	default:
		break;
	}
	if (sh_reader_open_stream(&r, sh_container_read, c, id.p, err) < 0)
		return -1;
	r.progress = on_bytes;
	r.progress_arg = in;
	on_bytes(in, sh_reader_ready(&r).n);
	bad = sh_ingest_input(in, &r, c->name, id, true, err);
	sh_reader_close(&r);
	return bad;
}

/* Reads all members of a container. Each member is a file named "FILE#MEMBER". in->trouble() gets
 * an error of a member, and decides whether reading goes on. */
static int read_container(struct sh_ingest *in, enum sh_container_form form, struct sh_reader *r,
    struct sh_slice file, struct sh_error *err)
{
	struct sh_container c;
	int got = sh_container_open(&c, form, r, in->max_size, err);

	in->container = &c;
	while (got == 0 && !c.broken) {
		const char *name;

		got = sh_container_next(&c, err);
		if (got <= 0)
			break;
		in->reader = r;
		name = c.name ? c.name : "";
		in->member.n = 0;
		got = -1;
		if (sh_buf_add(&in->member, file.p, file.n, err) < 0 ||
		    sh_buf_add(&in->member, "#", 1, err) < 0 ||
		    sh_buf_add(&in->member, name, strlen(name) + 1, err) < 0)
			break;
		got = read_member(in, err);
		if (got < 0 && err->code != SH_ERR_NOMEM && in->trouble) {
			err->file = in->member.p;
			got = in->trouble(in->arg, err);
		}
	}
	sh_container_close(&c);
	in->container = NULL;
	in->reader = r;
	return got;
}

/* ---- any input ---- */

int sh_ingest_input(struct sh_ingest *in, struct sh_reader *r, const char *name, struct sh_slice id,
    bool member, struct sh_error *err)
{
	enum sh_format format = in->format;
	enum sh_container_form container;

	in->reader = r;
	if (sh_reader_look(r, SH_FORMAT_HEAD, err) < 0)
		return -1;
	container = sh_container_of(sh_reader_ready(r));
	if (container && member)
		return sh_ingest_leave_out(
		    in, "container within a container (unpack it first)", true, err);
	if (container)
		return read_container(in, container, r, id, err);
	if (format == SH_FORMAT_AUTO && detect(in, r, name, &format, err) < 0)
		return -1;
	if (sh_ingest_read(in, format, r, id, err) < 0)
		return -1;
	return sh_reader_check(r, err);
}
