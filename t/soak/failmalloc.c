/* Allocations that fail, and calls that do little: preloaded by t/soak/faults.py.
 *
 *     FAIL_AT=N      the Nth allocation fails, alone
 *     FAIL_FROM=N    it and all after it
 *     FAIL_COUNT=F   how many there were goes to the file F at the end
 *     SHORT=SEED     read, write, pread take 1 to 6 bytes at a time, or are interrupted */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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

__attribute__((constructor)) static void start(void)
{
	fail_at = number("FAIL_AT", -1);
	fail_from = number("FAIL_FROM", -1);
	is_short = getenv("SHORT") != NULL;
	state = (unsigned)number("SHORT", 0) * 2654435761u + 1;
	atomic_store(&allocations, 0);
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_COUNT");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd >= 0) {
		dprintf(fd, "%ld\n", (long)atomic_load(&allocations));
		close(fd);
	}
}

static int fails(void)
{
	long n = atomic_fetch_add(&allocations, 1) + 1;

	if (n != fail_at && (fail_from < 0 || n < fail_from))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails() ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t align, size_t n)
{
	return fails() ? NULL : __libc_memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
	if (fails())
		return ENOMEM;
	*p = __libc_memalign(align, n);
	return *p ? 0 : ENOMEM;
}

/* ---- calls that do little ---- */

static unsigned next(void)
{
	unsigned x = atomic_fetch_add(&state, 2654435769u);

	x = (x ^ x >> 16) * 0x45d9f3bu;
	return x ^ x >> 16;
}

/* How many of n bytes, or -1 with errno. A regular file is always ready. */
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
	ssize_t k = few(fd, n);

	if (!real)
		real = REAL(read);
	return k < 0 ? -1 : real(fd, p, (size_t)k);
}

ssize_t write(int fd, const void *p, size_t n)
{
	static __typeof__(&write) real;
	ssize_t k = few(fd, n);

	if (!real)
		real = REAL(write);
	return k < 0 ? -1 : real(fd, p, (size_t)k);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	static __typeof__(&pread) real;
	ssize_t k = few(fd, n);

	if (!real)
		real = REAL(pread);
	return k < 0 ? -1 : real(fd, p, n < (size_t)k ? n : (size_t)k, at);
}
