/* The published findings that one comparison of two figures cannot judge. */
#include "cmd/probe_claims.h"
#include "lib/gbm.h"
#include "lib/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STUDY_BARS 150000

static double figure(const struct probe *p, const char *suite, const char *row, const char *field)
{
	return claim_field(row_find(&p->result, suite, row), field);
}

static void decide(struct claim *c, int holds)
{
	c->verdict = holds ? CLAIM_HOLDS : CLAIM_HOLDS_NOT;
}

/* Computed here and now, whatever the workload: it is a fact, not a timing. */
static void fingerprint(const struct probe *p, struct claim *c)
{
	struct hma_set set = hma_set_of_length(6);
	struct gbm_params params = GBM_DEFAULTS;
	double *closes = mem_alloc(STUDY_BARS * sizeof *closes);
	void *scratch = mem_alloc(hma_scratch_size(HMA_AUTO, STUDY_BARS, set.full));
	struct hma_result r = {0};
	struct gbm g;

	(void)p;
	gbm_init(&g, &params);
	if (closes && scratch && gbm_next(&g, closes, STUDY_BARS, NULL) == 0)
		hma_sweep(HMA_AUTO, closes, STUDY_BARS, &set, 1, 0.09, scratch, &r);
	mem_free(closes);
	mem_free(scratch);
	snprintf(c->here, sizeof c->here, "%.2f over %lld trades", r.pnl, (long long)r.trades);
	decide(c, strcmp(c->here, "-5165.58 over 57029 trades") == 0);
}

/* A row that was not identical ended the run; those that stand here passed. */
static void equivalence(const struct probe *p, struct claim *c)
{
	size_t rows = 0;

	for (size_t i = 0; i < p->result.n_rows; i++)
		rows += strcmp(p->result.row[i]->suite, "boundary") == 0 &&
			p->result.row[i]->ratio_to[0];
	snprintf(c->here, sizeof c->here, "%zu rows, all %zu sets identical to the byte", rows,
	    p->work.n_sets);
	c->verdict = rows ? CLAIM_HOLDS : CLAIM_NOT_MEASURABLE;
}

/* An echo of the workload's closes over the Unix socket: measured, else by the fitted model. */
static double series_echo(const struct probe *p)
{
	double bytes = (double)(p->work.n_bars * sizeof(double));
	char name[80];
	double ns;

	snprintf(name, sizeof name, "unix %.0f B", bytes);
	ns = figure(p, "echo", name, "median");
	if (isfinite(ns))
		return ns;
	return figure(p, "echo", "fit unix", "floor_ns") +
	       bytes * figure(p, "echo", "fit unix", "slope_ns_per_byte");
}

static void batch_boundary(const struct probe *p, struct claim *c)
{
	double x = figure(p, "boundary", "batch unix reference", "boundary_ns") / series_echo(p);

	c->evidence = row_find(&p->result, "boundary", "batch unix reference");
	if (!isfinite(x)) {
		claim_missing(c, NULL, "boundary and echo", "batch unix reference, unix");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.3g x the echo of the same bytes", x);
	decide(c, x < 2 && x > 0.5);
}

/* What a crossing more costs, ns: chatty's boundary less batch's, over the calls more. */
static double crossing(const struct probe *p)
{
	double calls = figure(p, "boundary", "chatty unix reference", "calls");

	return (figure(p, "boundary", "chatty unix reference", "boundary_ns") -
		   figure(p, "boundary", "batch unix reference", "boundary_ns")) /
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
	decide(c, !judged || (each > 0 && each < 2 * half && each > half / 2));
}

static void spawn_sweep(const struct probe *p, struct claim *c)
{
	double fixed = figure(p, "spawn", "fixed cost", "median");
	double share = figure(p, "spawn", "fixed cost", "payload_share_x");
	double low = figure(p, "spawn", "fixed cost", "slope_low_ns_per_byte");

	c->evidence = row_find(&p->result, "spawn", "fixed cost");
	if (!isfinite(fixed)) {
		claim_missing(c, c->evidence, "spawn", "fixed cost");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.3g ms fixed; the largest payload adds %.2g of it",
	    fixed / 1e6, share);
	decide(c, low <= 0 || share < 0.1);
}

static void spawn_set(const struct probe *p, struct claim *c)
{
	double all = figure(p, "spawn", "a set per process", "median");
	double n = figure(p, "spawn", "a set per process", "processes");
	double x = all / (n * figure(p, "spawn", "fixed cost", "median"));

	c->evidence = row_find(&p->result, "spawn", "a set per process");
	if (!isfinite(x)) {
		claim_missing(c, c->evidence, "spawn", "a set per process");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.3g x of %.0f x the fixed cost", x, n);
	decide(c, fabs(x - 1) <= 0.25);
}

static void json_chatty(const struct probe *p, struct claim *c)
{
	double all = figure(p, "boundary", "json chatty reference", "median");
	double calls = figure(p, "boundary", "json chatty reference", "calls");
	double least = figure(p, "boundary", "in_process reference", "median") +
		       calls * figure(p, "serial", "json encode", "median");

	c->evidence = row_find(&p->result, "boundary", "json chatty reference");
	if (!isfinite(all) || !isfinite(least)) {
		claim_missing(c, c->evidence, "boundary", "json chatty reference");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.3g s, in_process + %.0f encodes %.3g s", all / 1e9,
	    calls, least / 1e9);
	decide(c, all > least);
}

static void granularity(const struct probe *p, struct claim *c, int judged)
{
	double set =
	    figure(p, "boundary", "in_process reference", "median") / (double)p->work.n_sets;
	double g = set / figure(p, "echo", "unix 8 B", "median");

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
	decide(c, !judged || g > 100);
}

/*
 * What crosses in nanoseconds depends on how far apart the processors are: where the host
 * keeps them far, or moves them, the rings cannot show what they can do.
 */
static void ring_roundtrip(const struct probe *p, struct claim *c)
{
	const struct row *witness = row_find(&p->result, "echo", "witness");
	double ring = figure(p, "echo", "ring spin 8 B", "p50");
	double x = figure(p, "echo", "unix 8 B", "p50") / ring;
	int near = witness && strcmp(row_label_of(witness, "before"), "near") == 0 &&
		   strcmp(row_label_of(witness, "after"), "near") == 0;

	c->evidence = row_find(&p->result, "echo", "ring spin 8 B");
	if (!isfinite(x)) {
		claim_missing(c, c->evidence, "echo", "ring spin 8 B");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.0f ns, %.3g x below the Unix socket%s", ring, x,
	    near ? "" : "; processors far apart");
	decide(c, x >= 50);
	if (x < 50 && !near)
		c->verdict = CLAIM_NOT_MEASURABLE;
}

static void ring_oneway(const struct probe *p, struct claim *c)
{
	static const int size[] = {64, 256, 1024};
	double v[3];
	char name[40];

	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "ring one way %d B", size[i]);
		v[i] = figure(p, "echo", name, "median");
		if (i == 0)
			c->evidence = row_find(&p->result, "echo", name);
		if (!isfinite(v[i])) {
			claim_missing(c, c->evidence, "echo", name);
			return;
		}
	}
	snprintf(c->here, sizeof c->here, "%.0f/%.0f/%.0f ns", v[0], v[1], v[2]);
	c->verdict = CLAIM_HOLDS;
}

/* Beyond noise: the greatest of one is below the least of the next. */
static void text_is_the_tax(const struct probe *p, struct claim *c)
{
	static const char *const row[] = {
	    "batch unix reference", "chatty unix reference", "json batch reference"};
	double low[3], mid[3], high[3], all;

	c->evidence = row_find(&p->result, "boundary", row[2]);
	for (int i = 0; i < 3; i++) {
		mid[i] = figure(p, "boundary", row[i], "boundary_ns");
		low[i] = figure(p, "boundary", row[i], "boundary_min_ns");
		high[i] = figure(p, "boundary", row[i], "boundary_max_ns");
		if (!isfinite(mid[i])) {
			claim_missing(c, NULL, "boundary", row[i]);
			return;
		}
	}
	all = figure(p, "boundary", "json chatty reference", "boundary_ns");
	/* One call of JSON against many of raw bytes is the rule; call for call is the reason. */
	snprintf(c->here, sizeof c->here,
	    "batch %.3g, chatty %.3g, JSON batch %.3g, JSON chatty %.3g ms; JSON over raw %.3g x "
	    "in one call, %.3g x in many",
	    mid[0] / 1e6, mid[1] / 1e6, mid[2] / 1e6, all / 1e6, mid[2] / mid[0], all / mid[1]);
	decide(c, high[0] < low[1] && high[1] < low[2]);
}

static void snapshot_swap(const struct probe *p, struct claim *c)
{
	double pointer = figure(p, "snapshot", "read, pointer swap", "p99");
	double copy = figure(p, "snapshot", "read, deep copy", "p99");
	double lock = figure(p, "snapshot", "read, lock", "p99");

	c->evidence = row_find(&p->result, "snapshot", "read, pointer swap");
	if (!isfinite(pointer) || !isfinite(copy) || !isfinite(lock)) {
		claim_missing(c, c->evidence, "snapshot", "read, pointer swap");
		return;
	}
	snprintf(c->here, sizeof c->here, "p99 %.4g us; lock %.4g, deep copy %.4g", pointer / 1e3,
	    lock / 1e3, copy / 1e3);
	decide(c, pointer < copy && pointer < lock);
}

static void less_data(const struct probe *p, struct claim *c)
{
	double time = figure(p, "snapshot", "append, a tenth", "ratio");
	double bytes = figure(p, "snapshot", "append, a tenth", "bytes_ratio");

	c->evidence = row_find(&p->result, "snapshot", "append, a tenth");
	if (!isfinite(time) || !isfinite(bytes)) {
		claim_missing(c, c->evidence, "snapshot", "append, a tenth");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.3g of the time for %.3g of the bytes", time, bytes);
	decide(c, time <= 2 * bytes);
}

static void numa_distance(const struct probe *p, struct claim *c)
{
	const struct row *nodes = row_find(&p->result, "numa", "nodes");

	c->evidence = nodes;
	if (!nodes || !nodes->n) {
		claim_missing(c, nodes, "numa", "nodes");
		return;
	}
	c->verdict = nodes->median > 1 ? CLAIM_HOLDS : CLAIM_NOT_MEASURABLE;
	snprintf(c->here, sizeof c->here, "%.0f node%s, %.3g ns a load at home", nodes->median,
	    nodes->median > 1 ? "s" : ": no memory is remote",
	    figure(p, "numa", "load, processor node 0, memory node 0", "median"));
}

static void hand_codec(const struct probe *p, struct claim *c)
{
	double in = figure(p, "serial", "tagged encode", "median") /
		    figure(p, "serial", "raw encode", "median");
	double out = figure(p, "serial", "tagged decode", "median") /
		     figure(p, "serial", "raw decode", "median");

	c->evidence = row_find(&p->result, "serial", "tagged encode");
	if (!isfinite(in) || !isfinite(out)) {
		claim_missing(c, c->evidence, "serial", "tagged encode");
		return;
	}
	snprintf(
	    c->here, sizeof c->here, "tagged over fixed: encode %.3g x, decode %.3g x", in, out);
	decide(c, in > 1 && out > 1);
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

int claim_special(const struct probe *p, const char *id, struct claim *c)
{
	static const struct {
		const char *id;
		void (*judge)(const struct probe *p, struct claim *c);
	} special[] = {{"fingerprint", fingerprint}, {"equivalence", equivalence},
	    {"batch_boundary", batch_boundary}, {"chatty_unix", chatty_unix},
	    {"chatty_crossing", chatty_crossing}, {"spawn_sweep", spawn_sweep},
	    {"spawn_set", spawn_set}, {"json_chatty", json_chatty}, {"set_compute", set_compute},
	    {"granularity_set", granularity_set}, {"ring_roundtrip", ring_roundtrip},
	    {"ring_oneway", ring_oneway}, {"text_is_the_tax", text_is_the_tax},
	    {"snapshot_swap", snapshot_swap}, {"less_data", less_data},
	    {"numa_distance", numa_distance}, {"hand_codec", hand_codec}};

	for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
		if (strcmp(special[i].id, id) == 0) {
			special[i].judge(p, c);
			return 1;
		}
	return 0;
}
