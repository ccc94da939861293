#include "cmd/probe.h"
#include "lib/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const double row_percentiles[ROW_PERCENTILES] = {50, 90, 99, 99.9, 99.99};
const char *const row_percentile_names[ROW_PERCENTILES] = {"p50", "p90", "p99", "p999", "p9999"};

/* Where the curve of a histogram is sampled: on a 1/(1-p) axis evenly, down to one in a million. */
#define CURVE_POINTS 49
#define CURVE_STEPS_A_DECADE 8

struct row *row_add(struct result *r, const char *suite, const char *name, const char *unit)
{
	/* The vector grows by doubling at powers of two, so its size need not be kept. */
	if ((r->n_rows & (r->n_rows - 1)) == 0) {
		size_t room = r->n_rows ? 2 * r->n_rows : 1;
		struct row **more = mem_resize(r->row, room * sizeof *more);

		if (!more)
			return NULL;
		r->row = more;
	}
	struct row *row = mem_alloc(sizeof *row);

	if (!row)
		return NULL;
	memset(row, 0, sizeof *row);
	snprintf(row->suite, sizeof row->suite, "%s", suite);
	snprintf(row->name, sizeof row->name, "%s", name);
	snprintf(row->unit, sizeof row->unit, "%s", unit);
	r->row[r->n_rows++] = row;
	return row;
}

const struct row *row_find(const struct result *r, const char *suite, const char *name)
{
	for (size_t i = 0; i < r->n_rows; i++)
		if (strcmp(r->row[i]->suite, suite) == 0 && strcmp(r->row[i]->name, name) == 0)
			return r->row[i];
	return NULL;
}

void row_label(struct row *row, const char *key, const char *fmt, ...)
{
	va_list ap;
	size_t i = row->n_labels;

	if (i == ROW_LABELS)
		return;
	snprintf(row->label[i].key, sizeof row->label[i].key, "%s", key);
	va_start(ap, fmt);
	vsnprintf(row->label[i].text, sizeof row->label[i].text, fmt, ap);
	va_end(ap);
	row->n_labels++;
}

void row_extra(struct row *row, const char *key, double value)
{
	size_t i = row->n_extras;

	if (i == ROW_EXTRAS)
		return;
	snprintf(row->extra[i].key, sizeof row->extra[i].key, "%s", key);
	row->extra[i].value = value;
	row->n_extras++;
}

const char *row_label_of(const struct row *row, const char *key)
{
	for (size_t i = 0; i < row->n_labels; i++)
		if (strcmp(row->label[i].key, key) == 0)
			return row->label[i].text;
	return "";
}

double row_extra_of(const struct row *row, const char *key)
{
	for (size_t i = 0; i < row->n_extras; i++)
		if (strcmp(row->extra[i].key, key) == 0)
			return row->extra[i].value;
	return NAN;
}

void row_samples(struct row *row, double *samples, size_t n)
{
	struct stat_range s = stat_range(samples, n);

	row->n = s.n;
	row->median = s.median;
	row->min = s.min;
	row->max = s.max;
}

static void curve_of(struct row *row, const struct hist *h)
{
	double *xy = mem_alloc(2 * CURVE_POINTS * sizeof *xy);
	size_t n = 0;

	if (!xy)
		return;
	for (int i = 0; i < CURVE_POINTS; i++) {
		double p = 100 * (1 - pow(10, -(double)i / CURVE_STEPS_A_DECADE));
		uint64_t ns;

		if (!hist_supports(h->n, p) || hist_percentile(h, p, &ns) < 0)
			continue;
		xy[2 * n] = p;
		xy[2 * n++ + 1] = (double)ns;
	}
	mem_free(row->curve);
	row->curve = xy;
	row->n_curve = n;
}

void row_hist(struct row *row, const struct hist *h)
{
	uint64_t ns;

	row->n = h->n;
	if (!h->n)
		return;
	row->min = (double)h->min;
	row->max = (double)h->max;
	/* The middle one is a sample even where six are needed to give it an interval. */
	if (hist_at_rank(h, (h->n + 1) / 2, &ns) == 0)
		row->median = (double)ns;
	for (int i = 0; i < ROW_PERCENTILES; i++) {
		row->has_percentile[i] = hist_percentile(h, row_percentiles[i], &ns) == 0;
		row->percentile[i] = row->has_percentile[i] ? (double)ns : 0;
	}
	curve_of(row, h);
}

void row_ratio(struct row *row, const char *to, struct stat_ratio ratio)
{
	snprintf(row->ratio_to, sizeof row->ratio_to, "%s", to);
	row->ratio = ratio;
}

void row_pressure(struct row *row, const struct variant *a, const struct variant *b)
{
	row_extra(row, "sibling_x", a->pressure > b->pressure ? a->pressure : b->pressure);
}

void row_note(struct row *row, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(row->why, sizeof row->why, fmt, ap);
	va_end(ap);
}

void row_skip(struct row *row, const char *fmt, ...)
{
	va_list ap;

	row->state = ROW_SKIPPED;
	va_start(ap, fmt);
	vsnprintf(row->why, sizeof row->why, fmt, ap);
	va_end(ap);
}

void result_free(struct result *r)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		mem_free(r->row[i]->curve);
		mem_free(r->row[i]);
	}
	mem_free(r->row);
	mem_free(r->host);
	buf_free(&r->command);
	buf_free(&r->workload);
	*r = (struct result){0};
}
