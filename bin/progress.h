/* How far a long run is, on standard error: on a terminal a line that is written over, five times
 * a second; elsewhere, as in the log of a nightly run, a line each five seconds. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct progress {
	const char *name; /* of the program */
	bool shown;
	bool asked; /* for: the last word is said, too */
	bool terminal;
	bool drawn; /* a line stands on the terminal, without its end */
	struct timespec begun;
	double last; /* seconds from the begin to what was shown last */
	uint64_t bytes, records;
	uint64_t total; /* bytes of all operands, 0: not known */
};

/* Begin a run over these operands; none are standard input. Shown only when asked for, or when
 * `unasked` and on a terminal. */
void progress_start(struct progress *p, const char *name, char *const *operands, size_t n,
    bool asked, bool unasked);

/* So much more was read. */
void progress_read(struct progress *p, uint64_t bytes, uint64_t records);

/* "n what": of another phase than reading. */
void progress_show(struct progress *p, uint64_t n, const char *what);

/* Take the line off the terminal, for a message. */
void progress_clear(struct progress *p);

/* All is done: what was read in all, how fast, and in which time, if that was asked for. */
void progress_end(struct progress *p);

/* Since the start. */
double progress_seconds(const struct progress *p);

#endif
