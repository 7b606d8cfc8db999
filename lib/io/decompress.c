/* SPDX-License-Identifier: MIT */
#include "io/decompress.h"

#include <stdint.h>

enum { STEP = 64 * 1024 };

int sh_decompress_start(struct sh_decompress *d, const struct sh_codec *codec, sh_read_fn *read,
    void *arg, struct sh_slice first, struct sh_error *err)
{
	*d = (struct sh_decompress){ .codec = codec, .read = read, .arg = arg, .bytes = first.n };
	if (!codec->decode.start)
		return sh_codec_lacking(codec, err);
	d->decoder = codec->decode.start();
	if (!d->decoder)
		return sh_error_nomem(err);
	return sh_buf_add(&d->in, first.p, first.n, err);
}

void sh_decompress_free(struct sh_decompress *d)
{
	if (d->decoder)
		d->codec->decode.stop(d->decoder);
	sh_buf_free(&d->in);
	*d = (struct sh_decompress){ 0 };
}

/* Reads more compressed bytes behind the bytes that are not decoded. Sets d->eof at the end. */
static int refill(struct sh_decompress *d, struct sh_error *err)
{
	ssize_t got;

	d->in.n -= d->at;
	if (d->in.n)
		memmove(d->in.p, d->in.p + d->at, d->in.n);
	d->at = d->frame = 0;
	if (sh_buf_reserve(&d->in, STEP, err) < 0)
		return -1;
	got = d->read(d->arg, d->in.p + d->in.n, STEP, err);
	if (got < 0)
		return -1;
	d->in.n += (size_t)got;
	d->bytes += (uint64_t)got;
	d->eof = got == 0;
	return 0;
}

/* Returns n after a step of the decoder that made n bytes; or -1 when the step failed. */
static ssize_t report(
    struct sh_decompress *d, enum sh_codec_state state, ssize_t n, struct sh_error *err)
{
	switch (state) {
	case SH_CODEC_MORE:
	case SH_CODEC_END:
		d->within = state == SH_CODEC_MORE;
		d->complete = d->complete || !d->within;
		return n;
	case SH_CODEC_WIDE:
		return sh_error_set(err, SH_ERR_IO,
		    "the %s data need a window of more than %zu MiB (%s reads "
		    "them, " SH_CODEC_WINDOW_NAME "=2G raises the limit)",
		    d->codec->name, sh_codec_window() >> 20, d->codec->command);
	case SH_CODEC_NOMEM:
		return sh_error_nomem(err);
	case SH_CODEC_BAD:
		break;
	}
	d->damaged = true;
	return sh_error_set(err, SH_ERR_IO,
	    "the %s data are damaged at byte %llu or before; the file was not read to its end",
	    d->codec->name, (unsigned long long)(d->bytes - (d->in.n - d->at)));
}

/* Runs one step of the decoder. When a step makes bytes and fails, this call returns the bytes, and
 * the next call the error. */
static ssize_t decode(struct sh_decompress *d, char *p, size_t room, struct sh_error *err)
{
	struct sh_slice in = sh_slice(d->in.p + d->at, d->in.n - d->at);
	char *to = p;
	enum sh_codec_state state;

	d->frame = d->within ? d->frame : d->at;
	state = d->codec->decode.step(d->decoder, &in, &to, room, false);
	d->at = (size_t)(in.p - d->in.p);
	if (state != SH_CODEC_MORE && state != SH_CODEC_END && to > p) {
		d->failed = state;
		return to - p;
	}
	return report(d, state, to - p, err);
}

ssize_t sh_decompress_read(void *decompress, void *p, size_t n, struct sh_error *err)
{
	struct sh_decompress *d = decompress;

	for (;;) {
		ssize_t got;

		if (d->failed)
			return report(d, d->failed, 0, err);
		if (d->at == d->in.n && !d->eof && refill(d, err) < 0)
			return -1;
		if (!d->within && d->at == d->in.n && d->eof)
			return 0;
		/* Zeros may follow a complete frame, as on tapes, but nothing behind the zeros. */
		if (!d->within && d->complete && (d->padded || d->in.p[d->at] == 0)) {
			d->padded = true;
			while (d->at < d->in.n && d->in.p[d->at] == 0)
				d->at++;
			if (d->at < d->in.n)
				return report(d, SH_CODEC_BAD, 0, err);
			continue;
		}
		/* Without input, too: the decoder may hold bytes for which there was no room. */
		got = decode(d, p, n, err);
		if (got != 0)
			return got;
		if (d->within && d->at == d->in.n && d->eof)
			return sh_error_set(err, SH_ERR_IO,
			    "the %s data are cut short; the file was not read to its end",
			    d->codec->name);
	}
}

/* The decoder may have run past the end of the damaged frame, so the search begins where the frame
 * began, as far as its bytes are still here. */
int sh_decompress_resume(struct sh_decompress *d, uint64_t *lost, struct sh_error *err)
{
	const struct sh_codec *codec = d->codec;
	struct sh_slice rest;

	*lost = 1;
	if (!d->damaged || d->in.n <= d->frame)
		return 0;
	for (d->at = d->frame + 1;; d->at++, ++*lost) {
		while (d->in.n - d->at < SH_CODEC_MAGIC && !d->eof)
			if (refill(d, err) < 0)
				return -1;
		rest = sh_slice(d->in.p + d->at, d->in.n - d->at);
		if (rest.n == 0)
			return 0;
		if (codec->is(rest) && sh_codec_likely(codec, rest))
			break;
	}
	codec->decode.stop(d->decoder);
	d->decoder = codec->decode.start();
	d->failed = SH_CODEC_MORE;
	d->within = d->padded = d->damaged = false;
	return d->decoder ? 1 : sh_error_nomem(err);
}
