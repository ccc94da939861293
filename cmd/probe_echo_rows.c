#include "cmd/probe_echo.h"
#include "cmd/probe_fit.h"
#include "lib/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINEAR_FROM 80000.0 /* bytes: 10,000 floats, from where the published curve is a line */

static double bytes_of(size_t size)
{
	return (double)(echo_floats[size] * sizeof(double));
}

static const char *published(const struct cell *c)
{
	if (c->link == LINK_RING_SPIN && echo_floats[c->size] == 1)
		return "39 ns (measured)";
	if (c->link != LINK_UNIX)
		return "";
	switch (echo_floats[c->size]) {
	case 1: return "14.05 us (M2 Max, measured)";
	case 1000: return "18.1 us (M2 Max, measured)";
	case 150000: return "2043.4 us (M2 Max, measured)";
	default: return "";
	}
}

/* How often the payload is copied on a trip there and back. */
static const char *copies(enum probe_link link)
{
	return link >= LINK_RING ? "3: into the ring, from ring to ring, out of it"
				 : "4: into and out of the kernel, twice";
}

static void add_labels(struct row *row, enum probe_link link)
{
	links_label(row, link);
	row_label(row, "copies", "%s", copies(link));
}

static void add_extras(struct row *row, const struct echo *s, const struct cell *c, struct line fit)
{
	double bytes = bytes_of(c->size), model = fit.floor + fit.slope * bytes;

	row_extra(row, "payload_bytes", bytes);
	row_extra(row, "buffer_bytes", echo_buffer_bytes(s, c->link));
	row_extra(row, "memcpy_ns", s->memcpy_ns[c->size]);
	row_extra(row, "model_ns", model);
	row_extra(row, "model_error_x", row->n ? model / row->median - 1 : (double)NAN);
	row_extra(
	    row, "engine_cpu_ns", row->n ? 1e9 * c->engine_cpu_s / (double)row->n : (double)NAN);
	row_extra(
	    row, "client_cpu_ns", row->n ? 1e9 * c->client_cpu_s / (double)row->n : (double)NAN);
}

/* The fit of one transport over the medians that `at` finds for each size. */
static struct line fit_sizes(const struct echo *s, const double *y, double *r2)
{
	double x[ECHO_SIZES];

	for (size_t i = 0; i < s->n_sizes; i++)
		x[i] = bytes_of(i);
	if (r2)
		fit_above(x, y, s->n_sizes, LINEAR_FROM, r2);
	return fit_relative(x, y, s->n_sizes);
}

/*
 * T = floor + 2b/bandwidth: the floors and bandwidths of all rounds give medians and range.
 * column: of the transport's first size.
 */
static int add_fit(struct echo *s, enum probe_link link, const double *samples, size_t rounds,
    size_t stride, struct line whole, double worst, struct err *e)
{
	double y[ECHO_SIZES], floor[1024], bandwidth[1024], r2[1024];
	struct row *row;
	char name[80];

	for (size_t r = 0; r < rounds; r++) {
		struct line l;

		for (size_t i = 0; i < s->n_sizes; i++)
			y[i] = samples[i * stride + r];
		l = fit_sizes(s, y, &r2[r]);
		floor[r] = l.floor;
		bandwidth[r] = 2e9 / l.slope;
	}
	snprintf(name, sizeof name, "fit %s", probe_link_names[link]);
	row = row_add(&s->p->result, "echo", name, "ns");
	if (!row)
		return err_errno(e, "echo");
	add_labels(row, link);
	row_samples(row, floor, rounds);
	row_extra(row, "floor_ns", whole.floor);
	row_extra(row, "slope_ns_per_byte", whole.slope);
	row_extra(row, "bandwidth_bytes_per_s", stat_median(bandwidth, rounds));
	row_extra(row, "r2_above_10000", stat_median(r2, rounds));
	row_extra(row, "worst_error_x", worst);
	row_note(row, "T = floor + 2b/bandwidth; median, min, max: the floors of each round's fit");
	if (link == LINK_UNIX)
		snprintf(row->published, sizeof row->published,
		    "14 us + 2b/(1.2 GB/s) (M2 Max, derived)");
	return 0;
}

/* The rows of one transport: samples begin at its first size. */
static int add_link(struct echo *s, enum probe_link link, const double *samples,
    const double *unix_samples, size_t rounds, size_t stride, struct err *e)
{
	double median[ECHO_SIZES], scratch[1024], worst = 0;
	struct row *row[ECHO_SIZES];
	struct line fit;

	for (size_t i = 0; i < s->n_sizes; i++) {
		const struct cell *c = &s->cell[(size_t)link * s->n_sizes + i];
		char to[80];

		row[i] = row_add(&s->p->result, "echo", c->name, "ns");
		if (!row[i])
			return err_errno(e, "echo");
		add_labels(row[i], link);
		row_hist(row[i], c->hist);
		median[i] = row[i]->median;
		snprintf(to, sizeof to, "%s %.0f B", probe_link_names[LINK_UNIX], bytes_of(i));
		row_ratio(row[i], to,
		    stat_ratio_paired(
			samples + i * stride, unix_samples + i * stride, rounds, scratch));
		snprintf(row[i]->published, sizeof row[i]->published, "%s", published(c));
	}
	fit = fit_sizes(s, median, NULL);
	for (size_t i = 0; i < s->n_sizes; i++) {
		double error;

		add_extras(row[i], s, &s->cell[(size_t)link * s->n_sizes + i], fit);
		error = row_extra_of(row[i], "model_error_x");
		if (fabs(error) > fabs(worst))
			worst = error;
	}
	return add_fit(s, link, samples, rounds, stride, fit, worst, e);
}

int echo_rows(struct echo *s, double *samples, size_t rounds, size_t stride, struct err *e)
{
	size_t column = 0, unix_column = 0;

	for (int i = 0; i < LINK_UNIX; i++)
		unix_column += s->links.why[i][0] ? 0 : s->n_sizes;
	for (int i = 0; i < LINKS; i++) {
		if (s->links.why[i][0])
			continue;
		if (add_link(s, (enum probe_link)i, samples + column * stride,
			samples + unix_column * stride, rounds, stride, e) < 0)
			return -1;
		column += s->n_sizes;
	}
	return links_skipped(s->p, "echo", &s->links, LINKS, e);
}
