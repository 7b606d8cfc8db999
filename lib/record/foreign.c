/* SPDX-License-Identifier: MIT */
#include "record/foreign.h"

#define DUCKDB "duckdb -c \"copy (from 'FILE') to '/dev/stdout' (format json)\" makes lines of JSON"
#define MAGIC(bytes)                                                                               \
	{                                                                                          \
		bytes, sizeof(bytes) - 1                                                           \
	}

static const struct row {
	size_t at;
	struct sh_slice magic;
	/* The magic number is letters that may begin a text: control characters must follow. */
	bool letters;
	struct sh_foreign form;
} rows[] = {
	{ 0, MAGIC("%PDF-"), false, { "PDF", "convert it with pdftotext", false } },
	{ 0, MAGIC("PAR1"), true, { "Parquet", DUCKDB, false } },
	{ 0, MAGIC("ORC"), true, { "ORC", "Python's pyarrow.orc reads it", false } },
	{ 0, MAGIC("Obj\1"), false,
	    { "Avro", "avro-tools tojson FILE makes lines of JSON", false } },
	{ 0, MAGIC("ARROW1\0\0"), false,
	    { "Arrow", "Python's pyarrow.ipc.open_file reads it", false } },
	{ 0, MAGIC("\xFF\xFF\xFF\xFF"), false,
	    { "a stream of Arrow", "Python's pyarrow.ipc.open_stream reads it", false } },
	{ 0, MAGIC("FEA1"), true, { "Feather", "Python's pyarrow.feather reads it", false } },
	{ 0, MAGIC("SQLite format 3\0"), false,
	    { "SQLite", "sqlite3 -csv -header FILE 'select id, text from TABLE' makes CSV",
		false } },
	{ 8, MAGIC("DUCK"), true,
	    { "a database of DuckDB", "duckdb -csv FILE 'select id, text from TABLE' makes CSV",
		false } },
	{ 0, MAGIC("\x89HDF\r\n\x1A\n"), false, { "HDF5", "Python's h5py reads it", false } },
	{ 0, MAGIC("\x93NUMPY"), false, { "NumPy", "Python's numpy.load reads it", false } },
	{ 0, MAGIC("\x80\2"), false, { "Python's pickle", "pickle.load reads it", false } },
	{ 0, MAGIC("\x80\3"), false, { "Python's pickle", "pickle.load reads it", false } },
	{ 0, MAGIC("\x80\4"), false, { "Python's pickle", "pickle.load reads it", false } },
	{ 0, MAGIC("\x80\5"), false, { "Python's pickle", "pickle.load reads it", false } },
	{ 0, MAGIC("PK\3\4"), false,
	    { "office document or e-book", "convert it with pandoc -t plain", false } },
	{ 0, MAGIC("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), false,
	    { "old office document", "soffice --convert-to txt", false } },
	{ 60, MAGIC("BOOKMOBI"), false, { "e-book", "convert it with ebook-convert", false } },
	{ 0, MAGIC("AT&TFORM"), true, { "DjVu", "convert it with djvutxt", false } },
	{ 0, MAGIC("Rar!\x1A\7"), false, { "RAR", "unpack it with unrar", false } },
	{ 0, MAGIC("7z\xBC\xAF\x27\x1C"), false, { "7z", "shdoc reads it", false } },
	{ 257, MAGIC("ustar"), true, { "tar", "shdoc reads it", false } },
	{ 0, MAGIC("WARC/1."), false, { "WARC", "shdoc reads it", true } },
	{ 0,
	    MAGIC("\x7F"
		  "ELF"),
	    false, { "a program", "it holds no text", false } },
	{ 0, MAGIC("\x89PNG\r\n\x1A\n"), false,
	    { "a picture", "tesseract reads text in pictures", false } },
	{ 0, MAGIC("\xFF\xD8\xFF"), false,
	    { "a picture", "tesseract reads text in pictures", false } },
	{ 0, MAGIC("GIF8"), true, { "a picture", "tesseract reads text in pictures", false } },
	{ 0, MAGIC("II*\0"), false, { "a picture", "tesseract reads text in pictures", false } },
	{ 0, MAGIC("MM\0*"), false, { "a picture", "tesseract reads text in pictures", false } },
	{ 0, MAGIC("{\\rtf1"), false, { "RTF", "convert it with pandoc -t plain", false } },
	{ 0, MAGIC("%!PS-Adobe"), false, { "PostScript", "convert it with ps2ascii", false } },
	{ 0, MAGIC("ID3"), true, { "sound", "it holds no text", false } },
	{ 0, MAGIC("OggS\0"), false, { "sound", "it holds no text", false } },
	{ 0, MAGIC("fLaC\0"), false, { "sound", "it holds no text", false } },
	{ 0, MAGIC("\0asm"), false, { "a program", "it holds no text", false } },
	{ 0, MAGIC("RIFF"), true, { "a picture or sound", "it holds no text", false } },
	{ 4, MAGIC("ftyp"), true, { "a film", "it holds no text", false } },
};

/* Names of files that the first member of an Excel workbook has. Other office documents and plain
 * ZIP files begin like it. */
static const struct sh_foreign workbook = { "an Excel workbook", "in2csv FILE makes CSV", false };
static const struct sh_foreign zip = { "ZIP", "shdoc reads it", false };

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
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];

		if (head.n < r->at + r->magic.n ||
		    memcmp(head.p + r->at, r->magic.p, r->magic.n) != 0 ||
		    (r->letters && !has_controls(head)))
			continue;
		if (r->magic.p[0] == 'P' && r->magic.p[1] == 'K')
			return has(head, "xl/") ? &workbook
			       : has(head, "[Content_Types]") || has(head, "mimetype") ||
				       has(head, "word/")
				   ? &r->form
				   : &zip;
		return &r->form;
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
