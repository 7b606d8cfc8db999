/* SPDX-License-Identifier: MIT */
/* Makes allocations and calls fail, and reads and writes short. t/soak/faults.py preloads it.
 *
 *     FAIL_AT=N      the Nth allocation fails, alone
 *     FAIL_FROM=N    the Nth and all later allocations fail
 *     FAIL_COUNT=F   writes the number of allocations to the file F at the end
 *     SHORT=SEED     read, write, pread process 1 to 6 bytes at a time, or are interrupted
 *     FAIL_CALL=NAME:N:ERRNO  the Nth call of this function, in any thread, fails, and a byte is
 *                    written to the file FAIL_MARK
 *     SLOW_FORK=1    a new process begins a fifth of a second late
 *     CALL_COUNT=F   writes the number of calls of each function to the file F at the end */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

static atomic_long allocations;
static long fail_at = -1, fail_from = -1;
static _Atomic unsigned state;
static int is_short;

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

/* ---- calls that fail ---- */

enum call { READ, WRITE, PREAD, POLL, PIPE2, PTHREAD_CREATE, OPEN, MMAP, CALLS };

static const char *const call_name[] = { "read", "write", "pread", "poll", "pipe2",
	"pthread_create", "open", "mmap" };
static atomic_long calls[CALLS];
static enum call failing = CALLS;
static long failing_at;
static int failing_with;
static int mark = -1; /* open before the program confines itself */

static void choose_call(void)
{
	const char *text = getenv("FAIL_CALL"), *colon = text ? strchr(text, ':') : NULL;

	if (!colon)
		return;
	for (int i = 0; i < CALLS; i++)
		if (strlen(call_name[i]) == (size_t)(colon - text) &&
		    strncmp(text, call_name[i], (size_t)(colon - text)) == 0)
			failing = (enum call)i;
	failing_at = atol(colon + 1);
	failing_with = atoi(strchr(colon + 1, ':') + 1);
}

static void count_calls(const char *path)
{
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	for (int i = 0; i < CALLS; i++)
		fprintf(f, "%s %ld\n", call_name[i], (long)atomic_load(&calls[i]));
	fclose(f);
}

/* Counts the call. Returns whether the call must fail, and sets errno if so. */
static int call_fails(enum call call)
{
	long n = atomic_fetch_add(&calls[call], 1) + 1;

	if (call != failing || n != failing_at)
		return 0;
	if (mark >= 0)
		syscall(SYS_write, mark, "1", 1);
	errno = failing_with;
	return 1;
}

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("FAIL_MARK");

	if (path)
		mark = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	choose_call();
	fail_at = number("FAIL_AT", -1);
	fail_from = number("FAIL_FROM", -1);
	is_short = getenv("SHORT") != NULL;
	state = (unsigned)number("SHORT", 0) * 2654435761u + 1;
	atomic_store(&allocations, 0);
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_COUNT");
	int fd;

	failing = CALLS;
	count_calls(getenv("CALL_COUNT"));
	fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
	if (fd >= 0) {
		dprintf(fd, "%ld\n", (long)atomic_load(&allocations));
		close(fd);
	}
}

/* Returns whether the caller of an allocation is this function of a shared library. */
static int is_from(const void *caller, const char *function)
{
	Dl_info at;

	return dladdr(caller, &at) && at.dli_sname && strcmp(at.dli_sname, function) == 0;
}

static int fails(const void *caller)
{
	long n = atomic_fetch_add(&allocations, 1) + 1;

	if (n != fail_at && (fail_from < 0 || n < fail_from))
		return 0;
	/* libxml2 2.9.14 recurses without end. shdoc frees more than this just before. */
	if (is_from(caller, "xmlGetGlobalState"))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t align, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
	if (fails(__builtin_return_address(0)))
		return ENOMEM;
	*p = __libc_memalign(align, n);
	return *p ? 0 : ENOMEM;
}

/* ---- short reads and writes ---- */

static unsigned next(void)
{
	unsigned x = atomic_fetch_add(&state, 2654435769u);

	x = (x ^ x >> 16) * 0x45d9f3bu;
	return x ^ x >> 16;
}

/* Returns how many of n bytes to process, or -1 with errno. A regular file is always ready. */
static ssize_t few(int fd, size_t n)
{
	unsigned k = next() % 8;
	struct stat st;

	if (!is_short)
		return (ssize_t)n;
	if (k == 7 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		k = 6;
	if (k >= 6) {
		errno = k == 6 ? EINTR : EAGAIN;
		return -1;
	}
	return n < k + 1 ? (ssize_t)n : (ssize_t)k + 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t read(int fd, void *p, size_t n)
{
	static __typeof__(&read) real;
	ssize_t k;

	if (!real)
		real = REAL(read);
	k = call_fails(READ) ? -1 : few(fd, n);
	return k < 0 ? -1 : real(fd, p, (size_t)k);
}

ssize_t write(int fd, const void *p, size_t n)
{
	static __typeof__(&write) real;
	ssize_t k;

	if (!real)
		real = REAL(write);
	k = call_fails(WRITE) ? -1 : few(fd, n);
	return k < 0 ? -1 : real(fd, p, (size_t)k);
}

ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
	static __typeof__(&pread64) real;
	ssize_t k;

	if (!real)
		real = REAL(pread64);
	k = call_fails(PREAD) ? -1 : few(fd, n);
	return k < 0 ? -1 : real(fd, p, n < (size_t)k ? n : (size_t)k, at);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	return pread64(fd, p, n, at);
}

int poll(struct pollfd *p, nfds_t n, int timeout)
{
	static __typeof__(&poll) real;

	if (!real)
		real = REAL(poll);
	return call_fails(POLL) ? -1 : real(p, n, timeout);
}

int pipe2(int fd[2], int flags)
{
	static __typeof__(&pipe2) real;

	if (!real)
		real = REAL(pipe2);
	return call_fails(PIPE2) ? -1 : real(fd, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	static __typeof__(&pthread_create) real;

	if (!real)
		real = REAL(pthread_create);
	return call_fails(PTHREAD_CREATE) ? failing_with : real(thread, attr, fn, arg);
}

pid_t fork(void)
{
	static __typeof__(&fork) real;
	pid_t pid;

	if (!real)
		real = REAL(fork);
	pid = real();
	if (pid == 0 && getenv("SLOW_FORK"))
		usleep(200000);
	return pid;
}

int open64(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	va_list ap;
	mode_t mode = 0;

	if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	if (!real)
		real = REAL(open64);
	return call_fails(OPEN) ? -1 : real(path, flags, mode);
}

void *mmap64(void *p, size_t n, int protection, int flags, int fd, off64_t at)
{
	static __typeof__(&mmap64) real;

	if (!real)
		real = REAL(mmap64);
	return call_fails(MMAP) ? MAP_FAILED : real(p, n, protection, flags, fd, at);
}
