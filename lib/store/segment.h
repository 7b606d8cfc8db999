/* SPDX-License-Identifier: MIT */
/* A segment: the documents that one or several batches have added, in two files that never change.
 *
 *     NUMBER.KEY.tsv    the lines of the documents, one after the other, each with its LF
 *     NUMBER.KEY.bin    the same for the sketches of an archive without texts
 *     NUMBER.KEY.index  postings, ids, records and checksums, one after the other
 *
 * NUMBER has 8 hexadecimal digits, and KEY the first 12 digits of the archive's key. So no other
 * program makes a file of such a name, and files that the manifest does not name may be removed.
 * All numbers in an index are little-endian:
 *
 *     posting   8 bytes key, 4 document, 4 place; sorted by these three numbers
 *     id        the same form: 8 bytes hash of the id, 4 document, 4 zero; one for each document
 *     record    48 bytes, see struct sh_record; by number
 *     checksum  8 bytes: XXH3 of a block of 4096 bytes, of the documents, then of the index
 *
 * Keys and places mean something to the caller only. Only documents that stay have postings.
 * A reader compares the checksum of a block before it uses the block. The checksum of all checksums
 * is in the manifest and is compared when the segment is opened. */
#ifndef SH_STORE_SEGMENT_H
#define SH_STORE_SEGMENT_H

#include "io/folder.h"
#include "store/manifest.h"

enum { SH_STORE_BLOCK = 4096, SH_STORE_POSTING_BYTES = 16, SH_STORE_RECORD_BYTES = 48 };

/* The files of a segment, and the bytes of a file's name with its NUL. */
enum sh_store_part { SH_STORE_PART_DOCUMENTS, SH_STORE_PART_INDEX, SH_STORE_PARTS };
enum { SH_STORE_PART_NAME = 32 };

/* Writes the name of a file. */
void sh_store_part_name(char out[SH_STORE_PART_NAME], const struct sh_store_manifest *m,
    uint32_t segment, enum sh_store_part part);

/* What a file with a key in its name is: see store.h. */
enum sh_store_file { SH_STORE_FOREIGN, SH_STORE_NEW_MANIFEST, SH_STORE_SEGMENT };

/* Returns what a file of this name is in this archive; m NULL: in any archive. Sets *segment to the
 * number of a file of a segment. */
enum sh_store_file sh_store_file_of(
    const struct sh_store_manifest *m, const char *name, uint32_t *segment);

/* What the archive has of a document. Slices are views into the map, valid until the segment is
 * closed. */
struct sh_record {
	uint32_t number, keeper; /* a document that stays is its own keeper */
	uint64_t time;           /* seconds since 1970 */
	uint64_t digest;         /* of the text */
	uint16_t similarity;     /* to the keeper, in ten thousandths */
	uint8_t measure;         /* of the similarity; the caller gives it a meaning */
	struct sh_slice line;    /* without its LF */
	struct sh_slice id;      /* a part of the line */
};

/* Bytes with checksums of their blocks. */
struct sh_store_checked {
	struct sh_mapped map;
	const char *sums;
	uint32_t *seen; /* a bit for each block that was compared */
	char name[SH_STORE_PART_NAME];
};

struct sh_store_segment {
	struct sh_store_segment_entry entry;
	const struct sh_folder *folder;
	struct sh_store_checked part[SH_STORE_PARTS];
	/* offsets in the index: the postings begin at 0 */
	size_t ids, records, sums;
};

/* Maps the files of a segment. Compares their sizes and the checksum of the checksums with the
 * manifest. folder: must outlive the segment. A zeroed segment is closed, and so is *s after a
 * failure. SH_ERR_RECORD: a file is damaged. */
int sh_store_segment_open(struct sh_store_segment *s, const struct sh_folder *folder,
    const struct sh_store_manifest *m, const struct sh_store_segment_entry *entry,
    struct sh_error *err);
void sh_store_segment_close(struct sh_store_segment *s);

/* Compares the checksums of the bytes from .. to-1, unless they were compared before. Threads may
 * share a segment. SH_ERR_RECORD: a checksum differs, or the bytes are not in the file. */
int sh_store_segment_need(struct sh_store_segment *s, enum sh_store_part part, uint64_t from,
    uint64_t to, struct sh_error *err);

/* Reads record i of the segment. */
int sh_store_segment_record(
    struct sh_store_segment *s, size_t i, struct sh_record *r, struct sh_error *err);
/* Sets *i to the record of this number: returns 1, 0 when there is none, -1 on failure. */
int sh_store_segment_find(
    struct sh_store_segment *s, uint32_t number, size_t *i, struct sh_error *err);

/* The two sorted lists of a segment. */
enum sh_list { SH_LIST_POSTINGS, SH_LIST_IDS };

struct sh_store_posting {
	uint64_t key;
	uint32_t document, place;
};

/* Returns the length of a list. */
size_t sh_store_segment_length(const struct sh_store_segment *s, enum sh_list list);
/* Reads element i of a list. */
int sh_store_segment_posting(struct sh_store_segment *s, enum sh_list list, size_t i,
    struct sh_store_posting *p, struct sh_error *err);

/* Called for a posting whose key is key[asked]. Returns 0, or -1 with *err to stop. */
typedef int sh_store_found(
    void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *err);

/* Looks up n keys, which must ascend; of equal keys only the first. Passes the postings of a key in
 * their order. most: passes only the first `most` and the last `most` postings of a key; 0: passes
 * all postings. */
int sh_store_segment_look(struct sh_store_segment *s, enum sh_list list, const uint64_t *key,
    size_t n, size_t most, sh_store_found *found, void *arg, struct sh_error *err);

/* Fills *err with SH_ERR_RECORD for a file that is damaged at byte `at`. Returns -1. */
int sh_store_segment_damaged(const struct sh_store_segment *s, enum sh_store_part part,
    const char *what, uint64_t at, struct sh_error *err);

/* Returns the number of blocks of so many bytes. */
static inline uint64_t sh_store_blocks(uint64_t bytes)
{
	return (bytes + SH_STORE_BLOCK - 1) / SH_STORE_BLOCK;
}

#endif
