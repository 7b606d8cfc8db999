/* The files of a change in progress, for the signal handler that removes them.
 *
 * A change fills the list of its archive (sh_archive.loose) before it creates a file. It empties
 * the list before a signal can arrive after the new manifest is in place. */
#ifndef SH_ARCHIVE_LOOSE_H
#define SH_ARCHIVE_LOOSE_H

#include "archive/manifest.h"
#include "io/folder.h"

#include <stdatomic.h>

struct sh_loose {
	_Atomic(const struct sh_folder *) folder; /* NULL: the list is empty */
	_Atomic uint32_t from, to;                /* segments from .. to-1 */
	_Atomic(enum sh_archive_store) store;             /* of the segments */
	_Atomic bool manifest, journal;           /* the new manifest; the journal */
};

/* All functions except sh_loose_remove() do nothing when the list is NULL. */
/* Begins a list without files. Segments added later have numbers from `segment` on. folder is
 * borrowed until sh_loose_end(). */
void sh_loose_begin(
    struct sh_loose *l, const struct sh_folder *folder, uint32_t segment, enum sh_archive_store store);
/* Call these before the journal, the first file of a segment, or the new manifest is created. */
void sh_loose_add_journal(struct sh_loose *l);
void sh_loose_add_segment(struct sh_loose *l, uint32_t segment);
void sh_loose_add_manifest(struct sh_loose *l);
/* Empties the list. */
void sh_loose_end(struct sh_loose *l);

/* Removes the files that exist; ignores errors. A signal handler may call it. */
void sh_loose_remove(const struct sh_loose *l);

#endif
