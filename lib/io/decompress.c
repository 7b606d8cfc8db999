/* SPDX-License-Identifier: MIT */
#include "io/decompress.h"

#include <stdint.h>

enum { STEP = 64 * 1024 };

static ssize_t layer_read(
    struct sh_decompress *d, size_t i, char *p, size_t room, struct sh_error *err);

/* Reads up to n bytes of the input of layer i. */
static ssize_t read_below(
    struct sh_decompress *d, size_t i, char *p, size_t n, struct sh_error *err)
{
	ssize_t got;

	if (i > 0)
		return layer_read(d, i - 1, p, n, err);
	got = d->read(d->arg, p, n, err);
	if (got > 0)
		d->in += (uint64_t)got;
	return got;
}

static int damaged(const struct sh_codec *codec, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_IO,
	    "the %s data are damaged; the file was not read to its end", codec->name);
}

/* Examines the bytes behind a complete frame. Zeros may follow the frame, as on tapes. Other bytes
 * behind the zeros are an error. */
static int look_behind(struct sh_decompress_layer *l, struct sh_error *err)
{
	l->padded = true;
	while (l->at < l->in.n && l->in.p[l->at] == 0)
		l->at++;
	l->damaged = l->at < l->in.n;
	return l->damaged ? damaged(l->codec, err) : 0;
}

/* Reads compressed bytes when none are left. Sets l->eof at the end. */
static int refill(struct sh_decompress *d, size_t i, struct sh_error *err)
{
	struct sh_decompress_layer *l = &d->layer[i];
	ssize_t got;

	if (l->at < l->in.n || l->eof)
		return 0;
	l->at = l->in.n = l->frame = 0;
	if (sh_buf_reserve(&l->in, STEP, err) < 0)
		return -1;
	got = read_below(d, i, l->in.p, STEP, err);
	if (got < 0)
		return -1;
	l->in.n = (size_t)got;
	l->eof = got == 0;
	return 0;
}

/* Updates the layer after a step of its decoder that made n bytes. Returns n, or -1 when the step
 * failed. */
static ssize_t report(
    struct sh_decompress_layer *l, enum sh_codec_state state, ssize_t n, struct sh_error *err)
{
	switch (state) {
	case SH_CODEC_MORE:
		l->within = true;
		return n;
	case SH_CODEC_END:
		l->within = false;
		l->complete = true;
		return n;
	case SH_CODEC_WIDE:
		return sh_error_set(err, SH_ERR_IO,
		    "the %s data need a window of more than %zu MiB (%s reads "
		    "them, " SH_CODEC_WINDOW_NAME "=2G raises the limit)",
		    l->codec->name, sh_codec_window() >> 20, l->codec->command);
	case SH_CODEC_NOMEM:
		return sh_error_nomem(err);
	default:
		l->damaged = true;
		return damaged(l->codec, err);
	}
}

/* Runs one step of the decoder. Returns the number of bytes made, or -1. When a step makes bytes
 * and fails, this call returns the bytes, and the next call the error. */
static ssize_t decode(struct sh_decompress_layer *l, char *p, size_t room, struct sh_error *err)
{
	struct sh_slice in = sh_slice(l->in.p + l->at, l->in.n - l->at);
	char *to = p;
	enum sh_codec_state state;

	l->frame = l->within ? l->frame : l->at;
	state = l->codec->decode.step(l->decoder, &in, &to, room, false);

	l->at = (size_t)(in.p - l->in.p);
	if (state != SH_CODEC_MORE && state != SH_CODEC_END && to > p) {
		l->failed = state;
		return to - p;
	}
	return report(l, state, to - p, err);
}

/* Reads up to `room` decoded bytes. Returns their number, 0 at the end, or -1. */
static ssize_t layer_read(
    struct sh_decompress *d, size_t i, char *p, size_t room, struct sh_error *err)
{
	struct sh_decompress_layer *l = &d->layer[i];

	for (;;) {
		ssize_t got;

		/* The decoder may still hold bytes for which there was no room. */
		if (l->failed)
			return report(l, l->failed, 0, err);
		if (refill(d, i, err) < 0)
			return -1;
		if (!l->within && l->at == l->in.n && l->eof)
			return 0;
		if (!l->within && l->complete && (l->padded || l->in.p[l->at] == 0)) {
			if (look_behind(l, err) < 0)
				return -1;
			continue;
		}
		got = decode(l, p, room, err);
		if (got != 0)
			return got;
		if (l->within && l->at == l->in.n && l->eof)
			return sh_error_set(err, SH_ERR_IO,
			    "the %s data are cut short; the file was not read to its end",
			    l->codec->name);
	}
}

ssize_t sh_decompress_more(struct sh_decompress *d, void *p, size_t n, struct sh_error *err)
{
	const struct sh_decompress_layer *l = &d->layer[0];
	ssize_t got = layer_read(d, d->layers - 1, p, n, err);

	if (got < 0 && l->damaged)
		return sh_error_set(err, SH_ERR_IO,
		    "the %s data are damaged at byte %llu or before; the file was not read to its "
		    "end",
		    l->codec->name, (unsigned long long)(d->in - (l->in.n - l->at)));
	if (got <= 0)
		return got;
	d->out += (uint64_t)got;
	if (d->out > SH_DECOMPRESS_FREE && d->out / SH_DECOMPRESS_RATIO > d->in)
		return sh_error_set(err, SH_ERR_IO,
		    "decompressed more than %d times its size, and more than %llu MiB: a "
		    "decompression bomb? (%s reads it without a limit)",
		    SH_DECOMPRESS_RATIO, (unsigned long long)(SH_DECOMPRESS_FREE >> 20),
		    d->layer[0].codec->command);
	return got;
}

/* Looks for the beginning of a frame behind the one that is damaged. The decoder may have run past
 * the end of this frame, so the search begins where the frame began, as far as its bytes are still
 * here. Returns 1, 0 at the end of the stream, or -1. */
static int find_frame(struct sh_decompress *d, uint64_t *lost, struct sh_error *err)
{
	struct sh_decompress_layer *l = &d->layer[0];

	for (l->at = l->frame + 1;; l->at++, ++*lost) {
		struct sh_slice rest = sh_slice(l->in.p + l->at, l->in.n - l->at);
		ssize_t got = 1;

		while (rest.n < SH_CODEC_MAGIC && !l->eof && got > 0) {
			memmove(l->in.p, rest.p, rest.n);
			l->at = 0;
			l->in.n = rest.n;
			if (sh_buf_reserve(&l->in, STEP, err) < 0)
				return -1;
			got = read_below(d, 0, l->in.p + l->in.n, STEP, err);
			if (got < 0)
				return -1;
			l->in.n += (size_t)got;
			l->eof = got == 0;
			rest = sh_buf_slice(&l->in);
		}
		if (rest.n == 0)
			return 0;
		if (l->codec->is(rest) && sh_codec_likely(l->codec, rest))
			return 1;
	}
}

int sh_decompress_resume(struct sh_decompress *d, uint64_t *lost, struct sh_error *err)
{
	struct sh_decompress_layer *l = &d->layer[0];
	int got;

	*lost = 1;
	if (d->layers != 1 || !l->damaged || l->in.n <= l->frame)
		return 0;
	got = find_frame(d, lost, err);
	if (got <= 0)
		return got;
	l->codec->decode.stop(l->decoder);
	l->decoder = l->codec->decode.start();
	l->failed = SH_CODEC_MORE;
	l->within = l->padded = l->damaged = false;
	return l->decoder ? 1 : sh_error_nomem(err);
}

/* Reads once to the end of b, through the decoders added so far. */
static ssize_t append(struct sh_decompress *d, struct sh_buf *b, struct sh_error *err)
{
	ssize_t got;

	if (sh_buf_reserve(b, STEP + SH_PAD, err) < 0)
		return -1;
	got = d->layers ? sh_decompress_more(d, b->p + b->n, STEP, err)
			: d->read(d->arg, b->p + b->n, STEP, err);
	if (got > 0)
		b->n += (size_t)got;
	return got;
}

/* Adds a decoder for the stream whose beginning is in b. */
static int add_layer(struct sh_decompress *d, const struct sh_codec *codec, struct sh_buf *b,
    size_t from, struct sh_error *err)
{
	struct sh_decompress_layer *l = &d->layer[d->layers];

	if (d->layers == SH_DECOMPRESS_LAYERS)
		return sh_error_set(
		    err, SH_ERR_IO, "compressed more than %d times", SH_DECOMPRESS_LAYERS);
	if (!codec->decode.start)
		return sh_codec_lacking(codec, err);
	*l = (struct sh_decompress_layer){ .codec = codec };
	if (sh_buf_add(&l->in, b->p + from, b->n - from, err) < 0)
		return -1;
	l->decoder = codec->decode.start();
	if (!l->decoder) {
		sh_buf_free(&l->in);
		return sh_error_nomem(err);
	}
	if (d->layers == 0)
		d->in = b->n - from;
	d->layers++;
	b->n = from;
	return 0;
}

int sh_decompress_start(struct sh_decompress *d, sh_decompress_read *read, void *arg,
    struct sh_buf *b, size_t from, struct sh_error *err)
{
	*d = (struct sh_decompress){ .read = read, .arg = arg };
	for (;;) {
		struct sh_slice head = sh_slice(b->p + from, b->n - from);
		const struct sh_codec *codec = sh_codec_of(head);
		ssize_t got = 1;

		if (codec && add_layer(d, codec, b, from, err) < 0)
			return -1;
		if (!codec && !sh_codec_undecided(head))
			return 0;
		got = append(d, b, err);
		if (got <= 0)
			return (int)got;
	}
}

void sh_decompress_free(struct sh_decompress *d)
{
	for (size_t i = 0; i < d->layers; i++) {
		if (d->layer[i].decoder)
			d->layer[i].codec->decode.stop(d->layer[i].decoder);
		sh_buf_free(&d->layer[i].in);
	}
	*d = (struct sh_decompress){ 0 };
}
