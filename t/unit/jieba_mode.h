/* SPDX-License-Identifier: MIT */
/* The names of jieba's modes in vectors and on the command line of the bench. */
#ifndef JIEBA_MODE_H
#define JIEBA_MODE_H

#include "segment/jieba.h"

static const struct {
	const char *name;
	enum sh_jieba_mode mode;
} modes[] = {
	{ "cut", SH_JIEBA_CUT },
	{ "cut_nohmm", SH_JIEBA_CUT_NOHMM },
	{ "cut_all", SH_JIEBA_CUT_ALL },
	{ "search", SH_JIEBA_SEARCH },
	{ "search_nohmm", SH_JIEBA_SEARCH_NOHMM },
};

/* Returns -1 for another name. */
static int jieba_mode(struct sh_slice name, enum sh_jieba_mode *mode)
{
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (sh_slice_eq(name, sh_slice_str(modes[i].name))) {
			*mode = modes[i].mode;
			return 0;
		}
	return -1;
}

#endif
