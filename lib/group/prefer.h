/* Which document of a group stays: ranks of ids, the best 0. */
#ifndef SH_GROUP_PREFER_H
#define SH_GROUP_PREFER_H

#include "base/hmap.h"
#include "record/document.h"

enum sh_prefer_which {
	SH_PREFER_FIRST,   /* in the documents' order; without documents by bytes of the id */
	SH_PREFER_LONGEST, /* most bytes of text without escapes; equal ones: the first */
	SH_PREFER_NEWEST,  /* last in the documents' order; without documents by bytes */
	SH_PREFER_RANKED,  /* in the order of a file of ids, one a line, further fields ignored */
};

struct sh_prefer {
	enum sh_prefer_which which;
	const char *path; /* SH_PREFER_RANKED; borrowed */
	bool trailer;     /* the documents end with one, which is checked (io/trailer.h) */

	/* Told of a line that is no document: 0 to go on without it. NULL: it is an error. */
	int (*bad)(void *arg, struct sh_slice line, struct sh_error *err);
	void *arg;
};

/* "first", "longest", "newest", anything else: a path. */
void sh_prefer_parse(const char *text, struct sh_prefer *prefer);

/* The rank of each id, distinct, to be freed; NULL on failure. Ids that the documents (in n_docs
 * files, one after the other; perhaps none) or the file of ids lack come after all others, in
 * bytewise order; *unknown counts them. An id that stands there twice counts where it stands first. */
uint32_t *sh_prefer_ranks(const struct sh_prefer *prefer, const struct sh_hmap *ids,
    const char *const *docs, size_t n_docs, const struct sh_document_form *form, uint64_t *unknown,
    struct sh_error *err);

#endif
