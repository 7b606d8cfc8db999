#include "progress.h"

#include <stdio.h>
#include <unistd.h>

double progress_seconds(const struct progress *p)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - p->begun.tv_sec) +
	       (double)(now.tv_nsec - p->begun.tv_nsec) / 1e9;
}

void progress_start(struct progress *p, struct cli *c)
{
	*p = (struct progress){ .cli = c, .shown = isatty(STDERR_FILENO) };
	clock_gettime(CLOCK_MONOTONIC, &p->begun);
}

void progress_show(struct progress *p, uint64_t n, const char *what)
{
	double now;

	if (!p->shown || (now = progress_seconds(p)) - p->last < 0.2)
		return;
	p->last = now;
	fprintf(stderr, "\r\033[K%s: %llu %s", p->cli->program->name, (unsigned long long)n, what);
}

void progress_end(const struct progress *p)
{
	if (p->shown && p->last > 0)
		fputs("\r\033[K", stderr);
}
