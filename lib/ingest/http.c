/* SPDX-License-Identifier: MIT */
#include "ingest/http.h"

#include <strings.h>

#include "ingest/transfer.h"

int sh_http_parse(struct sh_slice in, struct sh_http *h, struct sh_error *err)
{
	const char *lf = in.n ? memchr(in.p, '\n', in.n) : NULL;
	const char *p = in.p, *end = lf ? lf : in.p + in.n;
	struct sh_slice type;

	*h = (struct sh_http){ 0 };
	p = in.n > 5 && strncasecmp(p, "HTTP/", 5) == 0 ? memchr(p, ' ', (size_t)(end - p)) : NULL;
	while (p && p < end && *p == ' ')
		p++;
	for (; p && p < end && *p >= '0' && *p <= '9' && h->status < 1000; p++)
		h->status = h->status * 10 + (unsigned)(*p - '0');
	if (h->status < 100 || h->status > 999)
		return sh_error_set(
		    err, SH_ERR_RECORD, "HTTP: expected a status line such as HTTP/1.1 200 OK");
	h->head = sh_slice(lf ? lf + 1 : end, 0);
	h->head.n = sh_header_size(sh_slice(h->head.p, in.n - (size_t)(h->head.p - in.p)));
	h->body = (size_t)(h->head.p - in.p) + h->head.n;
	if (sh_header_find(h->head, "Content-Type", &type))
		sh_media_parse(type, &h->media);
	return 0;
}

/* Removes the last name from a list "a, b" and returns it. */
static struct sh_slice last_name(struct sh_slice *list)
{
	const char *comma = memrchr(list->p, ',', list->n);
	struct sh_slice name = *list;

	if (comma)
		name = sh_slice(comma + 1, list->n - (size_t)(comma - list->p) - 1);
	list->n = comma ? (size_t)(comma - list->p) : 0;
	return sh_trim(name);
}

struct unwrapping {
	bool cut;
	size_t max;
	struct sh_buf *room; /* two */
	unsigned next, codings;
	bool chunked; /* chunks are undone once, even when the field is repeated */
	struct sh_slice *body;
	struct sh_error *err;
};

static int undo_one(struct unwrapping *u, struct sh_slice coding)
{
	struct sh_buf *to = &u->room[u->next % 2];
	bool chunked = sh_slice_like(coding, "chunked");
	int got;

	if (coding.n == 0 || (chunked && u->chunked))
		return 0;
	if (!chunked && u->codings++ == 4)
		return sh_error_set(u->err, SH_ERR_RECORD, "HTTP: more than 4 content codings");
	u->chunked = u->chunked || chunked;
	to->n = 0;
	got = chunked ? sh_dechunk(*u->body, u->cut, to, u->err)
		      : sh_content_decode(coding, *u->body, u->cut, u->max, to, u->err);
	if (got > 0) {
		*u->body = sh_buf_slice(to);
		u->next++;
	}
	return got < 0 ? -1 : 0;
}

/* Undoes the codings that the fields of this name list. The last coding of the list was applied
 * last, so it is undone first. */
static int undo(struct unwrapping *u, struct sh_slice head, const char *field)
{
	struct sh_buf all = { 0 };
	struct sh_slice list;
	int bad = sh_header_join(head, field, &all, u->err);

	for (list = sh_buf_slice(&all); bad == 0 && list.n;)
		bad = undo_one(u, last_name(&list));
	sh_buf_free(&all);
	return bad;
}

int sh_http_body(const struct sh_http *h, struct sh_slice in, bool cut, size_t max,
    struct sh_buf room[2], struct sh_slice *body, struct sh_error *err)
{
	struct unwrapping u = { .cut = cut, .max = max, .room = room, .body = body, .err = err };

	*body = sh_slice(in.p + h->body, in.n - h->body);
	if (undo(&u, h->head, "Transfer-Encoding") < 0)
		return -1;
	return undo(&u, h->head, "Content-Encoding");
}
