/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TERMINAL_SECONDS 0.2
#define LOG_SECONDS      5.0
#define CLEAR            "\r\033[K"

enum { AMOUNT_CHARS = 48, LINE_CHARS = 256 };

double progress_seconds(const struct progress *p)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - p->begun.tv_sec) +
	       (double)(now.tv_nsec - p->begun.tv_nsec) / 1e9;
}

/* Returns the bytes that n inputs still have; 0 when the bytes of an input are not known, as for a
 * pipe, or an input is empty. */
static uint64_t size_of_all(char *const *inputs, size_t n)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++) {
		bool standard = strcmp(inputs[i], "-") == 0;
		off_t at = standard ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
		struct stat st;

		if ((standard ? fstat(STDIN_FILENO, &st) : stat(inputs[i], &st)) < 0 ||
		    !S_ISREG(st.st_mode) || at < 0 || at >= st.st_size)
			return 0;
		total += (uint64_t)(st.st_size - at);
	}
	return total;
}

void progress_start(struct progress *p, const char *name, char *const *inputs, size_t n)
{
	const char *term = getenv("TERM");

	p->name = name;
	p->terminal = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
	p->shown = p->asked || (p->unasked && p->terminal);
	clock_gettime(CLOCK_MONOTONIC, &p->begun);
	if (p->shown)
		p->total = size_of_all(inputs, n);
}

void progress_clear(struct progress *p)
{
	if (p->drawn)
		fputs(CLEAR, stderr);
	p->drawn = false;
}

/* Returns whether a line is due, and then notes the time as that of the last line. */
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

/* Prints an amount with three digits to AMOUNT_CHARS bytes: 999 B, 1.50 kB, 23.4 GB. */
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

/* Prints a duration to AMOUNT_CHARS bytes: 59 s, 2 min 5 s, 1 h 30 min. */
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

/* Writes a line; on a terminal, over the line before, and cut to the width of the terminal, which
 * cannot rewrite a line of two rows. The last line ends with LF and is not rewritten. Writes it with
 * one call, because other programs may write to the same log. */
__attribute__((format(printf, 3, 4))) static void write_line(
    struct progress *p, bool last, const char *fmt, ...)
{
	bool over = p->terminal && !last;
	struct winsize size;
	char text[LINE_CHARS];
	size_t room = sizeof text;
	va_list ap;

	if (over && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 &&
	    size.ws_col < room)
		room = size.ws_col;
	va_start(ap, fmt);
	vsnprintf(text, room, fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s%s%s", p->drawn ? CLEAR : "", text, over ? "" : "\n");
	p->drawn = over;
}

void progress_read(struct progress *p, uint64_t bytes, uint64_t records)
{
	char done[AMOUNT_CHARS], all[AMOUNT_CHARS], speed[AMOUNT_CHARS], rest[AMOUNT_CHARS];
	char of[2 * AMOUNT_CHARS] = "", left[2 * AMOUNT_CHARS] = "";
	double rate;

	p->bytes += bytes;
	p->records += records;
	if (!due(p))
		return;
	rate = (double)p->bytes / p->last;
	/* The total is the size of the files. Decompressed bytes may exceed it; then no percentage
	 * is shown. */
	if (p->total >= p->bytes)
		snprintf(of, sizeof of, " of %s (%.0f %%)", amount((double)p->total, all),
		    100 * (double)p->bytes / (double)p->total);
	if (p->total > p->bytes && rate > 0)
		snprintf(left, sizeof left, ", %s left",
		    duration((double)(p->total - p->bytes) / rate, rest));
	write_line(p, false, "%s: %s%s, %llu record%s, %s/s%s", p->name,
	    amount((double)p->bytes, done), of, (unsigned long long)p->records,
	    p->records == 1 ? "" : "s", amount(rate, speed), left);
}

void progress_show(struct progress *p, uint64_t n, const char *what)
{
	if (due(p))
		write_line(p, false, "%s: %llu %s", p->name, (unsigned long long)n, what);
}

void progress_end(struct progress *p)
{
	double seconds = progress_seconds(p);
	char done[AMOUNT_CHARS], speed[AMOUNT_CHARS];

	if (!p->asked) {
		progress_clear(p);
		return;
	}
	write_line(p, true, "%s: %s, %llu record%s, %s/s, %.1f s", p->name,
	    amount((double)p->bytes, done), (unsigned long long)p->records,
	    p->records == 1 ? "" : "s", amount((double)p->bytes / (seconds + 1e-9), speed),
	    seconds);
	p->asked = p->shown = false;
}
