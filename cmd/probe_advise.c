/*
 * ipcprobe advise: a job of so much compute, so many bytes and calls, and what
 * each way to cross would add to it, from what this machine was measured to cost.
 *
 * A call over a link costs floor + bytes / bandwidth; text adds an encoding on
 * one side and a decoding on the other; a process adds its start. The same
 * arithmetic is held against the measured rows of suite boundary.
 */
#include "cmd/probe.h"
#include "lib/mem.h"
#include "lib/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WAYS 32

/* A link's model, from suite echo. */
struct link {
	const char *name;
	double floor_ns, byte_ns;
};

struct model {
	struct link link[8];
	size_t n_links;
	double process_ns;           /* NaN: not measured */
	double encode_ns, decode_ns; /* JSON, of a byte of closes; NaN: not measured */
	double growth;               /* text bytes of a byte of closes */
};

enum shape { BATCH, CHATTY, PRELOADED, JSON_BATCH, JSON_CHATTY, SPAWN_JOB, SPAWN_CALL, SHAPES };
static const char *const shape_names[SHAPES] = {
    "batch", "chatty", "preloaded", "json batch", "json chatty", "spawn a job", "spawn a call"};

static double per_value(const struct result *r, const char *name)
{
	const struct row *row = row_find(r, "serial", name);

	return row && row->n ? row_extra_of(row, "per_value_ns") / sizeof(double) : NAN;
}

static int read_model(struct model *m, const struct result *r, const char *path, struct err *e)
{
	const struct row *json = row_find(r, "serial", "json encode");
	const struct row *raw = row_find(r, "serial", "raw encode");
	const struct row *process = row_find(r, "spawn", "fixed cost");

	*m = (struct model){.process_ns = NAN};
	for (size_t i = 0; i < r->n_rows && m->n_links < 8; i++) {
		const struct row *row = r->row[i];
		double bandwidth = row_extra_of(row, "bandwidth_bytes_per_s");

		if (strcmp(row->suite, "echo") != 0 || strncmp(row->name, "fit ", 4) != 0 ||
		    !(bandwidth > 0))
			continue;
		m->link[m->n_links++] =
		    (struct link){row->name + 4, row_extra_of(row, "floor_ns"), 1e9 / bandwidth};
	}
	if (process && process->n)
		m->process_ns = process->median;
	m->encode_ns = per_value(r, "json encode");
	m->decode_ns = per_value(r, "json decode");
	m->growth =
	    json && raw ? row_extra_of(json, "size_bytes") / row_extra_of(raw, "size_bytes") : NAN;
	if (m->n_links)
		return 0;
	return err_set(e, STATUS_INPUT,
	    "%s: no measured links in it: make it with ipcprobe -f json echo serial spawn boundary",
	    path);
}

static const struct link *link_of(const struct model *m, const char *name)
{
	for (size_t i = 0; i < m->n_links; i++)
		if (strcmp(m->link[i].name, name) == 0)
			return &m->link[i];
	return NULL;
}

/* What all calls add together, ns. */
static double tax(
    const struct model *m, enum shape s, const struct link *l, double bytes, double calls)
{
	double there = bytes * l->byte_ns;
	double text = bytes * (m->encode_ns + m->decode_ns + m->growth * l->byte_ns);

	switch (s) {
	case BATCH: return l->floor_ns + there;
	case CHATTY: return calls * (l->floor_ns + there);
	case PRELOADED: return calls * l->floor_ns;
	case JSON_BATCH: return l->floor_ns + text;
	case JSON_CHATTY: return calls * (l->floor_ns + text);
	case SPAWN_JOB: return m->process_ns + there;
	case SPAWN_CALL: return calls * (m->process_ns + there);
	case SHAPES: break;
	}
	return NAN;
}

struct way {
	enum shape shape;
	const struct link *link;
	double tax_ns, calls;
};

/* Processes are started around pipes; text is asked for over every link but the ring. */
static int fits(enum shape s, const struct link *l)
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
			const struct link *l = &m->link[i];
			double t = tax(m, (enum shape)s, l, (double)q->bytes, (double)q->calls);
			int once = s == BATCH || s == JSON_BATCH || s == SPAWN_JOB;

			if (fits((enum shape)s, l) && isfinite(t))
				w[n++] =
				    (struct way){(enum shape)s, l, t, once ? 1 : (double)q->calls};
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

static const char *reason(double error, double measured_tax, double predicted_tax, double total)
{
	if (fabs(error) <= 0.15)
		return "";
	if (isnan(measured_tax) || fabs(predicted_tax - measured_tax) < 0.15 * total)
		return "the boundary is as predicted: the compute differs from in_process";
	return predicted_tax < measured_tax ? "the boundary costs more than an echo of the same "
					      "bytes: caches are cold behind compute"
					    : "the boundary costs less than an echo of the same "
					      "bytes: requests are read while they come";
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
		const struct row *row = r->row[i], *base;
		enum shape s = shape_of(row->name);
		const struct link *l = link_of(m, row_label_of(row, "transport"));
		double boundary = row_extra_of(row, "boundary_ns"), predicted, error;

		if (strcmp(row->suite, "boundary") != 0 || !row->n || s == SHAPES || !l)
			continue;
		base = row_find(r, "boundary", row->ratio_to);
		if (!base)
			continue;
		predicted = tax(m, s, l, bytes, row_extra_of(row, "calls"));
		error = (base->median + predicted) / row->median - 1;
		report_text(&t, row->name);
		report_fixed(&t, base->median + predicted, 0);
		report_fixed(&t, row->median, 0);
		report_fixed(&t, error, 3);
		report_fixed(&t, predicted, 0);
		report_fixed(&t, boundary, 0);
		report_text(&t, fabs(error) <= 0.15 ? "yes" : "no");
		report_text(&t, reason(error, boundary, predicted, row->median));
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
	bad = read_model(&m, &r, path, e);
	if (!bad)
		bad = put_advice(&m, &r, q, format, o, e);
	result_free(&r);
	return bad;
}
