/* SPDX-License-Identifier: MIT */
/* The progress of a long run, on standard error. On a terminal one line is rewritten five times a
 * second. Elsewhere, as in the log of a nightly run, a line is printed every five seconds.
 *
 * No function fails. One thread at a time may call a function. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct progress {
	/* Set before progress_start(). */
	bool asked;   /* --progress was given: progress is shown, and a final line */
	bool unasked; /* progress is shown on a terminal also without --progress */

	const char *name; /* of the program */
	bool shown;
	bool terminal;
	bool drawn; /* the terminal shows a line that will be rewritten */
	struct timespec begun;
	double last; /* seconds from the beginning to the last line */
	uint64_t bytes, records;
	uint64_t total; /* bytes of all inputs; 0: the bytes of an input are not known */
};

/* Begins a run over n inputs; "-" is standard input. Borrows the name, and keeps no input. */
void progress_start(struct progress *p, const char *name, char *const *inputs, size_t n);

/* Adds bytes and records that were read since the last call. Shows the progress when a line is
 * due. */
void progress_read(struct progress *p, uint64_t bytes, uint64_t records);

/* Shows "N WHAT" when a line is due, in a phase that reads nothing. */
void progress_show(struct progress *p, uint64_t n, const char *what);

/* Clears the line on the terminal, so that a message can be printed. */
void progress_clear(struct progress *p);

/* Ends the run, and clears the line on the terminal. When progress was requested, prints bytes,
 * records, rate and seconds of the whole run. */
void progress_end(struct progress *p);

/* Returns the seconds since progress_start(). */
double progress_seconds(const struct progress *p);

#endif
