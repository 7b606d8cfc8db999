/* SPDX-License-Identifier: MIT */
#include "ingest/container.h"

#include <errno.h>

static const char *const names[] = { "", "tar", "ZIP", "7z" };

/* ---- forms ---- */

enum { BLOCK = 512 }; /* bytes of a block of tar */

static bool begins(struct sh_slice s, const char *with, size_t n)
{
	return s.n >= n && memcmp(s.p, with, n) == 0;
}

/* Returns whether the head is that of a tar file. The sum of its first 512 bytes, with blanks in
 * place of the checksum, must equal the checksum: octal digits, which blanks may precede. All forms
 * of tar have a checksum, and the oldest form has no other mark. */
static bool is_tar(struct sh_slice head)
{
	enum { SUM = 148, SUM_END = 156 };
	unsigned long sum = ' ' * (SUM_END - SUM), says = 0;
	size_t at = SUM;

	if (head.n < BLOCK || head.p[0] == '\0')
		return false;
	for (size_t i = 0; i < BLOCK; i++)
		sum += i < SUM || i >= SUM_END ? (unsigned char)head.p[i] : 0;
	while (at < SUM_END && head.p[at] == ' ')
		at++;
	for (; at < SUM_END && head.p[at] >= '0' && head.p[at] <= '7'; at++)
		says = says * 8 + (unsigned long)(head.p[at] - '0');
	return says == sum;
}

/* Returns whether the ZIP file is an office document, by the name of its first member. Standards
 * fix this name for e-books and OpenDocument. Other office documents begin with a file of XML in
 * one of a few folders. */
static bool is_office(struct sh_slice head)
{
	static const char *const names_of[] = { "[Content_Types].xml", "mimetype" };
	static const char *const folders[] = { "_rels/", "docProps/", "word/", "xl/", "ppt/" };
	enum { NAME_SIZE = 26, NAME = 30 };
	const char *p = head.p + NAME;
	size_t n;

	if (head.n < NAME)
		return false;
	n = (unsigned char)head.p[NAME_SIZE] | (size_t)(unsigned char)head.p[NAME_SIZE + 1] << 8;
	n = n < head.n - NAME ? n : head.n - NAME;
	for (size_t i = 0; i < sizeof names_of / sizeof *names_of; i++)
		if (sh_slice_eq(sh_slice(p, n), sh_slice_str(names_of[i])))
			return true;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (begins(sh_slice(p, n), folders[i], strlen(folders[i])) && n > 4 &&
		    (memcmp(p + n - 4, ".xml", 4) == 0 || memcmp(p + n - 5, ".rels", 5) == 0))
			return true;
	return false;
}

enum sh_container_form sh_container_of(struct sh_slice head)
{
	if (begins(head, "7z\xBC\xAF\x27\x1C", 6))
		return SH_CONTAINER_7Z;
	if (begins(head, "PK\5\6", 4))
		return SH_CONTAINER_ZIP;
	if (begins(head, "PK\3\4", 4))
		return is_office(head) ? SH_CONTAINER_NONE : SH_CONTAINER_ZIP;
	return is_tar(head) ? SH_CONTAINER_TAR : SH_CONTAINER_NONE;
}

#ifdef SH_HAVE_ARCHIVE
#include <archive.h>
#include <archive_entry.h>

enum { STEP = 64 * 1024 };

/* ---- the input, as libarchive asks for it ---- */

/* Reports to libarchive the read error that c->failed holds. */
static int refuse(struct sh_container *c)
{
	archive_set_error(c->archive, EIO, "%s", "the input failed");
	return ARCHIVE_FATAL;
}

static void count_zeros(struct sh_container *c, struct sh_slice s)
{
	size_t n = 0;

	while (n < s.n && n < BLOCK && s.p[s.n - 1 - n] == '\0')
		n++;
	c->zeros = n < s.n ? n : c->zeros < BLOCK ? c->zeros + n : BLOCK;
}

/* Sets *p to the next bytes of a tar file: the bytes that are ready, or one further read. Returns
 * their number, 0 at the end, or ARCHIVE_FATAL. */
static la_ssize_t give_stream(struct sh_container *c, const void **p)
{
	struct sh_slice ready;

	if (sh_reader_need(c->reader, 1, &c->failed) < 0)
		return refuse(c);
	ready = sh_reader_ready(c->reader);
	sh_reader_consume(c->reader, ready.n);
	c->size += ready.n;
	count_zeros(c, ready);
	*p = ready.p;
	return (la_ssize_t)ready.n;
}

static la_ssize_t give_piece(struct sh_container *c, const void **p)
{
	ssize_t got = 0;

	if (c->at >= c->size)
		return 0;
	if (c->in_place) {
		got = sh_reader_at(c->reader, c->at, c->block.p, STEP, &c->failed);
		*p = c->block.p;
	} else {
		got = c->size - c->at < STEP ? (ssize_t)(c->size - c->at) : STEP;
		*p = sh_reader_ready(c->reader).p + c->at;
	}
	if (got < 0)
		return refuse(c);
	c->at += (uint64_t)got;
	return got;
}

/* Gives libarchive the next bytes (archive_read_callback). The bytes before the first member are
 * the directory. libarchive holds the directory in memory, so its size is limited. */
static la_ssize_t give(struct archive *a, void *container, const void **p)
{
	struct sh_container *c = container;
	la_ssize_t got;

	(void)a;
	if (c->form == SH_CONTAINER_TAR)
		return give_stream(c, p);
	got = give_piece(c, p);
	if (got > 0 && !c->begun) {
		c->directory += (size_t)got;
		if (c->directory > SH_CONTAINER_DIRECTORY) {
			sh_error_set(&c->failed, SH_ERR_IO,
			    "the directory of the %s file is larger than %zu MiB", names[c->form],
			    SH_CONTAINER_DIRECTORY >> 20);
			return refuse(c);
		}
	}
	return got;
}

static la_int64_t move(struct archive *a, void *container, la_int64_t by, int whence)
{
	struct sh_container *c = container;
	la_int64_t from = whence == SEEK_SET   ? 0
			  : whence == SEEK_CUR ? (la_int64_t)c->at
					       : (la_int64_t)c->size;

	(void)a;
	if (by < -from || from > INT64_MAX - (by > 0 ? by : 0))
		return ARCHIVE_FATAL;
	c->at = (uint64_t)(from + by);
	return from + by;
}

/* ---- calls of libarchive ---- */

/* Begins a call of libarchive: sets the locale c->utf8 and the limit of memory. Returns the locale
 * for leave(). */
static locale_t enter(struct sh_container *c)
{
	if (c->form != SH_CONTAINER_TAR)
		sh_ceiling_set(&c->ceiling, SH_CONTAINER_MEMORY);
	return c->utf8 ? uselocale(c->utf8) : (locale_t)0;
}

static void leave(struct sh_container *c, locale_t before)
{
	if (c->utf8)
		uselocale(before);
	sh_ceiling_lift(&c->ceiling);
}

/* Fills *err with the reason of libarchive for the failure of its last call. Returns -1. */
static int fail(struct sh_container *c, struct sh_error *err)
{
	const char *why = archive_error_string(c->archive);

	if (c->failed.code != SH_OK) {
		*err = c->failed;
		return -1;
	}
	if (archive_errno(c->archive) == ENOMEM)
		return sh_error_set(err, SH_ERR_IO, "the %s file needs more than %zu MiB of memory",
		    names[c->form], SH_CONTAINER_MEMORY >> 20);
	return sh_error_set(err, SH_ERR_IO, "the %s file is damaged or cut short (%s)%s",
	    names[c->form], why ? why : "no reason given",
	    c->broken ? "; what follows cannot be read" : "");
}

static int check_ratio(struct sh_container *c, struct sh_error *err)
{
	unsigned ratio = c->form == SH_CONTAINER_TAR ? SH_CONTAINER_TAR_RATIO : SH_CONTAINER_RATIO;
	uint64_t in = c->form == SH_CONTAINER_TAR || c->size < c->reader->raw || !c->reader->raw
			  ? c->size
			  : c->reader->raw;

	if (c->out <= SH_READER_FREE || c->out / ratio <= in)
		return 0;
	c->broken = true;
	return sh_error_set(err, SH_ERR_IO,
	    "the members of the %s file have more than %u times its size, and more than %llu MiB: "
	    "a decompression bomb?",
	    names[c->form], ratio, (unsigned long long)(SH_READER_FREE >> 20));
}

ssize_t sh_container_read(void *container, void *p, size_t n, struct sh_error *err)
{
	struct sh_container *c = container;
	locale_t before;
	la_ssize_t got;

	if (check_ratio(c, err) < 0)
		return -1;
	before = enter(c);
	got = archive_read_data(c->archive, p, n);
	leave(c, before);
	c->unread = got > 0;
	c->broken = c->broken || got == ARCHIVE_FATAL || got == ARCHIVE_RETRY;
	return got < 0 ? fail(c, err) : (ssize_t)got;
}

/* Reads the rest of a member of a 7z file, whose members are compressed together. These bytes count
 * against the container's limit. */
static int drain(struct sh_container *c, struct sh_error *err)
{
	char rest[8192];
	ssize_t got = 1;

	while (c->form == SH_CONTAINER_7Z && c->unread && got > 0) {
		got = sh_container_read(c, rest, sizeof rest, err);
		c->out += got > 0 ? (uint64_t)got : 0;
	}
	return c->broken ? -1 : check_ratio(c, err);
}

/* Checks that a tar file ends with blocks of zeros. libarchive does not notice a file that was cut
 * between two members. */
static int check_end(struct sh_container *c, struct sh_error *err)
{
	struct sh_slice rest;

	if (c->form != SH_CONTAINER_TAR)
		return 0;
	do {
		if (sh_reader_need(c->reader, 1, err) < 0)
			return -1;
		rest = sh_reader_ready(c->reader);
		sh_reader_consume(c->reader, rest.n);
		count_zeros(c, rest);
	} while (rest.n);
	return c->zeros >= BLOCK
		   ? 0
		   : sh_error_set(err, SH_ERR_IO, "the tar file is cut short: its end is missing");
}

static enum sh_member_kind kind_of(struct archive_entry *entry)
{
	if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) == AE_IFLNK)
		return SH_MEMBER_LINK;
	switch (archive_entry_filetype(entry)) {
	case AE_IFREG:
	case 0: /* some programs write ZIP files without file types */
		return SH_MEMBER_FILE;
	case AE_IFDIR:
		return SH_MEMBER_FOLDER;
	default:
		return SH_MEMBER_SPECIAL;
	}
}

int sh_container_next(struct sh_container *c, struct sh_error *err)
{
	bool perhaps = !c->begun || c->encrypted, found;
	struct archive_entry *entry;
	locale_t before;
	int got;

	if (drain(c, err) < 0)
		return -1;
	before = enter(c);
	got = archive_read_next_header(c->archive, &entry);
	found = got == ARCHIVE_OK || got == ARCHIVE_WARN;
	c->begun = true;
	c->encrypted = found && archive_entry_is_encrypted(entry) > 0;
	c->unread = found && !c->encrypted;
	if (found) {
		c->name = archive_entry_pathname(entry);
		c->kind = kind_of(entry);
	}
	leave(c, before);
	if (found)
		return 1;
	if (got == ARCHIVE_EOF)
		return check_end(c, err);
	c->broken = true;
	if (perhaps && archive_read_has_encrypted_entries(c->archive) > 0)
		return sh_error_set(err, SH_ERR_IO,
		    "the %s file is encrypted; what follows cannot be read", names[c->form]);
	return fail(c, err);
}

/* ---- opening and closing ---- */

/* Decides how libarchive will read the input: in place, or from memory. */
static int find_input(struct sh_container *c, size_t max_size, struct sh_error *err)
{
	if (c->form == SH_CONTAINER_TAR)
		return 0;
	c->in_place = sh_reader_seekable(c->reader, &c->size);
	if (c->in_place)
		return 0;
	if (sh_reader_need(c->reader, max_size + 1, err) < 0)
		return -1;
	c->size = sh_reader_ready(c->reader).n;
	return c->size <= max_size
		   ? 0
		   : sh_error_set(err, SH_ERR_RECORD,
			 "the %s file is no regular file, and larger than %zu bytes "
			 "(--max-size SIZE allows more)",
			 names[c->form], max_size);
}

/* Enables the reader of this form alone. No filter is enabled, so libarchive decompresses no
 * container. Returns a code of libarchive. */
static int choose(struct sh_container *c)
{
	int got;

	if (c->form == SH_CONTAINER_ZIP)
		return archive_read_support_format_zip_seekable(c->archive);
	if (c->form == SH_CONTAINER_7Z)
		return archive_read_support_format_7zip(c->archive);
	got = archive_read_support_format_tar(c->archive);
	return got == ARCHIVE_OK
		   ? archive_read_set_option(c->archive, "tar", "read_concatenated_archives", "1")
		   : got;
}

int sh_container_open(struct sh_container *c, enum sh_container_form form, struct sh_reader *r,
    size_t max_size, struct sh_error *err)
{
	locale_t before;
	int got;

	*c = (struct sh_container){ .form = form, .reader = r, .ceiling = { .fd = -1 } };
	if (find_input(c, max_size, err) < 0 || sh_buf_reserve(&c->block, STEP, err) < 0)
		return -1;
	c->archive = archive_read_new();
	if (!c->archive)
		return sh_error_nomem(err);
	c->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	sh_ceiling_open(&c->ceiling);
	if (choose(c) != ARCHIVE_OK ||
	    archive_read_set_read_callback(c->archive, give) != ARCHIVE_OK ||
	    archive_read_set_callback_data(c->archive, c) != ARCHIVE_OK ||
	    (form != SH_CONTAINER_TAR &&
		archive_read_set_seek_callback(c->archive, move) != ARCHIVE_OK))
		return fail(c, err);
	before = enter(c);
	got = archive_read_open1(c->archive);
	leave(c, before);
	return got == ARCHIVE_OK ? 0 : fail(c, err);
}

void sh_container_close(struct sh_container *c)
{
	if (c->archive)
		archive_read_free(c->archive);
	if (c->utf8)
		freelocale(c->utf8);
	sh_ceiling_close(&c->ceiling);
	sh_buf_free(&c->block);
}
#else
int sh_container_open(struct sh_container *c, enum sh_container_form form, struct sh_reader *r,
    size_t max_size, struct sh_error *err)
{
	(void)r;
	(void)max_size;
	*c = (struct sh_container){ .form = form };
	return sh_error_set(err, SH_ERR_IO,
	    "a %s file: built without libarchive (install libarchive-dev and build again)",
	    names[form]);
}

int sh_container_next(struct sh_container *c, struct sh_error *err)
{
	(void)c;
	(void)err;
	return 0;
}

ssize_t sh_container_read(void *container, void *p, size_t n, struct sh_error *err)
{
	(void)container;
	(void)p;
	(void)n;
	(void)err;
	return 0;
}

void sh_container_close(struct sh_container *c)
{
	(void)c;
}
#endif
