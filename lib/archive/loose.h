/* Files of a change that nothing refers to yet: what is to be removed when a signal ends the program.
 *
 * A change keeps the list of its archive (sh_archive.loose, if there is one) while it is made. It is empty
 * from the instant on at which the change may have happened, and no signal comes between. */
#ifndef SH_ARCHIVE_LOOSE_H
#define SH_ARCHIVE_LOOSE_H

#include "io/folder.h"

#include <stdatomic.h>

struct sh_loose {
	_Atomic(const struct sh_folder *) folder; /* NULL: the list is empty */
	_Atomic uint32_t from, to;                /* segments from .. to-1, and the new manifest */
};

void sh_loose_begin(struct sh_loose *l, const struct sh_folder *folder, uint32_t segment);
/* Another segment, before its first file is made. */
void sh_loose_add(struct sh_loose *l, uint32_t segment);
void sh_loose_end(struct sh_loose *l);

/* Remove what is there of them, without a word. May be called by a signal's handler. */
void sh_loose_remove(const struct sh_loose *l);

#endif
