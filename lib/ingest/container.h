/* The members of a container: a tar, ZIP or 7z file. libarchive reads them.
 *
 * A tar file is read as a stream. ZIP and 7z files have their directory at the end: a regular file is read in
 * place, another input is held in memory. Hostile containers cost bounded memory and time: see the limits below.
 *
 *     while ((got = sh_container_next(&c, &member, err)) > 0)
 *             ... sh_container_read() ...
 */
#ifndef SH_INGEST_CONTAINER_H
#define SH_INGEST_CONTAINER_H

#include <locale.h>

#include "io/ceiling.h"
#include "io/reader.h"

enum sh_container_form { SH_CONTAINER_NONE, SH_CONTAINER_TAR, SH_CONTAINER_ZIP, SH_CONTAINER_7Z };

/* Members together may have SH_DECOMPRESS_FREE bytes. Beyond them, each byte of the input may become this many on
 * average. A tar file has no compression of its own, only holes. */
enum { SH_CONTAINER_RATIO = 1000, SH_CONTAINER_TAR_RATIO = 1 };

/* Largest directory of a ZIP or 7z file, in bytes: about half a million members. */
#define SH_CONTAINER_DIRECTORY ((size_t)64 << 20)

/* Memory that libarchive may allocate in one call, in bytes. */
#define SH_CONTAINER_MEMORY (4 * SH_CODEC_WINDOW)

struct sh_container {
	enum sh_container_form form;
	struct sh_reader *reader;
	struct archive *archive;
	uint64_t size;    /* of the input, in bytes; of a tar file, what was read up to now */
	uint64_t at;      /* where libarchive reads next */
	uint64_t out;     /* bytes of members; the caller adds what it reads */
	size_t zeros;     /* zeros at the end of what libarchive has read, up to a block of tar */
	size_t directory; /* bytes that libarchive has read before the first member */
	bool in_place;    /* read by sh_reader_at() */
	bool begun;       /* the directory was read */
	bool broken;      /* no further member can be read */
	bool encrypted;   /* the member is */
	bool unread;      /* the member may have further bytes */
	locale_t utf8;    /* libarchive converts names to the charset of the locale */
	struct sh_buf block;
	struct sh_ceiling ceiling;
	struct sh_error failed; /* why reading the input failed, or SH_OK */
};

enum sh_member_kind {
	SH_MEMBER_FILE,
	SH_MEMBER_FOLDER,
	SH_MEMBER_LINK,
	SH_MEMBER_SPECIAL, /* devices, FIFOs */
};

struct sh_member {
	const char *
	    name; /* as it stands in the container, UTF-8 when that says so; NULL: cannot be converted */
	enum sh_member_kind kind;
	bool encrypted;
};

/* The form of a file with this beginning. Office documents and e-books are ZIP files, but no containers. */
enum sh_container_form sh_container_of(struct sh_slice head);

/* "tar", "ZIP", "7z" */
const char *sh_container_name(enum sh_container_form form);

/* Begins with the input that is ready in r, which must outlive the container. max_size: bytes of a ZIP or 7z file
 * that is held in memory; SH_ERR_RECORD when it is larger. */
int sh_container_open(struct sh_container *c, enum sh_container_form form, struct sh_reader *r,
    size_t max_size, struct sh_error *err);

/* The next member: 1, 0 at the end, -1. After -1 no further member can be read. */
int sh_container_next(struct sh_container *c, struct sh_member *m, struct sh_error *err);

/* Up to n bytes of the member: how many, 0 at its end, -1. For sh_reader_open_stream(). */
ssize_t sh_container_read(void *container, void *p, size_t n, struct sh_error *err);

void sh_container_close(struct sh_container *c);

#endif
