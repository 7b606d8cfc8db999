/* SPDX-License-Identifier: MIT */
/* Normalises and case-folds text by table lookup.
 *
 * The result equals, byte for byte, the result of
 *     utf8proc_map(..., STABLE | COMPOSE | COMPAT | CASEFOLD | IGNORE)
 * (NFKC_Casefold), after each ill-formed sequence has become U+FFFD. The table has one cell for
 * each code point. The first use of a code point fills its page of 256 cells from the linked
 * utf8proc, so the table always agrees with this library, and its creation costs no time.
 *
 * Nearly all code points fold alone (SH_FOLD_DIRECT). Other text is folded in segments: a code
 * point and all code points that attach to it. The result of a segment does not depend on other
 * segments.
 *
 * Each thread needs its own struct sh_fold. */
#ifndef SH_UNICODE_FOLD_H
#define SH_UNICODE_FOLD_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/slice.h"
#include "unicode/script.h"
#include "unicode/utf8.h"

/* The class of a code point, one byte: kind for a tokenizer | digit | script. */
enum {
	SH_CLASS_SEPARATOR = 0,
	SH_CLASS_WORD = 1,
	SH_CLASS_CUT = 2, /* a token of its own */
	SH_CLASS_KIND = 3,
	SH_CLASS_DIGIT = 4, /* decimal: general category Nd */
	SH_CLASS_SCRIPT_SHIFT = 3,
	SH_CLASS_READY = 128, /* inside the table only */
};

/* The cell of a code point c: code | class | enum sh_fold_how. The class is the class of the code
 * point to which c folds (SH_FOLD_DIRECT), or of c. */
enum {
	SH_CELL_CODE = 0x1FFFFF,  /* mask of the code, see enum sh_fold_how */
	SH_CELL_CLASS_SHIFT = 21, /* 7 bits */
	SH_CELL_HOW_SHIFT = 28,   /* 2 bits */
	SH_CELL_ILL = 1 << 30,    /* the cell of SH_UTF8_ILL; folds to U+FFFD */
};
#define SH_CELL_READY (UINT32_C(1) << 31)

enum sh_fold_how {
	SH_FOLD_DIRECT, /* folds to one code point, the code; begins a segment */
	SH_FOLD_START,  /* folds to several code points; begins a segment */
	SH_FOLD_MARK,   /* attaches, and folds to itself; the code is its combining class */
	SH_FOLD_SLOW,   /* attaches, and composes with the code point before or folds to nothing */
};

/* SH_FOLD_KNOWN: number of cached results of START code points. SH_FOLD_LONGEST: code points of the
 * longest result, the result of U+FDFA. */
enum { SH_FOLD_LONGEST = 18, SH_FOLD_KNOWN = 64 };

struct sh_fold_known {
	uint32_t c, n; /* n = 0: empty */
	uint32_t to[SH_FOLD_LONGEST];
};

struct sh_fold {
	uint32_t *cells;  /* by code point, also SH_UTF8_ILL; 0: not filled yet */
	uint8_t *classes; /* by code point, of the code point before folding; 0: not filled yet */
	uint32_t *seg;    /* code points of the last segment, folded */
	uint32_t *tmp;
	size_t seg_cap, tmp_cap;                   /* elements allocated */
	struct sh_fold_known known[SH_FOLD_KNOWN]; /* at c % SH_FOLD_KNOWN */
};

struct sh_fold *sh_fold_new(struct sh_error *err);
void sh_fold_delete(struct sh_fold *f);

/* Fills the page of 256 cells with the cell of c, and the page of classes. */
void sh_fold_fill(struct sh_fold *f, uint32_t c);

static inline uint32_t sh_fold_cell(struct sh_fold *f, uint32_t c)
{
	if (__builtin_expect(!f->cells[c], 0))
		sh_fold_fill(f, c);
	return f->cells[c];
}

/* Returns the class of c before folding. */
static inline unsigned sh_fold_class(struct sh_fold *f, uint32_t c)
{
	if (__builtin_expect(!f->classes[c], 0))
		sh_fold_fill(f, c);
	return f->classes[c] & 127;
}

static inline enum sh_fold_how sh_cell_how(uint32_t cell)
{
	return (enum sh_fold_how)(cell >> SH_CELL_HOW_SHIFT & 3);
}

static inline bool sh_cell_attaches(uint32_t cell)
{
	return sh_cell_how(cell) >= SH_FOLD_MARK;
}

static inline unsigned sh_cell_class(uint32_t cell)
{
	return cell >> SH_CELL_CLASS_SHIFT & 127;
}

static inline enum sh_script sh_class_script(unsigned class)
{
	return (enum sh_script)(class >> SH_CLASS_SCRIPT_SHIFT);
}

/* Folds the segment at *p: any code point, and all code points behind that attach to it. Writes *n
 * code points to f->seg, valid until the next call. Moves *p to the end of the segment. Adds the
 * number of ill-formed sequences to *ill. *p must be less than end. */
int sh_fold_segment(struct sh_fold *f, const uint8_t **p, const uint8_t *end, size_t *n,
    uint64_t *ill, struct sh_error *err);

/* Folds a whole text and appends the result, in UTF-8. Adds the ill-formed sequences to *ill. */
int sh_fold_text(struct sh_fold *f, struct sh_slice text, struct sh_buf *out, uint64_t *ill,
    struct sh_error *err);

/* Returns the version of Unicode that the linked utf8proc has, such as "15.0.0". */
const char *sh_fold_unicode(void);

/* Returns whether the general category is Mn, Mc or Me. */
bool sh_is_mark(uint32_t c);

/* Returns whether Arabic, Hebrew or Syriac text may be written without c: a nonspacing mark (Mn) of
 * one of their blocks, or the tatweel U+0640. A letter that NFKC composes with a mark keeps the
 * mark. */
bool sh_is_pointing(uint32_t c);

#endif
