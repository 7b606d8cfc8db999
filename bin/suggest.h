/* SPDX-License-Identifier: MIT */
/* Suggests the option that a mistyped long option probably means. */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <getopt.h>

/* Returns the name of the option in `longs` that is nearest to the argument `typed`, as in
 * "--threshhold=0.7": at most one insertion, deletion, exchange or transposition for each four
 * characters, and at most three. Returns NULL when there is none, or when `typed` is the beginning
 * of a name. */
const char *suggest_option(const char *typed, const struct option *longs);

#endif
