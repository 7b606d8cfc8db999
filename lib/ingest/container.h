/* Reads the members of a container with libarchive: a tar, ZIP or 7z file.
 *
 * A tar file is read as a stream. ZIP and 7z files have their directory at the end: a regular file is read
 * in place, another input is held in memory. Hostile containers cost bounded memory and time: see the
 * limits below.
 *
 *     while ((got = sh_container_next(&c, &member, err)) > 0)
 *             ... sh_container_read() ... */
#ifndef SH_INGEST_CONTAINER_H
#define SH_INGEST_CONTAINER_H

#include <locale.h>

#include "io/ceiling.h"
#include "io/reader.h"

enum sh_container_form { SH_CONTAINER_NONE, SH_CONTAINER_TAR, SH_CONTAINER_ZIP, SH_CONTAINER_7Z };

/* Limits the bytes of all members together. The first SH_DECOMPRESS_FREE bytes are free. Beyond them, each
 * byte of the input may become this number of bytes on average. A tar file is not compressed, but it may
 * have holes. */
enum { SH_CONTAINER_RATIO = 1000, SH_CONTAINER_TAR_RATIO = 1 };

/* Largest directory of a ZIP or 7z file, in bytes: about half a million members. */
#define SH_CONTAINER_DIRECTORY ((size_t)64 << 20)

/* Memory that libarchive may allocate in one call, in bytes. */
#define SH_CONTAINER_MEMORY (4 * sh_codec_window())

struct sh_container {
	enum sh_container_form form;
	struct sh_reader *reader;
	struct archive *archive;
	uint64_t size;    /* bytes of the input; for a tar file, the bytes read so far */
	uint64_t at;      /* where libarchive reads next */
	uint64_t out;     /* bytes of members so far; the caller adds the bytes that it reads */
	size_t zeros;     /* zeros at the end of what libarchive has read, up to a block of tar */
	size_t directory; /* bytes that libarchive has read before the first member */
	bool in_place;    /* read by sh_reader_at() */
	bool begun;       /* the directory was read */
	bool broken;      /* no further member can be read */
	bool encrypted;   /* the current member is encrypted */
	bool unread;      /* the member may have further bytes */
	/* set during calls: libarchive converts names to the charset of the locale */
	locale_t utf8;
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
	/* as stored, UTF-8 where the container declares it; NULL: cannot be converted */
	const char *name;
	enum sh_member_kind kind;
	bool encrypted;
};

/* Returns the form of a file with this beginning. Office documents and e-books are ZIP files, but they
 * count as SH_CONTAINER_NONE. */
enum sh_container_form sh_container_of(struct sh_slice head);

/* Returns "tar", "ZIP" or "7z". */
const char *sh_container_name(enum sh_container_form form);

/* Opens the container whose first bytes are ready in r. r must outlive the container. max_size: the largest
 * ZIP or 7z file, in bytes, that is held in memory; a larger one is SH_ERR_RECORD. */
int sh_container_open(struct sh_container *c, enum sh_container_form form, struct sh_reader *r,
    size_t max_size, struct sh_error *err);

/* Finds the next member. Returns 1, 0 at the end, or -1. After -1 no further member can be read. */
int sh_container_next(struct sh_container *c, struct sh_member *m, struct sh_error *err);

/* Reads up to n bytes of the member. Returns their number, 0 at the member's end, or -1. It has the type
 * that sh_reader_open_stream() needs. */
ssize_t sh_container_read(void *container, void *p, size_t n, struct sh_error *err);

void sh_container_close(struct sh_container *c);

#endif
