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

/* The last name of a list "a, b" in *list, which loses it. */
static struct sh_slice last_name(struct sh_slice *list)
{
	const char *comma = memrchr(list->p, ',', list->n);
	struct sh_slice name = *list;

	if (comma)
		name = sh_slice(comma + 1, list->n - (size_t)(comma - list->p) - 1);
	list->n = comma ? (size_t)(comma - list->p) : 0;
	return sh_trim(name);
}

int sh_http_body(const struct sh_http *h, struct sh_slice in, bool cut, size_t max,
    struct sh_buf room[2], struct sh_slice *body, struct sh_error *err)
{
	struct sh_slice list;
	unsigned next = 0, codings = 0;

	*body = sh_slice(in.p + h->body, in.n - h->body);
	if (sh_header_find(h->head, "Transfer-Encoding", &list) &&
	    sh_slice_like(last_name(&list), "chunked")) {
		int got;

		room[next].n = 0;
		got = sh_dechunk(*body, cut, &room[next], err);
		if (got < 0)
			return -1;
		if (got > 0)
			*body = sh_buf_slice(&room[next++]);
	}
	if (!sh_header_find(h->head, "Content-Encoding", &list))
		return 0;
	/* The last one was put on last. */
	while (list.n) {
		struct sh_slice coding = last_name(&list);
		int got;

		if (coding.n == 0)
			continue;
		if (codings++ == 4)
			return sh_error_set(
			    err, SH_ERR_RECORD, "HTTP: more than 4 content codings");
		room[next % 2].n = 0;
		got = sh_content_decode(coding, *body, cut, max, &room[next % 2], err);
		if (got < 0)
			return -1;
		if (got > 0)
			*body = sh_buf_slice(&room[next++ % 2]);
	}
	return 0;
}
