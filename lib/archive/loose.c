#include "archive/loose.h"

#include "archive/journal.h"

void sh_loose_begin(
    struct sh_loose *l, const struct sh_folder *folder, uint32_t segment, enum sh_archive_store store)
{
	if (!l)
		return;
	l->from = l->to = segment;
	l->store = store;
	l->manifest = l->journal = false;
	l->folder = folder;
}

void sh_loose_add_journal(struct sh_loose *l)
{
	if (l)
		l->journal = true;
}

void sh_loose_add_segment(struct sh_loose *l, uint32_t segment)
{
	if (l)
		l->to = segment + 1;
}

void sh_loose_add_manifest(struct sh_loose *l)
{
	if (l)
		l->manifest = true;
}

void sh_loose_end(struct sh_loose *l)
{
	if (l)
		l->folder = NULL;
}

static void remove_segment(const struct sh_folder *folder, uint32_t segment, enum sh_archive_store store)
{
	char name[SH_NAME_MAX];

	for (enum sh_part p = 0; p < SH_PARTS; p++) {
		if (!sh_has_part(store, p))
			continue;
		sh_part_name(name, segment, p, store);
		sh_folder_drop(folder, name);
	}
}

void sh_loose_remove(const struct sh_loose *l)
{
	const struct sh_folder *folder = l->folder;

	if (!folder)
		return;
	for (uint32_t i = l->from; i != l->to; i++)
		remove_segment(folder, i, l->store);
	if (l->manifest)
		sh_folder_drop(folder, SH_MANIFEST_NEW);
	if (l->journal)
		sh_folder_drop(folder, SH_JOURNAL_NAME);
}
