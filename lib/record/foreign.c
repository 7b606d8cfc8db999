/* SPDX-License-Identifier: MIT */
#include "record/foreign.h"

#define DUCKDB  "duckdb -c \"copy (from 'FILE') to '/dev/stdout' (format json)\" writes JSON lines"
#define PICTURE "a picture", "tesseract reads text in pictures"
#define NO_TEXT "it holds no text"
#define MAGIC(bytes)                                                                               \
	{                                                                                          \
		bytes, sizeof(bytes) - 1                                                           \
	}

static const struct sh_foreign forms[] = {
	{ "PDF", "convert it with pdftotext", MAGIC("%PDF-") },
	{ "Parquet", DUCKDB, MAGIC("PAR1"), .letters = true },
	{ "ORC", "Python's pyarrow.orc reads it", MAGIC("ORC"), .letters = true },
	{ "Avro", "avro-tools tojson FILE makes lines of JSON", MAGIC("Obj\1") },
	{ "Arrow", "Python's pyarrow.ipc.open_file reads it", MAGIC("ARROW1\0\0") },
	{ "a stream of Arrow", "Python's pyarrow.ipc.open_stream reads it",
	    MAGIC("\xFF\xFF\xFF\xFF") },
	{ "Feather", "Python's pyarrow.feather reads it", MAGIC("FEA1"), .letters = true },
	{ "SQLite", "sqlite3 -csv -header FILE 'select id, text from TABLE' makes CSV",
	    MAGIC("SQLite format 3\0") },
	{ "a database of DuckDB", "duckdb -csv FILE 'select id, text from TABLE' makes CSV",
	    MAGIC("DUCK"), .at = 8, .letters = true },
	{ "HDF5", "Python's h5py reads it", MAGIC("\x89HDF\r\n\x1A\n") },
	{ "NumPy", "Python's numpy.load reads it", MAGIC("\x93NUMPY") },
	{ "Python's pickle", "pickle.load reads it", MAGIC("\x80\2") },
	{ "Python's pickle", "pickle.load reads it", MAGIC("\x80\3") },
	{ "Python's pickle", "pickle.load reads it", MAGIC("\x80\4") },
	{ "Python's pickle", "pickle.load reads it", MAGIC("\x80\5") },
	{ "office document or e-book", "convert it with pandoc -t plain", MAGIC("PK\3\4") },
	{ "old office document", "soffice --convert-to txt",
	    MAGIC("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") },
	{ "e-book", "convert it with ebook-convert", MAGIC("BOOKMOBI"), .at = 60 },
	{ "DjVu", "convert it with djvutxt", MAGIC("AT&TFORM"), .letters = true },
	{ "RAR", "unpack it with unrar", MAGIC("Rar!\x1A\7") },
	{ "7z", "shdoc reads it", MAGIC("7z\xBC\xAF\x27\x1C") },
	{ "tar", "shdoc reads it", MAGIC("ustar"), .at = 257, .letters = true },
	{ "WARC", "shdoc reads it", MAGIC("WARC/1."), .text = true },
	{ "a program", NO_TEXT,
	    MAGIC("\x7F"
		  "ELF") },
	{ PICTURE, MAGIC("\x89PNG\r\n\x1A\n") },
	{ PICTURE, MAGIC("\xFF\xD8\xFF") },
	{ PICTURE, MAGIC("GIF8"), .letters = true },
	{ PICTURE, MAGIC("II*\0") },
	{ PICTURE, MAGIC("MM\0*") },
	{ "RTF", "convert it with pandoc -t plain", MAGIC("{\\rtf1") },
	{ "PostScript", "convert it with ps2ascii", MAGIC("%!PS-Adobe") },
	{ "sound", NO_TEXT, MAGIC("ID3"), .letters = true },
	{ "sound", NO_TEXT, MAGIC("OggS\0") },
	{ "sound", NO_TEXT, MAGIC("fLaC\0") },
	{ "a program", NO_TEXT, MAGIC("\0asm") },
	{ "a picture or sound", NO_TEXT, MAGIC("RIFF"), .letters = true },
	{ "a film", NO_TEXT, MAGIC("ftyp"), .at = 4, .letters = true },
};

/* They begin as an office document does. The names of their first members differ. */
static const struct sh_foreign workbook = { .what = "an Excel workbook",
	.remedy = "in2csv FILE makes CSV" };
static const struct sh_foreign zip = { .what = "ZIP", .remedy = "shdoc reads it" };

static bool has_controls(struct sh_slice head)
{
	for (size_t i = 0; i < head.n && i < 512; i++) {
		unsigned char c = (unsigned char)head.p[i];

		if (c < 0x20 && !memchr("\t\n\v\f\r\b\033\036", c, 8))
			return true;
	}
	return false;
}

static bool has(struct sh_slice head, const char *name)
{
	return memmem(head.p, head.n < 4096 ? head.n : 4096, name, strlen(name)) != NULL;
}

const struct sh_foreign *sh_foreign_form(struct sh_slice head)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		const struct sh_foreign *f = &forms[i];

		if (head.n < f->at + f->magic.n ||
		    memcmp(head.p + f->at, f->magic.p, f->magic.n) != 0 ||
		    (f->letters && !has_controls(head)))
			continue;
		if (memcmp(f->magic.p, "PK", 2) != 0)
			return f;
		return has(head, "xl/") ? &workbook
		       : has(head, "[Content_Types]") || has(head, "mimetype") || has(head, "word/")
			   ? f
			   : &zip;
	}
	return NULL;
}

int sh_foreign_refuse(struct sh_slice head, struct sh_error *err)
{
	const struct sh_foreign *f = sh_foreign_form(head);

	if (!f)
		return 0;
	return sh_error_set(
	    err, SH_ERR_RECORD, "the file is %s, not lines of text (%s)", f->what, f->remedy);
}
