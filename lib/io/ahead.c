/* SPDX-License-Identifier: MIT */
#include "io/ahead.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of text of a file that are read ahead. */
enum { PLAIN = 1 << 18, PACKED = 1 << 22 };

struct file {
	const char *name;
	struct sh_reader reader;
	bool busy; /* a thread reads it ahead */
	bool open; /* `reader` is open */
};

struct sh_ahead {
	char *const *names;
	size_t n_names;
	pthread_mutex_t lock; /* of all fields below, except of a busy or taken file */
	pthread_cond_t changed;
	size_t taken;      /* the file that was taken last; at first the first file to take */
	size_t next;       /* the next file to read ahead */
	struct file *file; /* a ring: file i is file[i % n_files] */
	size_t n_files;
};

struct sh_ahead *sh_ahead_new(char *const *names, size_t n, size_t first, unsigned threads)
{
	struct sh_ahead *a = calloc(1, sizeof *a);

	if (!a)
		return NULL;
	*a = (struct sh_ahead){ .names = names, .n_names = n, .taken = first, .next = first };
	a->n_files = (size_t)threads + 1;
	a->file = calloc(a->n_files, sizeof *a->file);
	if (!a->file) {
		free(a);
		return NULL;
	}
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	return a;
}

static void close_file(struct file *f)
{
	if (!f->open)
		return;
	sh_reader_close(&f->reader);
	f->open = false;
}

void sh_ahead_delete(struct sh_ahead *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n_files; i++)
		close_file(&a->file[i]);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a->file);
	free(a);
}

static int open_regular(const char *name)
{
	struct stat st;

	if (stat(name, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Returns whether the file is open now. */
static bool begin(struct file *f)
{
	struct sh_error ignored;
	int fd = strcmp(f->name, "-") == 0 ? -1 : open_regular(f->name);

	/* The reader closes the file at its end: later files may need the descriptor. */
	if (fd < 0 || sh_reader_open_fd(&f->reader, fd, f->name, &ignored) < 0)
		return false;
	/* A failure is kept by the reader, behind the bytes that are ready. */
	(void)sh_reader_need(&f->reader, f->reader.codec ? PACKED : PLAIN, &ignored);
	return true;
}

/* Returns the file to read ahead, busy; NULL when there is none. The caller holds the lock. */
static struct file *next_file(struct sh_ahead *a)
{
	struct file *f = &a->file[a->next % a->n_files];

	if (a->next == a->n_names || a->next >= a->taken + a->n_files)
		return NULL;
	f->name = a->names[a->next++];
	f->busy = true;
	return f;
}

/* As sh_ahead_work(). The caller holds the lock, which is released while the file is read. */
static bool work(struct sh_ahead *a)
{
	struct file *f = next_file(a);

	if (!f)
		return false;
	pthread_mutex_unlock(&a->lock);
	f->open = begin(f);
	pthread_mutex_lock(&a->lock);
	f->busy = false;
	pthread_cond_broadcast(&a->changed);
	return true;
}

bool sh_ahead_work(struct sh_ahead *a)
{
	bool worked;

	pthread_mutex_lock(&a->lock);
	worked = work(a);
	pthread_mutex_unlock(&a->lock);
	return worked;
}

/* Waits until no thread reads file i ahead. Meanwhile reads other files. The caller holds the lock.
 * Returns the file, or NULL when file i was not read ahead. */
static struct file *finished(struct sh_ahead *a, size_t i)
{
	struct file *f = &a->file[i % a->n_files];

	if (i >= a->next)
		return NULL;
	while (f->busy)
		if (!work(a))
			pthread_cond_wait(&a->changed, &a->lock);
	return f;
}

struct sh_reader *sh_ahead_take(struct sh_ahead *a, size_t i)
{
	struct file *f;

	pthread_mutex_lock(&a->lock);
	for (; a->taken < i; a->taken++) {
		f = finished(a, a->taken);
		if (f)
			close_file(f);
	}
	f = finished(a, i);
	if (!f)
		a->next = i + 1;
	pthread_mutex_unlock(&a->lock);
	return f && f->open ? &f->reader : NULL;
}
