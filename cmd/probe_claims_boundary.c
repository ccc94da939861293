/* Published findings about what a boundary costs, by more than one figure. */
#include "cmd/probe_claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An echo of the workload's closes over the Unix socket: measured, else by the fitted model. */
static double series_echo(const struct probe *p)
{
	double bytes = (double)(p->work.n_bars * sizeof(double));
	char name[80];
	double ns;

	snprintf(name, sizeof name, "unix %.0f B", bytes);
	ns = claim_figure(p, "echo", name, "median");
	if (isfinite(ns))
		return ns;
	return claim_figure(p, "echo", "fit unix", "floor_ns") +
	       bytes * claim_figure(p, "echo", "fit unix", "slope_ns_per_byte");
}

/* Adds what an empty call behind compute costs: echoes in a row keep processors awake. */
static void add_call_behind_compute(const struct probe *p, const char *set, struct claim *c)
{
	double ns = claim_figure(p, "breakeven", set, "median") *
		    claim_figure(p, "breakeven", set, "share_x");
	size_t n = strlen(c->here);

	if (isfinite(ns))
		snprintf(c->here + n, sizeof c->here - n,
		    "; %.3g us an empty call behind as much compute", ns / 1e3);
}

static void batch_boundary(const struct probe *p, struct claim *c)
{
	double x =
	    claim_figure(p, "boundary", "batch unix reference", "boundary_ns") / series_echo(p);

	c->evidence = row_find(&p->result, "boundary", "batch unix reference");
	if (!isfinite(x)) {
		claim_missing(c, NULL, "boundary and echo", "batch unix reference, unix");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.3g x the echo of the same bytes", x);
	add_call_behind_compute(p, "sweep unix reference", c);
	claim_decide(c, x < 2 && x > 0.5);
}

/* What a crossing more costs, ns: chatty's boundary less batch's, over the calls more. */
static double crossing(const struct probe *p)
{
	double calls = claim_figure(p, "boundary", "chatty unix reference", "calls");

	return (claim_figure(p, "boundary", "chatty unix reference", "boundary_ns") -
		   claim_figure(p, "boundary", "batch unix reference", "boundary_ns")) /
	       (calls - 1);
}

static void chatty(const struct probe *p, struct claim *c, int judged)
{
	double each = crossing(p), half = series_echo(p) / 2;

	c->evidence = row_find(&p->result, "boundary", "chatty unix reference");
	if (!isfinite(each) || !isfinite(half)) {
		claim_missing(c, NULL, "boundary and echo", "chatty unix reference");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.4g us a crossing more, %.3g x half an echo",
	    each / 1e3, each / half);
	add_call_behind_compute(p, "set unix reference", c);
	claim_decide(c, !judged || (each > 0 && each < 2 * half && each > half / 2));
}

static void spawn_sweep(const struct probe *p, struct claim *c)
{
	double fixed = claim_figure(p, "spawn", "fixed cost", "median");
	double share = claim_figure(p, "spawn", "fixed cost", "payload_share_x");
	double low = claim_figure(p, "spawn", "fixed cost", "slope_low_ns_per_byte");

	c->evidence = row_find(&p->result, "spawn", "fixed cost");
	if (!isfinite(fixed)) {
		claim_missing(c, c->evidence, "spawn", "fixed cost");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.3g ms fixed; the largest payload adds %.2g of it",
	    fixed / 1e6, share);
	claim_decide(c, low <= 0 || share < 0.1);
}

static void preloaded(const struct probe *p, struct claim *c)
{
	double x = claim_figure(p, "boundary", "preloaded unix reference", "boundary_ns") /
		   claim_figure(p, "boundary", "chatty unix reference", "boundary_ns");

	c->evidence = row_find(&p->result, "boundary", "preloaded unix reference");
	if (!isfinite(x)) {
		claim_missing(c, c->evidence, "boundary", "preloaded unix reference");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.4g of chatty's boundary", x);
	add_call_behind_compute(p, "set unix reference", c);
	claim_decide(c, x < 0.05);
}

/* Beyond computing, as the study has it: a process a set against one for the sweep. */
static void spawn_set(const struct probe *p, struct claim *c)
{
	double each = claim_figure(p, "spawn", "a set per process", "fixed_ns");
	double n = claim_figure(p, "spawn", "a set per process", "processes");
	double x = each / claim_figure(p, "spawn", "a sweep per process", "fixed_ns");

	c->evidence = row_find(&p->result, "spawn", "a set per process");
	if (!isfinite(x)) {
		claim_missing(c, c->evidence, "spawn", "a set per process");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.3g ms, %.3g x %.0f times what one process adds",
	    n * each / 1e6, x, n);
	claim_decide(c, fabs(x - 1) <= 0.25);
}

static void json_chatty(const struct probe *p, struct claim *c)
{
	double all = claim_figure(p, "boundary", "json chatty reference", "median");
	double calls = claim_figure(p, "boundary", "json chatty reference", "calls");
	double least = claim_figure(p, "boundary", "in_process reference", "median") +
		       calls * claim_figure(p, "serial", "json encode", "median");

	c->evidence = row_find(&p->result, "boundary", "json chatty reference");
	if (!isfinite(all) || !isfinite(least)) {
		claim_missing(c, c->evidence, "boundary", "json chatty reference");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.3g s, in_process + %.0f encodes %.3g s", all / 1e9,
	    calls, least / 1e9);
	claim_decide(c, all > least);
}

static void granularity(const struct probe *p, struct claim *c, int judged)
{
	double set =
	    claim_figure(p, "boundary", "in_process reference", "median") / (double)p->work.n_sets;
	double g = set / claim_figure(p, "echo", "unix 8 B", "median");

	c->evidence = row_find(&p->result, "boundary", "in_process reference");
	if (!isfinite(judged ? g : set)) {
		claim_missing(
		    c, c->evidence, "boundary and echo", "in_process reference, unix 8 B");
		return;
	}
	if (judged)
		snprintf(c->here, sizeof c->here, "G = %.4g", g);
	else
		snprintf(c->here, sizeof c->here, "%.4g us a set", set / 1e3);
	claim_decide(c, !judged || g > 100);
}

/* Beyond noise: the greatest of one is below the least of the next. */
static void text_is_the_tax(const struct probe *p, struct claim *c)
{
	static const char *const row[] = {
	    "batch unix reference", "chatty unix reference", "json batch reference"};
	double low[3], mid[3], high[3], all;

	c->evidence = row_find(&p->result, "boundary", row[2]);
	for (int i = 0; i < 3; i++) {
		mid[i] = claim_figure(p, "boundary", row[i], "boundary_ns");
		low[i] = claim_figure(p, "boundary", row[i], "boundary_min_ns");
		high[i] = claim_figure(p, "boundary", row[i], "boundary_max_ns");
		if (!isfinite(mid[i])) {
			claim_missing(c, NULL, "boundary", row[i]);
			return;
		}
	}
	all = claim_figure(p, "boundary", "json chatty reference", "boundary_ns");
	/* One call of JSON against many of raw bytes is the rule; call for call is the reason. */
	snprintf(c->here, sizeof c->here,
	    "batch %.3g, chatty %.3g, JSON batch %.3g, JSON chatty %.3g ms; JSON over raw %.3g x "
	    "in one call, %.3g x in many",
	    mid[0] / 1e6, mid[1] / 1e6, mid[2] / 1e6, all / 1e6, mid[2] / mid[0], all / mid[1]);
	claim_decide(c, high[0] < low[1] && high[1] < low[2]);
}

static void chatty_unix(const struct probe *p, struct claim *c)
{
	chatty(p, c, 1);
}

static void chatty_crossing(const struct probe *p, struct claim *c)
{
	chatty(p, c, 0);
}

static void set_compute(const struct probe *p, struct claim *c)
{
	granularity(p, c, 0);
}

static void granularity_set(const struct probe *p, struct claim *c)
{
	granularity(p, c, 1);
}

const struct claim_judge claim_boundary[] = {{"batch_boundary", batch_boundary},
    {"chatty_unix", chatty_unix}, {"chatty_crossing", chatty_crossing}, {"preloaded", preloaded},
    {"spawn_sweep", spawn_sweep}, {"spawn_set", spawn_set}, {"json_chatty", json_chatty},
    {"set_compute", set_compute}, {"granularity_set", granularity_set},
    {"text_is_the_tax", text_is_the_tax}, {NULL, NULL}};
