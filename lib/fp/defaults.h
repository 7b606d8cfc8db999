/* SPDX-License-Identifier: MIT */
/* The defaults that shfp, shband, shjoin, shverify, shgroup, shdedup and sharchive share, so that a
 * pipe of these programs finds what shdedup finds. The first profile (published/tables.c) has the
 * defaults of tokens, hash and width. The labelled sets of docs/quality.md decided the values. */
#ifndef SH_FP_DEFAULTS_H
#define SH_FP_DEFAULTS_H

/* The number as a string literal, for --help. */
#define SH_DEFAULT_TEXT(number)  SH_DEFAULT_TEXT_(number)
#define SH_DEFAULT_TEXT_(number) #number

#define SH_DEFAULT_NGRAM     1  /* tokens of a feature of a fingerprint */
#define SH_DEFAULT_SET_NGRAM 3  /* tokens of a feature where sets of features are compared */
#define SH_DEFAULT_DISTANCE  10 /* most bits in which candidates differ */
#define SH_DEFAULT_BITS      64 /* width of fingerprints; the distance is for this width alone */

/* A pair is a duplicate when its Jaccard or its edit similarity is at least the
 * threshold, in millionths. */
#define SH_DEFAULT_MEASURE    "any"
#define SH_DEFAULT_JACCARD    800000
#define SH_DEFAULT_EDIT       890000
#define SH_DEFAULT_THRESHOLDS "0.8,0.89"

#define SH_DEFAULT_STAR 1 /* all documents of a group are similar to its keeper; 0: chains */

#endif
