/* The published findings that one comparison of two figures cannot judge. */
#include "cmd/probe_claims.h"
#include "lib/gbm.h"
#include "lib/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STUDY_BARS 150000

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
	claim_decide(c, strcmp(c->here, "-5165.58 over 57029 trades") == 0);
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

/*
 * What crosses in nanoseconds depends on how far apart the processors are: where the host
 * keeps them far, or moves them, the rings cannot show what they can do.
 */
static void ring_roundtrip(const struct probe *p, struct claim *c)
{
	const struct row *witness = row_find(&p->result, "echo", "witness");
	double ring = claim_figure(p, "echo", "ring spin 8 B", "p50");
	double x = claim_figure(p, "echo", "unix 8 B", "p50") / ring;
	int near = witness && strcmp(row_label_of(witness, "placement"), "near") == 0;

	c->evidence = row_find(&p->result, "echo", "ring spin 8 B");
	if (!isfinite(x)) {
		claim_missing(c, c->evidence, "echo", "ring spin 8 B");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.0f ns, %.3g x below the Unix socket%s", ring, x,
	    near ? "" : "; processors far apart");
	claim_decide(c, x >= 50);
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
		v[i] = claim_figure(p, "echo", name, "median");
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

static void snapshot_swap(const struct probe *p, struct claim *c)
{
	double pointer = claim_figure(p, "snapshot", "read, pointer swap", "p99");
	double copy = claim_figure(p, "snapshot", "read, deep copy", "p99");
	double lock = claim_figure(p, "snapshot", "read, lock", "p99");

	c->evidence = row_find(&p->result, "snapshot", "read, pointer swap");
	if (!isfinite(pointer) || !isfinite(copy) || !isfinite(lock)) {
		claim_missing(c, c->evidence, "snapshot", "read, pointer swap");
		return;
	}
	snprintf(c->here, sizeof c->here, "p99 %.4g us; lock %.4g, deep copy %.4g", pointer / 1e3,
	    lock / 1e3, copy / 1e3);
	claim_decide(c, pointer < copy && pointer < lock);
}

static void less_data(const struct probe *p, struct claim *c)
{
	double time = claim_figure(p, "snapshot", "append, a tenth", "ratio");
	double bytes = claim_figure(p, "snapshot", "append, a tenth", "bytes_ratio");

	c->evidence = row_find(&p->result, "snapshot", "append, a tenth");
	if (!isfinite(time) || !isfinite(bytes)) {
		claim_missing(c, c->evidence, "snapshot", "append, a tenth");
		return;
	}
	snprintf(c->here, sizeof c->here, "%.3g of the time for %.3g of the bytes", time, bytes);
	claim_decide(c, time <= 2 * bytes);
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
	    claim_figure(p, "numa", "load, processor node 0, memory node 0", "median"));
}

static void hand_codec(const struct probe *p, struct claim *c)
{
	double in = claim_figure(p, "serial", "tagged encode", "median") /
		    claim_figure(p, "serial", "raw encode", "median");
	double out = claim_figure(p, "serial", "tagged decode", "median") /
		     claim_figure(p, "serial", "raw decode", "median");

	c->evidence = row_find(&p->result, "serial", "tagged encode");
	if (!isfinite(in) || !isfinite(out)) {
		claim_missing(c, c->evidence, "serial", "tagged encode");
		return;
	}
	snprintf(
	    c->here, sizeof c->here, "tagged over fixed: encode %.3g x, decode %.3g x", in, out);
	claim_decide(c, in > 1 && out > 1);
}

int claim_special(const struct probe *p, const char *id, struct claim *c)
{
	static const struct claim_judge special[] = {{"fingerprint", fingerprint},
	    {"equivalence", equivalence}, {"ring_roundtrip", ring_roundtrip},
	    {"ring_oneway", ring_oneway}, {"snapshot_swap", snapshot_swap},
	    {"less_data", less_data}, {"numa_distance", numa_distance}, {"hand_codec", hand_codec}};

	for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
		if (strcmp(special[i].id, id) == 0) {
			special[i].judge(p, c);
			return 1;
		}
	for (size_t i = 0; claim_boundary[i].id; i++)
		if (strcmp(claim_boundary[i].id, id) == 0) {
			claim_boundary[i].judge(p, c);
			return 1;
		}
	return 0;
}
