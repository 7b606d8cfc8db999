#include "archive/segment_write.h"

#include <xxhash.h>

#include "base/num.h"

static int end_block(struct sh_part_writer *w, struct sh_error *err)
{
	uint64_t sum = XXH3_64bits(w->block, w->n);
	char line[SH_SUM_LINE];

	sh_print_hex(line, &sum, 16);
	line[16] = '\n';
	w->n = 0;
	return sh_buf_add(&w->sums, line, sizeof line, err);
}

int sh_segment_write_lines(struct sh_segment_writer *to, enum sh_part part, struct sh_slice s,
    uint64_t records, struct sh_error *err)
{
	struct sh_part_writer *w = &to->part[part];

	if (sh_folder_write(&w->file, s.p, s.n, err) < 0)
		return -1;
	while (s.n) {
		size_t n = SH_BLOCK - w->n < s.n ? SH_BLOCK - w->n : s.n;

		memcpy(w->block + w->n, s.p, n);
		w->n += n;
		s = sh_slice(s.p + n, s.n - n);
		if (w->n == SH_BLOCK && end_block(w, err) < 0)
			return -1;
	}
	w->records += records;
	return 0;
}

int sh_segment_create(struct sh_segment_writer *w, const struct sh_folder *folder, uint32_t number,
    enum sh_archive_store store, struct sh_error *err)
{
	*w = (struct sh_segment_writer){
		.folder = folder, .store = store, .entry = { .number = number }, .empty = true
	};
	for (enum sh_part i = 0; i < SH_PART_SUM; i++) {
		char name[SH_NAME_MAX];

		if (!sh_has_part(store, i))
			continue;
		sh_part_name(name, number, i, store);
		if (sh_folder_create(&w->part[i].file, folder, name, err) < 0)
			return -1;
	}
	return 0;
}

int sh_segment_write(
    struct sh_segment_writer *w, enum sh_part part, struct sh_slice line, struct sh_error *err)
{
	return sh_segment_write_lines(w, part, line, 1, err);
}

void sh_segment_covers(struct sh_segment_writer *w, uint32_t first, uint32_t last)
{
	if (w->empty || first < w->entry.first)
		w->entry.first = first;
	if (w->empty || last > w->entry.last)
		w->entry.last = last;
	w->empty = false;
}

static int finish_part(struct sh_segment_writer *w, enum sh_part i, struct sh_error *err)
{
	struct sh_part_writer *p = &w->part[i];
	struct sh_part_size *size = &w->entry.part[i];

	if (!p->file.folder)
		return 0;
	if (p->n && end_block(p, err) < 0)
		return -1;
	*size = (struct sh_part_size){ .bytes = p->file.size, .records = p->records };
	size->checksum = p->sums.n ? XXH3_64bits(p->sums.p, p->sums.n) : 0;
	return sh_folder_finish(&p->file, err);
}

static int write_sums(struct sh_segment_writer *w, struct sh_error *err)
{
	struct sh_part_size *size = &w->entry.part[SH_PART_SUM];
	struct sh_buf all = { 0 };
	char name[SH_NAME_MAX];
	int status = 0;

	for (enum sh_part i = 0; status == 0 && i < SH_PART_SUM; i++)
		status = sh_buf_add(&all, w->part[i].sums.p, w->part[i].sums.n, err);
	*size = (struct sh_part_size){ all.n, all.n / SH_SUM_LINE, XXH3_64bits(all.p, all.n) };
	sh_part_name(name, w->entry.number, SH_PART_SUM, w->store);
	if (status == 0)
		status = sh_folder_put(w->folder, name, all.p, all.n, err);
	sh_buf_free(&all);
	return status;
}

int sh_segment_finish(struct sh_segment_writer *w, struct sh_error *err)
{
	for (enum sh_part i = 0; i < SH_PART_SUM; i++)
		if (finish_part(w, i, err) < 0)
			return -1;
	return write_sums(w, err);
}

void sh_segment_abandon(struct sh_segment_writer *w)
{
	for (enum sh_part i = 0; i < SH_PART_SUM; i++) {
		sh_folder_abandon(&w->part[i].file);
		sh_buf_free(&w->part[i].sums);
	}
}
