/* Suite claims: every published finding against the rows that this run measured. */
#include "cmd/probe_claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A finding that is one figure here: `a`, or `a` over `b`, below or above a limit. */
struct rule {
	const char *id;
	const char *suite_a, *row_a, *field_a;
	const char *suite_b, *row_b, *field_b; /* NULL: a alone */
	enum { BELOW, ABOVE, REPORTED } test;
	double limit;
	const char *unit; /* of the figure */
};

static const struct rule rules[] = {
    {"in_process", "boundary", "in_process reference", "median", NULL, NULL, NULL, REPORTED, 0,
	"ns"},
    {"batch_unix", "boundary", "batch unix reference", "boundary_ns", "boundary",
	"in_process reference", "median", BELOW, 0.01, "of in_process"},
    {"unchecked", "kernel", "checked", "ratio", NULL, NULL, NULL, BELOW, 1.05,
	"checked over reference"},
    {"echo_8B", "echo", "unix 8 B", "p50", NULL, NULL, NULL, REPORTED, 0, "ns p50"},
    {"echo_1000", "echo", "unix 8000 B", "median", "echo", "unix 8 B", "median", BELOW, 2,
	"x of 8 B"},
    {"echo_150000", "echo", "fit unix", "r2_above_10000", NULL, NULL, NULL, ABOVE, 0.99, "R2"},
    {"echo_bandwidth", "echo", "fit unix", "worst_error_x", NULL, NULL, NULL, BELOW, 0.2,
	"worst error of the model"},
    {"serial_raw", "serial", "raw encode", "ratio", NULL, NULL, NULL, BELOW, 2, "x memcpy"},
    {"serial_pickle", "serial", "npy encode", "median", "serial", "raw encode", "median", BELOW, 2,
	"x raw"},
    {"serial_json", "serial", "json by libc encode", "median", "serial", "raw encode", "median",
	ABOVE, 100, "x raw"},
    {"json_batch", "serial", "json encode", "median", "boundary", "in_process reference", "median",
	REPORTED, 0, "of a sweep, client encode alone"},
    {"perbar_total", "perbar", "ticks unix", "median", "perbar", "sweep of the set", "median",
	ABOVE, 1, "x the sweep of the set"},
    {"perbar_compute", "perbar", "live in_process", "per_bar_ns", NULL, NULL, NULL, REPORTED, 0,
	"ns a bar"},
    {"perbar_ring", "perbar", "ticks ring spin", "median", "perbar", "ticks unix", "median", BELOW,
	0.1, "of the ticks over the Unix socket"},
    {"peak_rate", "legs", "open loop at the exchange's peak", "achieved_per_s", NULL, NULL, NULL,
	ABOVE, 20532.6, "calls a second, none lost (99% of 20,740 or more)"},
    {"tail_alloc", "alloc", "buffers reused 1200000 B", "ratio_high", NULL, NULL, NULL, BELOW, 1,
	"x p99 of a buffer a request, upper end of the interval"},
    {"hot_start", "snapshot", "first answer, mapped", "ratio", NULL, NULL, NULL, BELOW, 2,
	"x the steady answer"},
    {"pinning", "ladder", "pinned", "ratio_high", NULL, NULL, NULL, BELOW, 1,
	"x p99 of the control, upper end of the interval"},
    {"spin", "ladder", "pinned, busy poll", "p50_ratio_high", NULL, NULL, NULL, BELOW, 1,
	"x p50 of the control, upper end of the interval"},
    {"recorder", "legs", "small call, flight recorder", "ratio", NULL, NULL, NULL, BELOW, 1.02,
	"x p50 without it"},
};

double claim_field(const struct row *row, const char *field)
{
	if (!row || row->state != ROW_MEASURED)
		return NAN;
	if (strcmp(field, "ratio") == 0)
		return row->ratio_to[0] && row->ratio.n ? row->ratio.ratio : NAN;
	if (strcmp(field, "ratio_high") == 0)
		return row->ratio_to[0] && row->ratio.has_interval ? row->ratio.high : NAN;
	for (int i = 0; i < ROW_PERCENTILES; i++)
		if (strcmp(field, row_percentile_names[i]) == 0)
			return row->has_percentile[i] ? row->percentile[i] : NAN;
	if (strcmp(field, "median") == 0)
		return row->n ? row->median : NAN;
	return row_extra_of(row, field);
}

double claim_figure(const struct probe *p, const char *suite, const char *row, const char *field)
{
	return claim_field(row_find(&p->result, suite, row), field);
}

void claim_decide(struct claim *c, int holds)
{
	c->verdict = holds ? CLAIM_HOLDS : CLAIM_HOLDS_NOT;
}

void claim_missing(struct claim *c, const struct row *row, const char *suite, const char *name)
{
	c->verdict = CLAIM_NOT_MEASURABLE;
	if (row && row->state == ROW_SKIPPED)
		snprintf(c->here, sizeof c->here, "%.159s", row->why);
	else
		snprintf(c->here, sizeof c->here, "no figure of %s: %s", suite, name);
}

static void judge(const struct probe *p, const struct rule *r, struct claim *c)
{
	const struct row *a = row_find(&p->result, r->suite_a, r->row_a);
	const struct row *b = r->suite_b ? row_find(&p->result, r->suite_b, r->row_b) : NULL;
	double x = claim_field(a, r->field_a), y = r->suite_b ? claim_field(b, r->field_b) : 1;

	c->evidence = a;
	if (!isfinite(x)) {
		claim_missing(c, a, r->suite_a, r->row_a);
		return;
	}
	if (!isfinite(y) || y == 0) {
		claim_missing(c, b, r->suite_b, r->row_b);
		return;
	}
	x /= y;
	c->verdict = r->test == REPORTED || (r->test == BELOW ? fabs(x) < r->limit : x > r->limit)
			 ? CLAIM_HOLDS
			 : CLAIM_HOLDS_NOT;
	snprintf(c->here, sizeof c->here, "%.4g %s", x, r->unit);
}

static int add_row(
    struct probe *p, const struct probe_finding *f, const struct claim *c, struct err *e)
{
	static const char *const verdicts[] = {"holds", "does not hold", "not measurable here"};
	const struct row *seen = c->evidence && c->evidence->n ? c->evidence : NULL;
	struct row *row = row_add(&p->result, "claims", f->id, seen ? seen->unit : "ns");

	if (!row)
		return err_errno(e, "claims");
	row_label(row, "verdict", "%s", verdicts[c->verdict]);
	row_label(row, "here", "%s", c->here);
	row_label(row, "claim", "%s", f->claim);
	row_label(row, "holds_when", "%s", f->holds);
	snprintf(
	    row->published, sizeof row->published, "%s %s (%s)", f->published, f->unit, f->basis);
	/* The figures of the row that the verdict rests on. */
	if (seen) {
		row->n = seen->n;
		row->median = seen->median;
		row->min = seen->min;
		row->max = seen->max;
		row_label(row, "evidence", "%s: %s", seen->suite, seen->name);
	}
	return 0;
}

int suite_claims(struct probe *p, struct err *e)
{
	for (size_t i = 0; i < probe_n_findings; i++) {
		const struct probe_finding *f = &probe_findings[i];
		struct claim c = {CLAIM_NOT_MEASURABLE, NULL, "no rule for it"};
		int found = claim_special(p, f->id, &c);

		for (size_t k = 0; k < sizeof rules / sizeof rules[0] && !found; k++)
			if (strcmp(rules[k].id, f->id) == 0)
				judge(p, &rules[k], &c);
		if (add_row(p, f, &c, e) < 0)
			return -1;
	}
	return 0;
}
