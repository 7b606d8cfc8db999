/* A folder whose files change together: that of an archive.
 *
 * New files get names that no other file refers to yet. They are synced when they are closed. Then
 * sh_folder_publish() renames one file, which refers to them, and syncs the folder before and after. A
 * reader that starts from this file sees the old state or the new one, also after a crash of the system. */
#ifndef SH_IO_FOLDER_H
#define SH_IO_FOLDER_H

#include "base/buf.h"

struct sh_folder {
	const char *path;      /* borrowed; as messages print it */
	int fd, lock;          /* -1 when there is none */
	const char *lock_name; /* of the file that sh_folder_lock() locks: "lock" */
};

/* create: creates a folder that does not exist, and syncs its name. */
int sh_folder_open(struct sh_folder *f, const char *path, bool create, struct sh_error *err);
void sh_folder_close(struct sh_folder *f);

/* Locks the folder by the file f->lock_name (flock). alone: exclusively; otherwise shared with other
 * readers. Waits at most `wait` seconds. The lock ends when the folder is closed or the process ends.
 * SH_ERR_PARAM: another process kept the lock.
 *
 * When somebody removes the locked file, another process can lock a new one. The functions that create,
 * publish or remove files check this, and then fail with SH_ERR_PARAM. */
int sh_folder_lock(struct sh_folder *f, bool alone, uint64_t wait, struct sh_error *err);

/* Returns whether the path still leads to the open folder: it may have been moved or replaced. */
bool sh_folder_in_place(const struct sh_folder *f);

/* Calls the function with each name in the folder except . and .., in no order. Stops when it returns
 * nonzero, and returns that; -1 when the folder cannot be read. */
typedef int sh_folder_name(void *arg, const char *name, struct sh_error *err);
int sh_folder_list(
    const struct sh_folder *f, sh_folder_name *each, void *arg, struct sh_error *err);

/* Reads a small file into an empty buffer. Returns 1, 0 when there is no such file, or -1. */
int sh_folder_read(
    const struct sh_folder *f, const char *name, struct sh_buf *all, struct sh_error *err);

/* Returns 1 when the folder has a file of that name, 0 when it has none, -1 on failure. A lock that was
 * lost is a failure. */
int sh_folder_has(const struct sh_folder *f, const char *name, struct sh_error *err);

/* Removes a file. A missing file is no error. */
int sh_folder_remove(const struct sh_folder *f, const char *name, struct sh_error *err);

/* Removes a file and ignores errors. A signal handler may call it. */
void sh_folder_drop(const struct sh_folder *f, const char *name);

/* Syncs the names in the folder to the disk. */
int sh_folder_sync(const struct sh_folder *f, struct sh_error *err);

/* Syncs the folder, renames the file `from` to `to`, and syncs the folder again. Returns 0 or -1. Nothing was
 * renamed when the lock was lost. When the second sync fails, the file was renamed already. */
int sh_folder_publish(
    const struct sh_folder *f, const char *from, const char *to, struct sh_error *err);

/* ---- writing a file ---- */

struct sh_folder_file {
	const struct sh_folder *folder;
	char name[32];
	int fd;
	uint64_t size; /* bytes written so far */
	struct sh_buf buf;
};

/* Creates a file. Fails when a file of this name exists. */
int sh_folder_create(
    struct sh_folder_file *out, const struct sh_folder *f, const char *name, struct sh_error *err);
int sh_folder_write(struct sh_folder_file *out, const void *p, size_t n, struct sh_error *err);

/* Writes all added bytes to the disk. The file stays open. */
int sh_folder_flush(struct sh_folder_file *out, struct sh_error *err);

/* Writes all added bytes to the disk, and closes the file. Frees *out, also after a failure. */
int sh_folder_finish(struct sh_folder_file *out, struct sh_error *err);

/* Closes the file without a message. Does nothing with a zeroed struct. */
void sh_folder_abandon(struct sh_folder_file *out);

/* Creates a file with this content, on the disk. */
int sh_folder_put(
    const struct sh_folder *f, const char *name, const void *p, size_t n, struct sh_error *err);

/* ---- a mapped file ---- */

struct sh_folder_map {
	const char *p;
	size_t n;
};

/* Maps a file, which must have `size` bytes: otherwise SH_ERR_RECORD. */
int sh_folder_map(struct sh_folder_map *m, const struct sh_folder *f, const char *name,
    uint64_t size, struct sh_error *err);
void sh_folder_unmap(struct sh_folder_map *m);

/* Announces that the pages at n ascending offsets will be read soon. The system reads all missing pages at
 * the same time. */
void sh_folder_fetch(const struct sh_folder_map *m, const size_t *at, size_t n);

/* Announces how the file will be read. whole: from end to end; otherwise at random places. */
void sh_folder_expect(const struct sh_folder_map *m, bool whole);

#endif
