/*
 * ipcprobe advise: a job of so much compute, so many bytes and calls, and what
 * each way to cross would add to it, from what this machine was measured to cost.
 *
 * The arithmetic (cmd/probe_model.h) is held against the measured rows of suite
 * boundary too.
 */
#include "cmd/probe_model.h"
#include "lib/mem.h"
#include "lib/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WAYS (SHAPES * MODEL_LINKS)

struct way {
	enum shape shape;
	const struct model_link *link;
	double tax_ns, calls;
};

/* Processes are started around pipes; text is asked for over every link but the ring. */
static int fits(enum shape s, const struct model_link *l)
{
	if (s >= SPAWN_JOB)
		return strcmp(l->name, "pipe") == 0;
	return s < JSON_BATCH || strncmp(l->name, "ring", 4) != 0;
}

static int by_tax(const void *a, const void *b)
{
	double x = ((const struct way *)a)->tax_ns, y = ((const struct way *)b)->tax_ns;

	return (x > y) - (x < y);
}

static size_t all_ways(struct way *w, const struct model *m, const struct probe_question *q)
{
	size_t n = 0;

	for (int s = 0; s < SHAPES; s++)
		for (size_t i = 0; i < m->n_links && n < MAX_WAYS; i++) {
			const struct model_link *l = &m->link[i];
			double t = model_tax(m, (enum shape)s, l, (double)q->compute_ns,
			    (double)q->bytes, (double)q->calls);

			if (fits((enum shape)s, l) && isfinite(t))
				w[n++] = (struct way){(enum shape)s, l, t,
				    shape_is_one_call((enum shape)s) ? 1 : (double)q->calls};
		}
	qsort(w, n, sizeof *w, by_tax);
	return n;
}

static int put_ways(const struct way *w, size_t n, const struct probe_question *q, int format,
    struct out *o, struct json_writer *json, struct err *e)
{
	static const char *const names[] = {"way", "link", "calls", "tax_ns", "a_call_ns",
	    "share_x", "total_ns", "g_x", "breakeven_compute_a_call_ns", "calls_per_s",
	    "keeps_rate"};
	size_t columns = q->rate > 0 ? 11 : 10;
	struct report t;

	report_begin(&t, (enum report_format)format, o, json, names, columns);
	for (size_t i = 0; i < n; i++) {
		double call = w[i].tax_ns / w[i].calls, compute = (double)q->compute_ns;
		double rate = 1e9 * w[i].calls / (compute + w[i].tax_ns);

		report_text(&t, shape_names[w[i].shape]);
		report_text(&t, w[i].link->name);
		report_fixed(&t, w[i].calls, 0);
		report_fixed(&t, w[i].tax_ns, 0);
		report_fixed(&t, call, 0);
		report_fixed(&t, w[i].tax_ns / (compute + w[i].tax_ns), 6);
		report_fixed(&t, compute + w[i].tax_ns, 0);
		report_fixed(&t, compute / w[i].tax_ns, 2);
		report_fixed(&t, call, 0);
		report_fixed(&t, rate, 1);
		if (q->rate > 0)
			report_text(&t, rate >= q->rate ? "yes" : "no");
	}
	return report_end(&t, e);
}

/* The shape that a measured row has by its name, or SHAPES. */
static enum shape shape_of(const char *name)
{
	static const struct {
		const char *begins;
		enum shape shape;
	} known[] = {{"batch", BATCH}, {"chatty", CHATTY}, {"preloaded", PRELOADED},
	    {"json batch", JSON_BATCH}, {"json chatty", JSON_CHATTY}, {"spawn a sweep", SPAWN_JOB},
	    {"spawn a set", SPAWN_CALL}};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strncmp(name, known[i].begins, strlen(known[i].begins)) == 0)
			return known[i].shape;
	return SHAPES;
}

/* A measured row of suite boundary beside what the model says of it. */
struct prediction {
	const struct row *row, *base;
	double compute_ns, tax_ns; /* predicted */
	double boundary_ns;        /* measured; NaN where it has no stamps */
	double error;              /* of the total */
};

/* Why the total is off by more than 15%: the run's own spread, the compute, or the boundary. */
static void reason(const struct prediction *p, char *text, size_t cap)
{
	double ratio = (p->compute_ns + p->tax_ns) / p->base->median;
	double compute = p->row->median - p->boundary_ns;

	text[0] = '\0';
	if (fabs(p->error) <= 0.15)
		return;
	if (ratio >= p->row->ratio.low && ratio <= p->row->ratio.high)
		snprintf(text, cap, "within this run's spread: %.3g to %.3g x %s, predicted %.3g",
		    p->row->ratio.low, p->row->ratio.high, p->base->name, ratio);
	else if (strncmp(p->row->name, "json", 4) == 0)
		snprintf(text, cap,
		    "its text was %.3g x the predicted; its way and computing, %.3g x",
		    p->boundary_ns / p->tax_ns, compute / p->compute_ns);
	else if (fabs((compute + p->tax_ns) / p->row->median - 1) <= 0.15)
		snprintf(
		    text, cap, "its compute was %.3g x the predicted", compute / p->compute_ns);
	else
		snprintf(
		    text, cap, "its boundary was %.3g x the predicted", p->boundary_ns / p->tax_ns);
}

/* What the model says of the row; 0 where it says nothing. */
static int predict(struct prediction *p, const struct model *m, const struct result *r,
    const struct row *row, double bytes)
{
	enum shape s = shape_of(row->name);
	const struct model_link *l = model_link(m, row_label_of(row, "transport"));
	double calls = row_extra_of(row, "calls");

	if (strcmp(row->suite, "boundary") != 0 || !row->n || s == SHAPES || !l)
		return 0;
	*p = (struct prediction){.row = row, .base = row_find(r, "boundary", row->ratio_to)};
	if (!p->base || !(p->base->median > 0))
		return 0;
	p->compute_ns =
	    p->base->median * model_cut(r, row_label_of(row, "kernel"), calls) *
	    model_kernel(r, row_label_of(row, "kernel"), row_label_of(p->base, "kernel"));
	p->tax_ns = model_tax(m, s, l, p->compute_ns, bytes, calls);
	p->boundary_ns = row_extra_of(row, "boundary_ns");
	p->error = (p->compute_ns + p->tax_ns) / row->median - 1;
	return 1;
}

/* The model against every measured row of suite boundary. */
static int put_predictions(const struct model *m, const struct result *r, int format, struct out *o,
    struct json_writer *json, struct err *e)
{
	static const char *const names[] = {"row", "predicted_ns", "measured_ns", "error_x",
	    "predicted_boundary_ns", "measured_boundary_ns", "within_15_percent", "note"};
	const struct row *raw = row_find(r, "serial", "raw encode");
	double bytes = raw ? row_extra_of(raw, "size_bytes") : NAN;
	struct report t;

	report_begin(&t, (enum report_format)format, o, json, names, 8);
	for (size_t i = 0; i < r->n_rows && raw; i++) {
		struct prediction p;
		char why[200];

		if (!predict(&p, m, r, r->row[i], bytes))
			continue;
		reason(&p, why, sizeof why);
		report_text(&t, p.row->name);
		report_fixed(&t, p.compute_ns + p.tax_ns, 0);
		report_fixed(&t, p.row->median, 0);
		report_fixed(&t, p.error, 3);
		report_fixed(&t, p.tax_ns, 0);
		report_fixed(&t, p.boundary_ns, 0);
		report_text(&t, fabs(p.error) <= 0.15 ? "yes" : "no");
		report_text(&t, why);
	}
	return report_end(&t, e);
}

static int put_advice(const struct model *m, const struct result *r, const struct probe_question *q,
    int format, struct out *o, struct err *e)
{
	struct way ways[MAX_WAYS];
	size_t n = all_ways(ways, m, q);
	struct json_writer w;

	if (format == FORMAT_JSON) {
		json_to_out(&w, o, 2);
		json_put_object(&w);
		json_put_key(&w, "ways");
		if (put_ways(ways, n, q, REPORT_JSON, o, &w, e) < 0)
			return -1;
		json_put_key(&w, "model");
		if (put_predictions(m, r, REPORT_JSON, o, &w, e) < 0)
			return -1;
		json_put_close(&w);
		return 0;
	}
	format = format == FORMAT_TABLE ? REPORT_TABLE
		 : format == FORMAT_TSV ? REPORT_TSV
					: REPORT_MARKDOWN;
	if (put_ways(ways, n, q, format, o, NULL, e) < 0)
		return -1;
	if (!row_find(r, "serial", "raw encode"))
		return 0;
	out_str(o, "\n");
	return put_predictions(m, r, format, o, NULL, e);
}

int probe_advise(
    const char *path, const struct probe_question *q, int format, struct out *o, struct err *e)
{
	struct result r;
	struct model m;
	int bad;

	if (result_read(&r, path, e) < 0)
		return -1;
	bad = model_read(&m, &r, path, e);
	if (!bad)
		bad = put_advice(&m, &r, q, format, o, e);
	result_free(&r);
	return bad;
}
