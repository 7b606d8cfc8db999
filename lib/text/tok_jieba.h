/* Methods with a dictionary, for the table of methods (text/method.h). */
#ifndef SH_TEXT_TOK_JIEBA_H
#define SH_TEXT_TOK_JIEBA_H

#include "segment/cppjieba.h"
#include "segment/jieba.h"
#include "text/published.h"

sh_cut_fn sh_cut_jieba, sh_cut_cppjieba;

/* For sh_token_method.close. */
void sh_close_jieba(void *state);
void sh_close_cppjieba(void *state);

/* Bits of sh_token_method.mode: an enum sh_jieba_mode, and a flag for words that begin with Han. */
enum { SH_TOK_JIEBA_MODE = 15, SH_TOK_HEAD_HAN = 16 };

#define SH_JIEBA_ROW(row_name, row_mode, only)                                                     \
	{                                                                                          \
		.name = row_name, .run = sh_cut_jieba, .escapes = true, .needs_jieba = true,       \
		.mode = row_mode, .profile_only = only, .close = sh_close_jieba                    \
	}

#define SH_JIEBA_METHODS                                                                           \
	SH_JIEBA_ROW("jieba", SH_JIEBA_CUT, false),                                                \
	    SH_JIEBA_ROW("jieba-nohmm", SH_JIEBA_CUT_NOHMM, false),                                \
	    SH_JIEBA_ROW("jieba-all", SH_JIEBA_CUT_ALL, false),                                    \
	    SH_JIEBA_ROW("jieba-search", SH_JIEBA_SEARCH, false),                                  \
	    SH_JIEBA_ROW("jieba-search-nohmm", SH_JIEBA_SEARCH_NOHMM, false),                      \
	    SH_JIEBA_ROW("angelo", SH_JIEBA_CUT | SH_TOK_HEAD_HAN, true),

#define SH_CPPJIEBA_ROW(row_name, row_mode)                                                        \
	{                                                                                          \
		.name = row_name, .run = sh_cut_cppjieba, .escapes = true, .needs_cppjieba = true, \
		.mode = row_mode, .close = sh_close_cppjieba                                       \
	}

#define SH_CPPJIEBA_METHODS                                                                        \
	SH_CPPJIEBA_ROW("cppjieba", SH_CPPJIEBA_MIX),                                              \
	    SH_CPPJIEBA_ROW("cppjieba-nohmm", SH_CPPJIEBA_MIX_NOHMM),                              \
	    SH_CPPJIEBA_ROW("cppjieba-all", SH_CPPJIEBA_FULL),                                     \
	    SH_CPPJIEBA_ROW("cppjieba-search", SH_CPPJIEBA_QUERY),                                 \
	    SH_CPPJIEBA_ROW("cppjieba-hmm", SH_CPPJIEBA_HMM),

#endif
