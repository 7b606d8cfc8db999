/* Several threads join the sorted bands of two files: new records with archived ones.
 *
 * The calling thread reads both files and cuts them before the same key, so that the records of a
 * key are in one piece. The workers join the pieces. The calling thread itself joins the lines that
 * it cannot cut: the last lines before it waits for a slow writer, a bucket of more than `most`
 * bytes, and all lines from a key that is not in order. A single thread joins all lines in this
 * way.
 *
 * The results are the same for any number of threads, also after an error. */
#ifndef SH_JOIN_BANDFILES_H
#define SH_JOIN_BANDFILES_H

#include "io/lines.h"
#include "io/pool.h"
#include "join/stream.h"

/* What the program does with lines and results. Functions that return int return 0, or -1 with
 * *err. */
struct sh_band_files_calls {
	/* Reads a line without its LF, the current line of *from, and passes it to
	 * sh_stream_check(). SH_ERR_RECORD: the line is a bad record. Any thread calls it. */
	int (*read)(void *arg, struct sh_stream *s, unsigned side, struct sh_slice line,
	    const struct sh_lines *from, struct sh_band_record *r, struct sh_error *err);
	/* Returns whether read() would probably accept the line, and then sets *r. Only the calling
	 * thread calls it. */
	bool (*look)(void *arg, struct sh_slice line, struct sh_band_record *r);
	/* The calling thread has read a chunk. May be NULL. */
	void (*seen)(void *arg, uint64_t bytes, uint64_t lines);
	/* Writes the results of a job, in the order of the keys; see struct sh_pool. */
	int (*done)(void *arg, struct sh_job *job, struct sh_error *err);
	void *arg; /* of all functions */
};

struct sh_band_files {
	struct sh_lines *lines;     /* of side 0, the new records, and of side 1, the archive */
	struct sh_stream_opts opts; /* `out`, `begins` and `arg` are ignored */
	unsigned threads;           /* at least 1 */
	bool rejects;               /* bad records go to job->aside */
	size_t most;                /* bytes of a bucket of one side that a worker joins, at most */
};

/* Joins both files. Sets *repeated to the number of repeated records. Returns 0; or -1 with the
 * first error in the order of the keys, and then all pairs of lesser keys are written. */
int sh_band_files_join(const struct sh_band_files *files, const struct sh_band_files_calls *calls,
    uint64_t *repeated, struct sh_error *err);

#endif
