/* SPDX-License-Identifier: MIT */
/* The settings of a run, in the form of an archive's settings: archive/settings.h. */
#ifndef MADE_WITH_H
#define MADE_WITH_H

#include "archive/settings.h"
#include "dedup.h"

/* Appends all settings of a new archive, options and versions: see sh_archive_settings_list(). The
 * options must be final. Dies of errors. */
void made_with_list(struct cli *c, const struct dedup_settings *s, struct sh_buf *lines);

/* Dies when the archive has other options than this run. Warns when the versions differ. */
void made_with_compare(
    struct cli *c, const struct dedup_settings *s, const struct sh_store_manifest *m);

#endif
