#include "cmd/probe_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const shape_names[SHAPES] = {
    "batch", "chatty", "preloaded", "json batch", "json chatty", "spawn a job", "spawn a call"};

int shape_is_one_call(enum shape s)
{
	return s == BATCH || s == JSON_BATCH || s == SPAWN_JOB;
}

static double per_value(const struct result *r, const char *name)
{
	const struct row *row = row_find(r, "serial", name);

	return row && row->n ? row_extra_of(row, "per_value_ns") / sizeof(double) : NAN;
}

/* Keeps the points sorted by compute. */
static void add_point(struct model_link *l, double compute, double boundary)
{
	size_t i = l->n_points;

	if (i == MODEL_POINTS)
		return;
	for (; i > 0 && l->point[i - 1].compute_ns > compute; i--)
		l->point[i] = l->point[i - 1];
	l->point[i].compute_ns = compute;
	l->point[i].boundary_ns = boundary;
	l->n_points++;
}

/* Calls that carry no data: sweeps, sets and bars of what lies with the engine. */
static void read_points(struct model_link *l, const struct result *r)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct row *row = r->row[i];
		double compute = row_extra_of(row, "compute_ns");
		double boundary = row_extra_of(row, "share_x") * row->median;

		if (strcmp(row->suite, "breakeven") == 0 && row->n && compute > 0 && boundary > 0 &&
		    strcmp(row_label_of(row, "transport"), l->name) == 0)
			add_point(l, compute, boundary);
	}
}

static void read_links(struct model *m, const struct result *r)
{
	for (size_t i = 0; i < r->n_rows && m->n_links < MODEL_LINKS; i++) {
		const struct row *row = r->row[i];
		double bandwidth = row_extra_of(row, "bandwidth_bytes_per_s");
		struct model_link *l = &m->link[m->n_links];

		if (strcmp(row->suite, "echo") != 0 || strncmp(row->name, "fit ", 4) != 0 ||
		    !(bandwidth > 0))
			continue;
		*l = (struct model_link){.name = row->name + 4,
		    .floor_ns = row_extra_of(row, "floor_ns"),
		    .byte_ns = 1e9 / bandwidth};
		read_points(l, r);
		m->n_links++;
	}
}

/* A process that computes, where one was measured: it also touches memory and gives it back. */
static void read_process(struct model *m, const struct result *r)
{
	const struct row *fixed = row_find(r, "spawn", "fixed cost");
	const struct row *set = row_find(r, "spawn", "a set per process");
	double each = set ? row_extra_of(set, "fixed_ns") : NAN;

	m->process_ns = m->process_byte_ns = NAN;
	if (!fixed || !fixed->n)
		return;
	m->process_byte_ns = row_extra_of(fixed, "slope_ns_per_byte");
	if (!(m->process_byte_ns > 0))
		m->process_byte_ns = 0;
	m->process_ns = fixed->median;
	each -= set ? row_extra_of(set, "payload_bytes") * m->process_byte_ns : 0;
	if (each > m->process_ns)
		m->process_ns = each;
}

int model_read(struct model *m, const struct result *r, const char *path, struct err *e)
{
	const struct row *json = row_find(r, "serial", "json encode");
	const struct row *raw = row_find(r, "serial", "raw encode");

	*m = (struct model){0};
	read_links(m, r);
	read_process(m, r);
	m->encode_ns = per_value(r, "json encode");
	m->decode_ns = per_value(r, "json decode");
	m->growth =
	    json && raw ? row_extra_of(json, "size_bytes") / row_extra_of(raw, "size_bytes") : NAN;
	if (m->n_links)
		return 0;
	return err_set(e, STATUS_INPUT,
	    "%s: no measured links in it: make it with ipcprobe -f json echo serial spawn "
	    "breakeven boundary",
	    path);
}

const struct model_link *model_link(const struct model *m, const char *name)
{
	for (size_t i = 0; i < m->n_links; i++)
		if (strcmp(m->link[i].name, name) == 0)
			return &m->link[i];
	return NULL;
}

/* A call without data behind that much compute: between the points by the logarithm of compute. */
static double call_cost(const struct model_link *l, double compute)
{
	size_t i = 0;
	double x, cost;

	while (i < l->n_points && l->point[i].compute_ns < compute)
		i++;
	if (i == 0)
		return l->floor_ns;
	cost = l->point[i - 1].boundary_ns;
	if (i < l->n_points) {
		x = log(compute / l->point[i - 1].compute_ns) /
		    log(l->point[i].compute_ns / l->point[i - 1].compute_ns);
		cost += x * (l->point[i].boundary_ns - cost);
	}
	return cost > l->floor_ns ? cost : l->floor_ns;
}

double model_tax(const struct model *m, enum shape s, const struct model_link *l, double compute_ns,
    double bytes, double calls)
{
	double n = shape_is_one_call(s) ? 1 : calls;
	double call = call_cost(l, compute_ns / n);

	switch (s) {
	case BATCH:
	case CHATTY: return n * (call + bytes * l->byte_ns);
	case PRELOADED: return n * call;
	case JSON_BATCH:
	case JSON_CHATTY:
		return n * (call + bytes * (m->encode_ns + m->decode_ns + m->growth * l->byte_ns));
	case SPAWN_JOB:
	case SPAWN_CALL: return n * (m->process_ns + bytes * m->process_byte_ns);
	case SHAPES: break;
	}
	return NAN;
}

double model_kernel(const struct result *r, const char *kernel, const char *other)
{
	const struct row *a = row_find(r, "kernel", kernel), *b = row_find(r, "kernel", other);

	return a && b && a->n && b->median > 0 ? a->median / b->median : 1;
}

double model_cut(const struct result *r, const char *kernel, double calls)
{
	char name[80];
	const struct row *set, *sweep;
	double x;

	snprintf(name, sizeof name, "set unix %.20s", kernel);
	set = row_find(r, "breakeven", name);
	snprintf(name, sizeof name, "sweep unix %.20s", kernel);
	sweep = row_find(r, "breakeven", name);
	if (!set || !sweep || calls < 2)
		return 1;
	x = calls * row_extra_of(set, "compute_ns") / row_extra_of(sweep, "compute_ns");
	/* Cutting never saves: what looks so is noise. */
	return x > 1 ? x : 1;
}
