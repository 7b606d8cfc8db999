#include "archive/loose.h"

#include "archive/manifest.h"

void sh_loose_begin(struct sh_loose *l, const struct sh_folder *folder, uint32_t segment)
{
	if (!l)
		return;
	l->from = l->to = segment;
	l->folder = folder;
}

void sh_loose_add(struct sh_loose *l, uint32_t segment)
{
	if (l)
		l->to = segment + 1;
}

void sh_loose_end(struct sh_loose *l)
{
	if (l)
		l->folder = NULL;
}

void sh_loose_remove(const struct sh_loose *l)
{
	const struct sh_folder *folder = l->folder;
	char name[SH_NAME_MAX];

	if (!folder)
		return;
	for (uint32_t i = l->from; i != l->to; i++)
		for (enum sh_part p = 0; p < SH_PARTS; p++)
			for (enum sh_store s = SH_STORE_SKETCH; s <= SH_STORE_DOCUMENTS; s++) {
				sh_part_name(name, i, p, s);
				sh_folder_drop(folder, name);
			}
	sh_folder_drop(folder, SH_MANIFEST_NEW);
}
