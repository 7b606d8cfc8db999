/* SPDX-License-Identifier: MIT */
#include "report/page.h"

/* clang-format off */
static const char STYLE[] =
#include "report/page.css.inc"
	;
static const char SCRIPT[] =
#include "report/page.js.inc"
	;
/* clang-format on */
/* The page allows this script alone, by the SHA-256 of page.js. */
static const char SCRIPT_SHA256[] = "X+Wsl+gS+j86AJ/7HATdeGG/5Erkonk0KjfN8t2p30A=";

/* Appends the similarity of a pair, such as 0.8125. */
static void add_share(struct sh_html *h, int32_t share)
{
	if (share < 0)
		sh_html_raw(h, "–");
	else
		sh_html_format(h, "%d.%04d", share / 10000, share % 10000);
}

static void add_id(struct sh_html *h, const struct sh_report *p, uint32_t id)
{
	sh_html_raw(h, "<bdi>");
	sh_html_text(h, sh_hmap_key(&p->ids, id));
	sh_html_raw(h, "</bdi>");
}

static void add_count(struct sh_html *h, const char *name, uint64_t n)
{
	char number[SH_HTML_COUNT];

	sh_html_format(h, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, sh_html_count(number, n));
}

static void add_counts(struct sh_html *h, const struct sh_report *p)
{
	sh_html_raw(h, "<dl class=\"counts\">\n");
	add_count(h, "pairs", p->n);
	if (p->spans)
		add_count(h, "shared passages", p->n_spans);
	if (p->apart) {
		add_count(h, "documents", p->documents);
		add_count(h, "queries or earlier documents", p->seconds);
	} else {
		add_count(h, "documents in pairs", p->documents);
		add_count(h, "groups", p->groups);
		add_count(h, "documents in the largest", p->n_groups ? p->group[0].size : 0);
	}
	sh_html_raw(h, "</dl>\n</header>\n<main>\n<div class=\"two\">\n");
}

/* ---- bars ---- */

static void add_bar(struct sh_html *h, unsigned i, uint64_t n, uint64_t most)
{
	char number[SH_HTML_COUNT];

	sh_html_format(h, "<tr><th scope=\"row\">%u.%02u – %u.%02u</th><td>", i * 5 / 100,
	    i * 5 % 100, (i + 1) * 5 / 100, (i + 1) * 5 % 100);
	if (n)
		sh_html_format(h, "<i style=\"width:%.1f%%\"></i>", (double)n / (double)most * 100);
	sh_html_format(h, "</td><td class=\"number\">%s</td></tr>\n", sh_html_count(number, n));
}

static void add_bars(struct sh_html *h, const struct sh_report *p)
{
	char number[SH_HTML_COUNT];
	unsigned from = 0, to = SH_REPORT_BARS;
	uint64_t most = 0;

	sh_html_format(h, "<section id=\"histogram\">\n<h2>%s</h2>\n",
	    p->spans ? "Coverage of pairs" : "Similarity of pairs");
	if (p->spans)
		sh_html_raw(h, "<p class=\"note\">The share of a document’s text that the other "
			       "one has in the "
			       "same words: the greater share of the two.</p>\n");
	if (p->unknown)
		sh_html_format(h, "<p class=\"note\">Without a similarity: %s pair%s.</p>\n",
		    sh_html_count(number, p->unknown), p->unknown == 1 ? "" : "s");
	while (from < to && !p->bar[from])
		from++;
	while (to > from && !p->bar[to - 1])
		to--;
	for (unsigned i = from; i < to; i++)
		most = p->bar[i] > most ? p->bar[i] : most;
	sh_html_raw(h, "<table class=\"bars\">\n<tbody>\n");
	for (unsigned i = to; i-- > from;)
		add_bar(h, i, p->bar[i], most);
	sh_html_raw(h, "</tbody>\n</table>\n</section>\n");
}

/* ---- groups ---- */

static void add_group(struct sh_html *h, const struct sh_report *p, const struct sh_report_group *g)
{
	char number[SH_HTML_COUNT];

	sh_html_raw(h, "<tr><td><button class=\"id\" type=\"button\" dir=\"auto\">");
	sh_html_text(h, sh_hmap_key(&p->ids, g->id));
	sh_html_format(h, "</button></td><td class=\"number\">%s</td><td class=\"number\">",
	    sh_html_count(number, g->size));
	add_share(h, g->least);
	sh_html_raw(h, "</td></tr>\n");
}

static void add_groups(struct sh_html *h, const struct sh_report *p)
{
	char number[SH_HTML_COUNT];

	if (p->apart) {
		sh_html_raw(h, "</div>\n");
		return;
	}
	sh_html_raw(h,
	    "<section id=\"groups\">\n<h2>Largest groups</h2>\n<p class=\"note\">Two "
	    "documents are in one group when a chain of pairs joins them. A group is named "
	    "after the document that is in most of its pairs");
	if (p->groups > p->n_groups)
		sh_html_format(h, ". The page leaves out %s smaller groups",
		    sh_html_count(number, p->groups - p->n_groups));
	sh_html_format(h,
	    ".</p>\n<table>\n<thead><tr><th scope=\"col\">Group</th><th scope=\"col\" "
	    "class=\"number\">Documents</th><th scope=\"col\" class=\"number\">Least "
	    "%s</th></tr></thead>\n<tbody>\n",
	    p->spans ? "coverage" : "similarity");
	for (unsigned i = 0; i < p->n_groups; i++)
		add_group(h, p, &p->group[i]);
	sh_html_raw(h, "</tbody>\n</table>\n</section>\n</div>\n");
}

/* ---- the head ---- */

void sh_page_begin(struct sh_html *h, const struct sh_report *p, struct sh_slice title)
{
	sh_html_raw(h, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		       "style-src 'unsafe-inline'; script-src 'sha256-");
	sh_html_raw(h, SCRIPT_SHA256);
	sh_html_raw(h,
	    "'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"generator\" content=\"simhash-utils " SH_VERSION "\">\n<title>");
	sh_html_text(h, title);
	sh_html_raw(h, "</title>\n<style>\n");
	sh_html_raw(h, STYLE);
	sh_html_format(h, "</style>\n</head>\n<body>\n<header>\n<h1%s>", sh_html_lang(title));
	sh_html_text(h, title);
	sh_html_raw(h, "</h1>\n");
	add_counts(h, p);
	add_bars(h, p);
	add_groups(h, p);
}

/* ---- pairs with texts ---- */

void sh_page_texts(struct sh_html *h, const struct sh_report *p, size_t shown, bool documents)
{
	char number[SH_HTML_COUNT], all[SH_HTML_COUNT];

	sh_html_raw(h,
	    "<div class=\"find\"><input type=\"search\" id=\"find\" placeholder=\"Find ids or "
	    "words\" aria-label=\"Find ids or words\" autocomplete=\"off\" spellcheck=\"false\">"
	    "<output id=\"found\" for=\"find\"></output></div>\n<section id=\"texts\">\n<h2>");
	sh_html_raw(h, p->spans ? "Passages side by side" : "Texts side by side");
	sh_html_raw(h, "</h2>\n<p class=\"note\">");
	if (!documents) {
		sh_html_raw(h, "The documents were not given (shreport -d).</p>\n");
		return;
	}
	sh_html_raw(
	    h, p->spans ? "The pairs of greatest coverage come first; words that differ are marked."
			: "The least similar pairs come first; words that differ are marked.");
	if (shown < p->n)
		sh_html_format(h,
		    " Texts are shown for %s of %s pairs; the table below has all pairs.",
		    sh_html_count(number, shown), sh_html_count(all, p->n));
	sh_html_raw(h, "</p>\n");
}

static void add_head(
    struct sh_html *h, const struct sh_report *p, const struct sh_report_pair *x, int side)
{
	sh_html_raw(h, "<div class=\"cell\">");
	add_id(h, p, side ? x->b : x->a);
	if (p->spans) {
		sh_html_raw(h, " · coverage ");
		add_share(h, x->coverage[side]);
	}
	sh_html_raw(h, "</div>");
}

void sh_page_pair(struct sh_html *h, const struct sh_report *p, size_t at)
{
	const struct sh_report_pair *x = &p->pair[at];
	char number[SH_HTML_COUNT];

	sh_html_format(h, "<details class=\"pair\" id=\"p%zu\"%s>\n<summary><span class=\"score\">",
	    at + 1, at < 3 ? " open" : "");
	add_share(h, x->similarity);
	sh_html_raw(h, "</span> ");
	add_id(h, p, x->a);
	sh_html_raw(h, " ");
	add_id(h, p, x->b);
	sh_html_raw(h, " <span class=\"note\">");
	if (p->spans) {
		sh_html_format(h, "%s passage%s", sh_html_count(number, (uint64_t)x->distance),
		    x->distance == 1 ? "" : "s");
	} else {
		if (x->measure)
			sh_html_raw(h, x->measure);
		if (x->distance >= 0)
			sh_html_format(h, "%sdistance %d", x->measure ? ", " : "", x->distance);
	}
	sh_html_raw(h, "</span></summary>\n<div class=\"heads\">");
	add_head(h, p, x, 0);
	add_head(h, p, x, 1);
	sh_html_raw(h, "</div>\n");
}

void sh_page_pair_end(struct sh_html *h)
{
	sh_html_raw(h, "</details>\n");
}

void sh_page_strips(
    struct sh_html *h, const struct sh_report_span *span, size_t n, const size_t length[2])
{
	sh_html_raw(h, "<div class=\"heads\">");
	for (int side = 0; side < 2; side++) {
		double unit = length[side] ? 1000.0 / (double)length[side] : 0;

		sh_html_raw(h,
		    "<div class=\"cell\"><svg class=\"strip\" viewBox=\"0 0 1000 10\" "
		    "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Places of the "
		    "passages\">");
		for (size_t i = 0; i < n; i++) {
			double w = (span[i].to[side] - span[i].from[side]) * unit;

			sh_html_format(h, "<rect x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"10\"/>",
			    span[i].from[side] * unit, w < 2 ? 2 : w);
		}
		sh_html_raw(h, "</svg></div>");
	}
	sh_html_raw(h, "</div>\n");
}

/* ---- rows ---- */

static void add_column(struct sh_html *h, const char *name, bool number)
{
	sh_html_format(h, "<th scope=\"col\"%s><button type=\"button\">%s</button></th>",
	    number ? " class=\"number\"" : "", name);
}

void sh_page_rows(struct sh_html *h, const struct sh_report *p, size_t shown, size_t texts)
{
	char number[SH_HTML_COUNT], all[SH_HTML_COUNT];

	sh_html_raw(h, "</section>\n<section id=\"all\">\n<h2>All pairs</h2>\n");
	if (shown < p->n)
		sh_html_format(h,
		    "<p class=\"note\">The first %s of %s pairs (shreport --list).</p>\n",
		    sh_html_count(number, shown), sh_html_count(all, p->n));
	sh_html_raw(h, "<noscript><p>This table needs JavaScript.</p></noscript>\n<table "
		       "id=\"rows\">\n<thead><tr>");
	add_column(h, "Document 1", false);
	add_column(h, "Document 2", false);
	add_column(h, p->spans ? "Passages" : "Distance", true);
	add_column(h, p->spans ? "Coverage 1" : "Similarity", true);
	add_column(h, p->spans ? "Coverage 2" : "Measure", p->spans);
	sh_html_raw(h, "</tr></thead>\n<tbody></tbody>\n</table>\n<p><button class=\"id\" "
		       "type=\"button\" id=\"more\" hidden></button></p>\n"
		       "<script type=\"application/json\" id=\"data\">\n");
	sh_html_format(
	    h, "{\"texts\":%zu,\"shares\":%s,\"rows\":[", texts, p->spans ? "[3,4]" : "[3]");
}

void sh_page_row(struct sh_html *h, const struct sh_report *p, size_t at)
{
	const struct sh_report_pair *x = &p->pair[at];

	sh_html_raw(h, at ? ",\n[" : "\n[");
	sh_html_json(h, sh_hmap_key(&p->ids, x->a));
	sh_html_raw(h, ",");
	sh_html_json(h, sh_hmap_key(&p->ids, x->b));
	if (p->spans)
		sh_html_format(h, ",%d,%d,%d]", x->distance, x->coverage[0], x->coverage[1]);
	else
		sh_html_format(
		    h, ",%d,%d,\"%s\"]", x->distance, x->similarity, x->measure ? x->measure : "");
}

void sh_page_end(struct sh_html *h)
{
	sh_html_raw(h, "\n]}\n</script>\n</section>\n</main>\n<footer>Made by shreport of "
		       "simhash-utils " SH_VERSION ".</footer>\n<script>");
	sh_html_raw(h, SCRIPT);
	sh_html_raw(h, "</script>\n</body>\n</html>\n");
}
