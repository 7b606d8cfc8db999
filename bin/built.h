/* SPDX-License-Identifier: MIT */
/* What this build can read, for --version. */
#ifndef BUILT_H
#define BUILT_H

/* Prints the compressed forms of input, and what the build lacks with the Debian packages for it.
 * lacks: as sh_ingest_lacks(), for a program that reads files of other forms; NULL: compressed
 * input only. */
void built_print(const char *lacks);

#endif
