#include "record/document.h"

#include "base/num.h"

int sh_document_form_parse(const char *spec, struct sh_document_form *form, struct sh_error *err)
{
	const char *comma = strchr(spec, ',');
	uint64_t id, text;

	if (!comma || sh_parse_u64(sh_slice(spec, (size_t)(comma - spec)), &id) < 0 ||
	    sh_parse_u64(sh_slice_str(comma + 1), &text) < 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "fields '%s': expected two field numbers ID,TEXT, as in 1,3", spec);
	if (id < 1 || text < 1 || id > SH_FIELD_MAX || text > SH_FIELD_MAX || id == text)
		return sh_error_set(err, SH_ERR_PARAM,
		    "fields '%s': two different numbers from 1 to %d", spec, SH_FIELD_MAX);
	form->id_field = (unsigned)id;
	form->text_field = (unsigned)text;
	return 0;
}

static int choose_fields(const struct sh_document_form *form, struct sh_slice line,
    struct sh_document *doc, struct sh_error *err)
{
	struct sh_slice fields[SH_FIELD_MAX];
	unsigned last = form->id_field > form->text_field ? form->id_field : form->text_field;
	size_t n = sh_fields_split(line, fields, last);

	if (n < last)
		return sh_error_set(err, SH_ERR_RECORD, "%zu field%s, expected at least %u (-f)", n,
		    n == 1 ? "" : "s", last);
	doc->id = fields[form->id_field - 1];
	doc->text = fields[form->text_field - 1];
	return 0;
}

static int two_fields(struct sh_slice line, struct sh_document *doc, struct sh_error *err)
{
	struct sh_slice fields[2];
	size_t n = sh_fields_split(line, fields, 2);

	if (n == 1)
		return sh_error_set(
		    err, SH_ERR_RECORD, "1 field, expected id<TAB>text (-l numbers plain lines)");
	if (n > 2)
		return sh_error_set(err, SH_ERR_RECORD,
		    "%zu fields, expected id<TAB>text (-f ID,TEXT chooses two of them)", n);
	doc->id = fields[0];
	doc->text = fields[1];
	return 0;
}

int sh_document_parse(const struct sh_document_form *form, struct sh_slice line,
    struct sh_document *doc, struct sh_error *err)
{
	int bad;

	if (form->crlf && line.n && line.p[line.n - 1] == '\r')
		line.n--;
	bad = form->id_field ? choose_fields(form, line, doc, err) : two_fields(line, doc, err);
	if (bad < 0 || sh_dos_check(line, err) < 0 || sh_id_check(doc->id, err) < 0)
		return -1;
	if (memchr(doc->text.p, '\r', doc->text.n))
		return sh_error_set(err, SH_ERR_RECORD,
		    "carriage return in the text (a field writes it as \\r; tr '\\r' '\\n' makes "
		    "lines of an old Mac file)");
	return 0;
}
