/* SPDX-License-Identifier: MIT */
/* Reads the members of a container with libarchive: a tar, ZIP or 7z file.
 *
 * A tar file is read as a stream. ZIP and 7z files have their directory at the end: a regular file
 * is read in place, another input is held in memory. Hostile containers cost bounded memory and
 * time: see the limits below.
 *
 *     while ((got = sh_container_next(&c, err)) > 0)
 *             ... sh_container_read() ... */
#ifndef SH_INGEST_CONTAINER_H
#define SH_INGEST_CONTAINER_H

#include <locale.h>

#include "io/ceiling.h"
#include "io/reader.h"

enum sh_container_form { SH_CONTAINER_NONE, SH_CONTAINER_TAR, SH_CONTAINER_ZIP, SH_CONTAINER_7Z };

/* Most decompressed bytes of all members, for each byte of the input. SH_READER_FREE bytes are
 * always allowed. A tar file is not compressed, but it may have holes. */
enum { SH_CONTAINER_RATIO = 1000, SH_CONTAINER_TAR_RATIO = 1 };

/* Largest directory of a ZIP or 7z file, in bytes: about half a million members. */
#define SH_CONTAINER_DIRECTORY ((size_t)64 << 20)

/* Memory that libarchive may allocate in one call for a ZIP or 7z file, in bytes. */
#define SH_CONTAINER_MEMORY (4 * sh_codec_window())

enum sh_member_kind {
	SH_MEMBER_FILE,
	SH_MEMBER_FOLDER,
	SH_MEMBER_LINK,
	SH_MEMBER_SPECIAL, /* devices, FIFOs */
};

struct sh_container {
	enum sh_container_form form;
	struct sh_reader *reader;
	struct archive *archive;
	uint64_t size;    /* bytes of the input; for a tar file, the bytes read so far */
	uint64_t at;      /* where libarchive reads next */
	uint64_t out;     /* decompressed bytes of members so far; the caller adds what it reads */
	size_t zeros;     /* zero bytes at the end of the bytes read so far, at most 512 */
	size_t directory; /* bytes that libarchive has read before the first member */
	bool in_place;    /* the input is read by sh_reader_at() */
	bool begun;       /* the first member was looked for */
	bool broken;      /* no further member can be read */

	/* The current member. Its name is as stored; converted to UTF-8 when the container declares
	 * a charset; NULL when it cannot be converted. */
	const char *name;
	enum sh_member_kind kind;
	bool encrypted;
	bool unread; /* it may have further bytes */

	locale_t utf8; /* of the thread during calls: libarchive converts names to its charset */
	struct sh_buf block; /* the bytes that libarchive gets */
	struct sh_ceiling ceiling;
	struct sh_error failed; /* why reading the input failed, or SH_OK */
};

/* Returns the form of a file with this head, of at least 512 bytes or the whole file. Office
 * documents and e-books are ZIP files, but they count as SH_CONTAINER_NONE. */
enum sh_container_form sh_container_of(struct sh_slice head);

/* Opens the container whose first bytes are ready in r. r must outlive the container. Close *c also
 * after a failure. SH_ERR_RECORD: a ZIP or 7z file that cannot be read in place has more than
 * max_size bytes. */
int sh_container_open(struct sh_container *c, enum sh_container_form form, struct sh_reader *r,
    size_t max_size, struct sh_error *err);

/* Skips the rest of the current member and finds the next one. Returns 1, 0 at the end, or -1.
 * After -1 no further member can be read. */
int sh_container_next(struct sh_container *c, struct sh_error *err);

/* Reads up to n bytes of the current member. Returns how many, 0 at the member's end, or -1. After
 * -1 the next member can be read, unless c->broken is set. The function has the type that
 * sh_reader_open_stream() needs. */
ssize_t sh_container_read(void *container, void *p, size_t n, struct sh_error *err);

void sh_container_close(struct sh_container *c);

#endif
