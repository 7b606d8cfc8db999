/* The defaults of shfp, shband, shjoin, shverify, shgroup, shdedup and sharchive: what each program does without
 * options. So a pipe of these programs finds what shdedup finds.
 *
 * Tokens, hash and width stand in the first profile (fp/profile.c). The values were chosen by the labelled sets of
 * docs/quality.md. */
#ifndef SH_FP_DEFAULTS_H
#define SH_FP_DEFAULTS_H

/* A number as it stands in the lines of --help. */
#define SH_DEFAULT_TEXT(number)  SH_DEFAULT_TEXT_(number)
#define SH_DEFAULT_TEXT_(number) #number

#define SH_DEFAULT_NGRAM    3      /* tokens of a feature */
#define SH_DEFAULT_MINHASH  1      /* minwise fingerprints, not SimHash */
#define SH_DEFAULT_DISTANCE 14     /* bits in which candidates differ, at most */
#define SH_DEFAULT_REACH    700000 /* millionths: the Jaccard similarity at which it finds 95 % */

/* Pairs are duplicates by either of two measures, each with its threshold, in millionths and as text. */
#define SH_DEFAULT_MEASURE    "any"
#define SH_DEFAULT_JACCARD    800000
#define SH_DEFAULT_EDIT       890000
#define SH_DEFAULT_THRESHOLDS "0.8,0.89"

#define SH_DEFAULT_STAR 1  /* all members of a group are similar to its keeper; 0: chains */
#define SH_DEFAULT_FEW  20 /* shdedup compares all documents with fewer features than this */

#endif
