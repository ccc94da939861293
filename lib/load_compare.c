#include "lib/load_compare.h"
#include "lib/bytes.h"
#include "lib/io.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "lib/stat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define STEP ((size_t)256 << 10)

void load_document_free(struct load_document *d)
{
	for (size_t i = 0; i < d->n; i++)
		mem_free(d->runs[i].response);
	mem_free(d->runs);
	*d = (struct load_document){0};
}

static int read_all(struct buf *b, int fd, const char *name, struct err *e)
{
	ssize_t got;

	do {
		if (buf_reserve(b, STEP) < 0)
			return err_errno(e, "%s", name);
		got = io_read(fd, b->p + b->len, STEP);
		if (got < 0)
			return err_errno(e, "%s: read", name);
		b->len += (size_t)got;
	} while (got > 0);
	return 0;
}

static int expect_u64(struct json *j, uint64_t *v, struct err *e)
{
	enum json_token t = json_next(j, e);
	int64_t i = 0;

	if (t == JSON_ERROR)
		return -1;
	if (t != JSON_NUMBER || json_i64(j, &i) < 0 || i < 0)
		return json_fail(j, e, "a whole number is due here");
	*v = (uint64_t)i;
	return 0;
}

/* [[value, count], ...] into the slots. */
static int read_histogram(struct json *j, struct hist *h, struct err *e)
{
	enum json_token t = json_next(j, e);
	uint64_t value = 0, count = 0;

	if (t != JSON_ARRAY)
		return t == JSON_ERROR ? -1 : json_fail(j, e, "an array of pairs is due here");
	while ((t = json_next(j, e)) == JSON_ARRAY) {
		if (expect_u64(j, &value, e) < 0 || expect_u64(j, &count, e) < 0)
			return -1;
		if (value >= HIST_RANGE)
			return json_fail(j, e, "no value of a histogram");
		h->slot[hist_index(value)] += count;
		h->n += count;
		if (json_next(j, e) != JSON_ARRAY_END)
			return json_fail(j, e, "a pair has two numbers");
	}
	if (t == JSON_ERROR)
		return -1;
	return t == JSON_ARRAY_END ? 0 : json_fail(j, e, "a pair is due here");
}

static int read_response(struct json *j, struct hist *h, struct err *e)
{
	enum json_token t = json_next(j, e);

	if (t != JSON_OBJECT)
		return t == JSON_ERROR ? -1 : json_fail(j, e, "an object is due here");
	while ((t = json_next(j, e)) == JSON_KEY) {
		int bad;

		if (json_is(j, "histogram")) {
			bad = read_histogram(j, h, e);
		} else if (json_is(j, "overflow")) {
			bad = expect_u64(j, &h->overflow, e);
		} else {
			int maximum = json_is(j, "max_ns");

			t = json_next(j, e);
			if (maximum && t == JSON_NUMBER)
				h->max = (uint64_t)j->number;
			bad = json_skip(j, t, e);
		}
		if (bad)
			return -1;
	}
	h->n += h->overflow;
	return t == JSON_OBJECT_END ? 0 : -1;
}

static int read_run(struct json *j, struct load_saved *run, struct err *e)
{
	enum json_token t;

	while ((t = json_next(j, e)) == JSON_KEY) {
		int bad = 0;

		if (json_is(j, "op")) {
			if (json_next(j, e) != JSON_STRING)
				return json_fail(j, e, "the name of an op is due here");
			json_text(j, run->op, sizeof run->op);
		} else if (json_is(j, "bytes")) {
			bad = expect_u64(j, &run->bytes, e);
		} else if (json_is(j, "response")) {
			bad = read_response(j, run->response, e);
		} else {
			bad = json_skip(j, json_next(j, e), e);
		}
		if (bad)
			return -1;
	}
	return t == JSON_OBJECT_END ? 0 : -1;
}

static int read_runs(struct json *j, struct load_document *d, struct err *e)
{
	enum json_token t = json_next(j, e);

	if (t != JSON_ARRAY)
		return t == JSON_ERROR ? -1 : json_fail(j, e, "an array of runs is due here");
	while ((t = json_next(j, e)) == JSON_OBJECT) {
		struct load_saved *more = mem_resize(d->runs, (d->n + 1) * sizeof *d->runs);
		struct load_saved *run;

		if (!more)
			return err_errno(e, "%s", j->name);
		d->runs = more;
		run = &more[d->n];
		*run = (struct load_saved){.response = mem_alloc(sizeof *run->response)};
		if (!run->response)
			return err_errno(e, "%s", j->name);
		hist_reset(run->response);
		d->n++;
		if (read_run(j, run, e) < 0)
			return -1;
	}
	return t == JSON_ARRAY_END ? 0 : -1;
}

static int read_document(struct json *j, struct load_document *d, struct err *e)
{
	enum json_token t = json_next(j, e);
	int seen = 0;

	if (t != JSON_OBJECT)
		return t == JSON_ERROR ? -1 : json_fail(j, e, "no report of echoload in JSON");
	while ((t = json_next(j, e)) == JSON_KEY) {
		if (json_is(j, "runs")) {
			seen = 1;
			if (read_runs(j, d, e) < 0)
				return -1;
		} else if (json_skip(j, json_next(j, e), e) < 0) {
			return -1;
		}
	}
	if (t == JSON_ERROR)
		return -1;
	return seen ? 0 : json_fail(j, e, "no report of echoload in JSON: it has no \"runs\"");
}

int load_document_read(struct load_document *d, int fd, const char *name, struct err *e)
{
	struct buf text = {0};
	struct json j;
	int bad;

	*d = (struct load_document){0};
	e->text[0] = '\0';
	bad = read_all(&text, fd, name, e);
	if (!bad) {
		json_init(&j, name, text.p, text.len);
		bad = read_document(&j, d, e);
		if (bad && !e->text[0])
			json_fail(&j, e, "no report of echoload in JSON");
	}
	buf_free(&text);
	if (bad)
		load_document_free(d);
	return bad;
}

/* Standard normal from two uniforms (Box and Muller). */
static double normal(uint64_t *state)
{
	double u = ((double)(stat_random(state) >> 11) + 1) * 0x1p-53;
	double v = (double)(stat_random(state) >> 11) * 0x1p-53;

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* A percentile as another sample of as many would have shown it: its rank is binomial. */
static uint64_t redraw(const struct hist *h, double p, uint64_t *state)
{
	double n = (double)h->n, q = p / 100;
	double rank = ceil(n * q + sqrt(n * q * (1 - q)) * normal(state));
	uint64_t ns = 0;

	hist_at_rank(h, rank < 1 ? 1 : rank >= n ? h->n : (uint64_t)rank, &ns);
	return ns;
}

static int ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

struct load_ratio load_compare(const struct hist *a, const struct hist *b, double p)
{
	struct load_ratio r = {0};
	double ratios[STAT_RESAMPLES];
	uint64_t state = 1;

	if (hist_percentile(a, p, &r.a_ns) < 0 || hist_percentile(b, p, &r.b_ns) < 0 || !r.a_ns)
		return r;
	r.known = 1;
	r.ratio = (double)r.b_ns / (double)r.a_ns;
	for (size_t i = 0; i < STAT_RESAMPLES; i++) {
		uint64_t x = redraw(a, p, &state), y = redraw(b, p, &state);

		ratios[i] = x ? (double)y / (double)x : r.ratio;
	}
	qsort(ratios, STAT_RESAMPLES, sizeof *ratios, ascending);
	r.low = ratios[STAT_RESAMPLES / 40];
	r.high = ratios[STAT_RESAMPLES - 1 - STAT_RESAMPLES / 40];
	return r;
}
