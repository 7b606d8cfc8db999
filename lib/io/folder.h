/* A folder whose files are replaced as one: what an archive lies in.
 *
 * New files are written under names that nobody refers to yet, synced when they are closed;
 * sh_folder_publish() then puts one file in another's place by rename, and syncs the folder before
 * and after. Who finds everything through that one file sees the old state or the new one, never
 * another, and after a crash of the system, too. */
#ifndef SH_IO_FOLDER_H
#define SH_IO_FOLDER_H

#include "base/buf.h"

struct sh_folder {
	const char *path;      /* borrowed, as messages say it */
	int fd, lock;          /* -1 when there is none */
	const char *lock_name; /* of the file that sh_folder_lock() locks: "lock" */
};

/* create: make it when it is not there, for good. */
int sh_folder_open(struct sh_folder *f, const char *path, bool create, struct sh_error *err);
void sh_folder_close(struct sh_folder *f);

/* Lock the folder by its file f->lock_name (flock), for oneself or with other readers, after at most
 * `wait` seconds. The lock goes with the folder's closing or the program's end, however it ends.
 * SH_ERR_PARAM: it stayed locked.
 *
 * Who removes that file while it is locked lets others in, who lock a new one. So from then on
 * nothing is created in the folder by this one, put in place or removed: SH_ERR_PARAM. */
int sh_folder_lock(struct sh_folder *f, bool alone, uint64_t wait, struct sh_error *err);

/* Whether the path still leads to it: it may have been moved since, and another put there. */
bool sh_folder_in_place(const struct sh_folder *f);

/* The names in it, but for . and .., in no order; stops when the function returns nonzero, and
 * returns that, or -1. */
typedef int sh_folder_name(void *arg, const char *name, struct sh_error *err);
int sh_folder_list(
    const struct sh_folder *f, sh_folder_name *each, void *arg, struct sh_error *err);

/* The whole of a small file into an empty buffer: 1, 0 when there is none, -1. */
int sh_folder_read(
    const struct sh_folder *f, const char *name, struct sh_buf *all, struct sh_error *err);

/* Returns 1 when the folder has a file of that name, 0 when it has none, -1 on failure. A lock that was
 * lost is a failure. */
int sh_folder_has(const struct sh_folder *f, const char *name, struct sh_error *err);

/* A file that is not there is no error. */
int sh_folder_remove(const struct sh_folder *f, const char *name, struct sh_error *err);

/* The same without a word; may be called by a signal's handler. */
void sh_folder_drop(const struct sh_folder *f, const char *name);

/* The names in it to the disk. */
int sh_folder_sync(const struct sh_folder *f, struct sh_error *err);

int sh_folder_publish(
    const struct sh_folder *f, const char *from, const char *to, struct sh_error *err);

/* ---- a file that is being written ---- */

struct sh_folder_file {
	const struct sh_folder *folder;
	char name[32];
	int fd;
	uint64_t size; /* what was written so far */
	struct sh_buf buf;
};

/* Fails when there is a file of that name. */
int sh_folder_create(
    struct sh_folder_file *out, const struct sh_folder *f, const char *name, struct sh_error *err);
int sh_folder_write(struct sh_folder_file *out, const void *p, size_t n, struct sh_error *err);

/* Writes what was added so far to the disk. The file stays open. */
int sh_folder_flush(struct sh_folder_file *out, struct sh_error *err);

/* Everything to the disk. The file is freed in any case. */
int sh_folder_finish(struct sh_folder_file *out, struct sh_error *err);

/* Without a word; a zeroed one is nothing. */
void sh_folder_abandon(struct sh_folder_file *out);

/* The whole of a file at once, to the disk. */
int sh_folder_put(
    const struct sh_folder *f, const char *name, const void *p, size_t n, struct sh_error *err);

/* ---- a file that is looked at here and there ---- */

struct sh_folder_map {
	const char *p;
	size_t n;
};

/* The file must have so many bytes: SH_ERR_RECORD when it has not. */
int sh_folder_map(struct sh_folder_map *m, const struct sh_folder *f, const char *name,
    uint64_t size, struct sh_error *err);
void sh_folder_unmap(struct sh_folder_map *m);

/* These n bytes, in ascending order, will be looked at soon: have their pages read, as far as
 * they are not in memory, all at the same time. */
void sh_folder_fetch(const struct sh_folder_map *m, const size_t *at, size_t n);

/* It will be read from end to end, or here and there. */
void sh_folder_expect(const struct sh_folder_map *m, bool whole);

#endif
