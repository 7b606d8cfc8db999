/* SPDX-License-Identifier: MIT */
/* A folder whose files change together, such as an archive.
 *
 * New files get new names, and are synced when they are closed. Then sh_folder_publish() renames
 * the file that lists the names of all files, and syncs the folder before and after. A reader that
 * starts from the list sees the old state or the new state, also after a crash of the system. */
#ifndef SH_IO_FOLDER_H
#define SH_IO_FOLDER_H

#include "io/mapped.h"
#include "io/sink.h"

struct sh_folder {
	const char *path;      /* for messages; borrowed */
	int fd, lock;          /* descriptors; -1: none */
	const char *lock_name; /* the file to lock, at first "lock"; the caller may change it */
};

/* create: creates a missing folder, and syncs the folder above. */
int sh_folder_open(struct sh_folder *f, const char *path, bool create, struct sh_error *err);
void sh_folder_close(struct sh_folder *f);

/* Locks the folder by flock(2) of the file f->lock_name. alone: exclusively; otherwise shared with
 * other readers. The lock ends when the folder is closed or the process ends. SH_ERR_PARAM: another
 * process has kept the lock for `wait` seconds.
 *
 * The lock is lost when somebody removes the locked file: another process can lock a new file. Then
 * sh_folder_has() and the functions that create, publish or remove files fail with SH_ERR_PARAM. */
int sh_folder_lock(struct sh_folder *f, bool alone, uint64_t wait, struct sh_error *err);

/* Gives the lock back. sh_folder_lock() may be called again. */
void sh_folder_unlock(struct sh_folder *f);

/* Returns whether the path still leads to the open folder. Somebody may have moved the folder. */
bool sh_folder_in_place(const struct sh_folder *f);

/* Calls `each` with each name in the folder except . and .., in any order. A nonzero result of
 * `each` ends the list and is returned. Otherwise returns 0, or -1 for an unreadable folder. */
typedef int sh_folder_name(void *arg, const char *name, struct sh_error *err);
int sh_folder_list(
    const struct sh_folder *f, sh_folder_name *each, void *arg, struct sh_error *err);

/* Reads a whole file into an empty buffer. Returns 1, 0 when there is no such file, or -1. */
int sh_folder_read(
    const struct sh_folder *f, const char *name, struct sh_buf *all, struct sh_error *err);

/* Returns 1 when the folder has a file of that name, 0 when it has none, or -1. */
int sh_folder_has(const struct sh_folder *f, const char *name, struct sh_error *err);

/* Removes a file. A missing file is no error. */
int sh_folder_remove(const struct sh_folder *f, const char *name, struct sh_error *err);

/* Removes a file, unless the lock is lost. Ignores errors. May be called in a signal handler. */
void sh_folder_drop(const struct sh_folder *f, const char *name);

/* Syncs the names in the folder to the disk. */
int sh_folder_sync(const struct sh_folder *f, struct sh_error *err);

/* Syncs the folder, renames the file `from` to `to`, and syncs the folder again. Returns 0 or -1.
 * After -1 the file may be renamed: the second sync may have failed. */
int sh_folder_publish(
    const struct sh_folder *f, const char *from, const char *to, struct sh_error *err);

/* Creates a file to be written. Fails when a file of this name exists. */
int sh_folder_create(
    struct sh_sink *out, const struct sh_folder *f, const char *name, struct sh_error *err);

/* Creates a file with this content, and syncs the file. */
int sh_folder_put(
    const struct sh_folder *f, const char *name, const void *p, size_t n, struct sh_error *err);

/* Maps a file for reading. SH_ERR_RECORD: the file is missing, or does not have `size` bytes. */
int sh_folder_map(struct sh_mapped *m, const struct sh_folder *f, const char *name, uint64_t size,
    struct sh_error *err);

#endif
