#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TERMINAL_SECONDS 0.2
#define LOG_SECONDS      5.0

enum { AMOUNT_CHARS = 48 };

/* Whether standard error is a terminal on which a line can be written over. */
static bool on_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

double progress_seconds(const struct progress *p)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - p->begun.tv_sec) +
	       (double)(now.tv_nsec - p->begun.tv_nsec) / 1e9;
}

/* What can still be read of an operand; 0 where only the end will tell. */
static uint64_t size_of(const char *operand)
{
	struct stat st;
	off_t at = 0;
	int got;

	if (strcmp(operand, "-") == 0) {
		got = fstat(STDIN_FILENO, &st);
		at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	} else {
		got = stat(operand, &st);
	}
	if (got < 0 || !S_ISREG(st.st_mode) || at < 0 || at > st.st_size)
		return 0;
	return (uint64_t)(st.st_size - at);
}

static uint64_t size_of_all(char *const *operands, size_t n)
{
	uint64_t total = n ? 0 : size_of("-");

	for (size_t i = 0; i < n; i++) {
		uint64_t size = size_of(operands[i]);

		if (size == 0)
			return 0;
		total += size;
	}
	return total;
}

void progress_start(
    struct progress *p, const char *name, char *const *operands, size_t n, bool asked, bool unasked)
{
	bool terminal = on_terminal();

	*p = (struct progress){
		.name = name,
		.asked = asked,
		.shown = asked || (unasked && terminal),
		.terminal = terminal,
	};
	clock_gettime(CLOCK_MONOTONIC, &p->begun);
	if (p->shown)
		p->total = size_of_all(operands, n);
}

void progress_clear(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}

static bool due(struct progress *p)
{
	double now;

	if (!p->shown)
		return false;
	now = progress_seconds(p);
	if (now - p->last < (p->terminal ? TERMINAL_SECONDS : LOG_SECONDS))
		return false;
	p->last = now;
	return true;
}

/* 999 B, 1.50 kB, 23.4 GB: three digits. */
static const char *amount(double bytes, char *to)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	size_t u = 0;

	for (; bytes >= 999.5 && u < 5; u++)
		bytes /= 1000;
	snprintf(to, AMOUNT_CHARS, "%.*f %s",
	    u == 0 || bytes >= 99.95 ? 0
	    : bytes >= 9.995         ? 1
				     : 2,
	    bytes, units[u]);
	return to;
}

static const char *duration(double seconds, char *to)
{
	unsigned long s = (unsigned long)(seconds + 0.5);

	if (s < 60)
		snprintf(to, AMOUNT_CHARS, "%lu s", s);
	else if (s < 3600)
		snprintf(to, AMOUNT_CHARS, "%lu min %lu s", s / 60, s % 60);
	else
		snprintf(to, AMOUNT_CHARS, "%lu h %lu min", s / 3600, s % 3600 / 60);
	return to;
}

static void say_records(const struct progress *p)
{
	fprintf(
	    stderr, ", %llu record%s", (unsigned long long)p->records, p->records == 1 ? "" : "s");
}

static void begin_line(struct progress *p)
{
	progress_clear(p);
	fprintf(stderr, "%s: ", p->name);
}

static void end_line(struct progress *p)
{
	p->drawn = p->terminal;
	if (!p->terminal)
		putc('\n', stderr);
}

void progress_read(struct progress *p, uint64_t bytes, uint64_t records)
{
	char a[AMOUNT_CHARS], b[AMOUNT_CHARS];
	double rate;

	p->bytes += bytes;
	p->records += records;
	if (!due(p))
		return;
	rate = (double)p->bytes / p->last;
	begin_line(p);
	fprintf(stderr, "%s", amount((double)p->bytes, a));
	if (p->total)
		fprintf(stderr, " of %s (%.0f %%)", amount((double)p->total, a),
		    100 * (double)p->bytes / (double)p->total);
	say_records(p);
	fprintf(stderr, ", %s/s", amount(rate, a));
	if (p->total > p->bytes && rate > 0)
		fprintf(stderr, ", %s left", duration((double)(p->total - p->bytes) / rate, b));
	end_line(p);
}

void progress_show(struct progress *p, uint64_t n, const char *what)
{
	if (!due(p))
		return;
	begin_line(p);
	fprintf(stderr, "%llu %s", (unsigned long long)n, what);
	end_line(p);
}

void progress_end(struct progress *p)
{
	double seconds;
	char a[AMOUNT_CHARS];

	progress_clear(p);
	if (!p->asked)
		return;
	seconds = progress_seconds(p);
	begin_line(p);
	fprintf(stderr, "%s", amount((double)p->bytes, a));
	say_records(p);
	fprintf(
	    stderr, ", %s/s, %.1f s\n", amount((double)p->bytes / (seconds + 1e-9), a), seconds);
	p->asked = p->shown = false;
}
