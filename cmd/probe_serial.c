/* Suite serial: the closes as bytes and as text, both directions, against memcpy. */
#include "cmd/probe.h"
#include "lib/clock.h"
#include "lib/codec_csv.h"
#include "lib/codec_json.h"
#include "lib/codec_npy.h"
#include "lib/codec_tagged.h"
#include "lib/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_ROOM 32 /* "%.17g" of a binary64, a separator, a NUL */

/* One codec: encode appends to text, decode appends to closes; both are emptied before. */
struct codec {
	const char *name, *how;
	int (*encode)(struct buf *text, const double *x, size_t n);
	int (*decode)(struct buf *closes, const struct buf *text, struct err *e);
	const char *published;
};

static int raw_encode(struct buf *text, const double *x, size_t n)
{
	return buf_append(text, x, n * sizeof *x);
}

static int raw_decode(struct buf *closes, const struct buf *text, struct err *e)
{
	return buf_append(closes, text->p, text->len) < 0 ? err_errno(e, "raw") : 0;
}

static int npy_encode(struct buf *text, const double *x, size_t n)
{
	static const struct npy_field plain = {NULL, "<f8"};

	if (codec_npy_head_write(text, &plain, 1, n) < 0)
		return -1;
	return buf_append(text, x, n * sizeof *x);
}

static int npy_decode(struct buf *closes, const struct buf *text, struct err *e)
{
	return codec_npy_closes(closes, "npy", text->p, text->len, e);
}

static int tagged_encode(struct buf *text, const double *x, size_t n)
{
	return codec_tagged_write(text, x, n);
}

static int tagged_decode(struct buf *closes, const struct buf *text, struct err *e)
{
	return codec_tagged_closes(closes, "tagged", text->p, text->len, e);
}

static int csv_encode(struct buf *text, const double *x, size_t n)
{
	return codec_csv_write(text, x, n);
}

static int csv_decode(struct buf *closes, const struct buf *text, struct err *e)
{
	return codec_csv_closes(closes, "csv", text->p, text->len, NULL, NULL, e);
}

static int json_encode(struct buf *text, const double *x, size_t n)
{
	struct json_writer w;

	json_to_buf(&w, text, 0);
	json_put_array(&w);
	json_put_doubles(&w, x, n);
	json_put_close(&w);
	return w.error ? -1 : 0;
}

static int json_decode(struct buf *closes, const struct buf *text, struct err *e)
{
	return codec_json_closes(closes, "json", NULL, text->p, text->len, NULL, NULL, e);
}

/* What a service written over libc does; the numbers are its cost, the rest is nothing. */
static int libc_encode(struct buf *text, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (buf_reserve(text, NUMBER_ROOM) < 0)
			return -1;
		text->len += (size_t)snprintf(
		    (char *)text->p + text->len, NUMBER_ROOM, "%c%.17g", i ? ',' : '[', x[i]);
	}
	return buf_append(text, "]\n", 3); /* with its NUL: strtod stops there */
}

static int libc_decode(struct buf *closes, const struct buf *text, struct err *e)
{
	const char *at = (const char *)text->p + 1;
	char *end;

	for (;;) {
		double x = strtod(at, &end);

		if (end == at)
			return err_set(e, STATUS_FAILED, "json by libc: no number");
		if (buf_append(closes, &x, sizeof x) < 0)
			return err_errno(e, "json by libc");
		if (*end == ']')
			return 0;
		at = end + 1;
	}
}

static const struct codec codecs[] = {
    {"memcpy", "the floor: one copy", raw_encode, raw_decode, ""},
    {"raw", "binary64, as they lie", raw_encode, raw_decode, "49.1 us encode (M2 Max, measured)"},
    {"npy", "raw behind a header", npy_encode, npy_decode, "pickle < 49.1 us (M2 Max, measured)"},
    {"tagged", "a type byte a value", tagged_encode, tagged_decode, ""},
    {"csv", "shortest decimals", csv_encode, csv_decode, ""},
    {"json", "shortest decimals", json_encode, json_decode, ""},
    {"json by libc", "printf %.17g and strtod", libc_encode, libc_decode,
	"66243 us encode (M2 Max, measured, Python)"},
};
#define CODECS (sizeof codecs / sizeof codecs[0])

struct job {
	const struct codec *codec;
	const struct workload *work;
	struct buf text, closes;
	size_t offset; /* of what text holds */
};

/*
 * Where the bytes begin in their buffer: elsewhere on a page each round, by lines and quarters of
 * one. How two buffers lie to each other is a copy's luck, and one run's would be its result.
 */
static size_t offset_of(int round)
{
	return (size_t)((round + 1) * 37 % 256) * 16;
}

/* Room for an offset, then nothing. 0, or -1. */
static int empty(struct buf *b, size_t offset)
{
	b->len = 0;
	if (buf_reserve(b, offset) < 0)
		return -1;
	b->len = offset;
	return 0;
}

/*
 * Twice, the second is timed: what the first left in the caches is the same
 * for each codec, whichever ran before it. Buffers are emptied, not freed: no memory is
 * asked for while timed.
 */
static int run_encode(void *ctx, int round, double *ns, struct err *e)
{
	struct job *j = ctx;

	j->offset = offset_of(round);
	for (int i = 0; i < 2; i++) {
		uint64_t start;

		if (empty(&j->text, j->offset) < 0)
			return err_errno(e, "serial: %s", j->codec->name);
		start = clock_ns();
		if (j->codec->encode(&j->text, j->work->closes, j->work->n_bars) < 0)
			return err_errno(e, "serial: %s", j->codec->name);
		*ns = (double)(clock_ns() - start);
	}
	return 0;
}

static int run_decode(void *ctx, int round, double *ns, struct err *e)
{
	struct job *j = ctx;
	/* As it was encoded last; what is moved here is where the closes go. */
	struct buf text = {.p = j->text.p + j->offset, .len = j->text.len - j->offset};

	for (int i = 0; i < 2; i++) {
		uint64_t start;

		if (empty(&j->closes, offset_of(round)) < 0)
			return err_errno(e, "serial: %s", j->codec->name);
		start = clock_ns();
		if (j->codec->decode(&j->closes, &text, e) < 0)
			return -1;
		*ns = (double)(clock_ns() - start);
	}
	return 0;
}

/* The gate: what comes back must be what went in, to the bit. */
static int round_trip(struct job *j, struct err *e)
{
	size_t size = j->work->n_bars * sizeof(double), offset = offset_of(-1);
	double ns;

	if (run_encode(j, -1, &ns, e) < 0 || run_decode(j, -1, &ns, e) < 0)
		return -1;
	if (j->closes.len == offset + size &&
	    memcmp(j->closes.p + offset, j->work->closes, size) == 0)
		return 0;
	return err_set(e, STATUS_DIFFER, "serial: %s: closes do not survive encode and decode",
	    j->codec->name);
}

static int add_rows(struct probe *p, const struct job *job, const struct variant *v,
    const char *direction, double *samples, size_t rounds, size_t stride, struct err *e)
{
	struct row *row[CODECS];
	double scratch[1024];
	size_t n = p->work.n_bars;
	char name[80];

	for (size_t k = 0; k < CODECS; k++) {
		snprintf(name, sizeof name, "%s %s", codecs[k].name, direction);
		row[k] = row_add(&p->result, "serial", name, "ns");
		if (!row[k])
			return err_errno(e, "serial");
		row_label(row[k], "codec", "%s", codecs[k].name);
		row_label(row[k], "direction", "%s", direction);
		row_label(row[k], "how", "%s", codecs[k].how);
		snprintf(name, sizeof name, "memcpy %s", direction);
		row_ratio(row[k], name,
		    stat_ratio_paired(samples + k * stride, samples, rounds, scratch));
		row_pressure(row[k], &v[k], &v[0]);
	}
	for (size_t k = 0; k < CODECS; k++) {
		row_samples(row[k], samples + k * stride, rounds);
		row_extra(row[k], "size_bytes", (double)(job[k].text.len - job[k].offset));
		row_extra(row[k], "per_value_ns", n ? row[k]->median / (double)n : NAN);
		row_note(row[k], "caches warm, buffers kept: no memory is asked for while timed");
		if (*direction == 'e')
			snprintf(
			    row[k]->published, sizeof row[k]->published, "%s", codecs[k].published);
	}
	return 0;
}

static int measure(struct probe *p, struct job *job, const char *direction,
    int (*run)(void *, int, double *, struct err *), int rounds, struct err *e)
{
	double *samples = mem_alloc(CODECS * (size_t)rounds * sizeof *samples);
	struct variant v[CODECS];
	int done;

	if (!samples)
		return err_errno(e, "serial");
	for (size_t k = 0; k < CODECS; k++)
		v[k] = (struct variant){.name = codecs[k].name, .run = run, .ctx = &job[k]};
	done = probe_rounds(p, v, CODECS, rounds, samples, e);
	if (done > 0)
		done = add_rows(p, job, v, direction, samples, (size_t)done, (size_t)rounds, e);
	mem_free(samples);
	return done < 0 ? -1 : 0;
}

int suite_serial(struct probe *p, struct err *e)
{
	int rounds = p->rounds ? p->rounds : p->quick ? 9 : 21, bad = 0;
	size_t odd = codec_first_nonfinite(p->work.closes, p->work.n_bars);
	struct job job[CODECS] = {0};
	struct row *row;

	if (odd < p->work.n_bars) {
		row = row_add(&p->result, "serial", "json encode", "ns");
		if (!row)
			return err_errno(e, "serial");
		row_skip(row, "bar %zu is not finite, which text formats here refuse", odd + 1);
		return 0;
	}
	for (size_t k = 0; k < CODECS && !bad; k++) {
		job[k] = (struct job){.codec = &codecs[k], .work = &p->work};
		bad = round_trip(&job[k], e);
	}
	if (!bad)
		bad = measure(p, job, "encode", run_encode, rounds, e);
	if (!bad)
		bad = measure(p, job, "decode", run_decode, rounds, e);
	for (size_t k = 0; k < CODECS; k++) {
		buf_free(&job[k].text);
		buf_free(&job[k].closes);
	}
	return bad;
}
