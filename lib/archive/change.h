/* Changes an archive: writes new segments and a new manifest beside the old ones, then replaces the
 * old ones.
 *
 * The journal (journal.h) names each file before the change creates it, and each file that the new
 * manifest no longer needs. When the change ends, also by failure, the files that the manifest does
 * not name are removed. */
#ifndef SH_ARCHIVE_CHANGE_H
#define SH_ARCHIVE_CHANGE_H

#include "archive/archive.h"

/* A segment of n documents has the class floor(log4(n)). A merge takes the last segments, as far
 * back as no class exceeds the class of the last segment. It needs at least SH_FAN_OUT segments. */
enum { SH_FAN_OUT = 4 };

struct sh_change {
	struct sh_archive *archive;
	struct sh_manifest next; /* the new manifest; its settings point into the archive's text */
	struct sh_journal journal;
	bool has_journal; /* the journal's file exists */
	bool is_out; /* the new manifest is in place, or may be: sh_change_end() undoes nothing */
};

/* Begins a change of an archive that is locked alone. */
int sh_change_begin(struct sh_change *c, struct sh_archive *a, struct sh_error *err);
/* Ends a change, and undoes it when it was not committed. Call it also when sh_change_begin()
 * failed. */
void sh_change_end(struct sh_change *c);

/* Assigns the number of the next segment, whose files may be created from then on. SH_ERR_PARAM:
 * the folder has a file with a name of this segment. SH_ERR_RANGE: no number is left. */
int sh_change_number(struct sh_change *c, uint32_t *number, struct sh_error *err);

/* Merges segments from .. to-1 of the change into one. drop: has a bit for the number of each
 * document to leave out; NULL: leaves out none. *out is the entry of the new segment. When no
 * document is left, its `last` is less than its `first`. */
int sh_change_merge(struct sh_change *c, size_t from, size_t to, const uint64_t *drop,
    struct sh_segment_entry *out, struct sh_error *err);

/* Merges the newest segments as long as the rule of SH_FAN_OUT applies. */
int sh_change_merge_newest(struct sh_change *c, struct sh_error *err);

/* Puts the new manifest in place, then removes the files that it does not need. Signals are blocked
 * between the two steps. */
int sh_change_commit(struct sh_change *c, struct sh_error *err);

#endif
