/*
 * ipcprobe check: result files, ratios only. A regression is a ratio that
 * grew by more than the tolerance while the two intervals lie apart; where a
 * second result is given it must show the same. A baseline of several results spans from
 * the least to the greatest: what moves between runs by itself is in it.
 */
#include "cmd/probe.h"

#include <stdio.h>
#include <string.h>

#define TOLERANCE 0.1 /* below it, two runs on a shared machine differ by themselves */

static const char *fact(const struct result *r, const char *key)
{
	for (size_t i = 0; i < r->n_host; i++)
		if (strcmp(r->host[i].key, key) == 0)
			return r->host[i].text;
	return "";
}

/* Says every fact that differs; how many. Another machine's ratios say nothing about this one. */
static int changed_host(
    const struct result *base, const struct result *now, const char *name, struct out *o)
{
	int n = 0;

	for (size_t i = 0; i < base->n_host; i++) {
		const char *key = base->host[i].key;

		if (!host_fact_identifies(key) || strcmp(base->host[i].text, fact(now, key)) == 0)
			continue;
		out_printf(o, "%s: host changed: %s was '%s', is '%s': not compared\n", name, key,
		    base->host[i].text, fact(now, key));
		n++;
	}
	return n;
}

static int comparable(
    const struct result *base, const struct result *now, const char *name, struct out *o)
{
	if (changed_host(base, now, name, o))
		return 0;
	if (base->quick == now->quick && base->workload.len == now->workload.len &&
	    memcmp(base->workload.p, now->workload.p, base->workload.len) == 0)
		return 1;
	out_printf(o, "%s: another workload ('%s', was '%s'): not compared\n", name,
	    (const char *)now->workload.p, (const char *)base->workload.p);
	return 0;
}

#define BASELINES 64

struct baseline {
	struct result result[BASELINES];
	size_t n;
};

/* Whether the rows were measured under conditions that compare; else what differs, into why. */
static int alike(const struct row *was, const struct row *is, char *why, size_t cap)
{
	const char *old = row_label_of(was, "placement"), *place = row_label_of(is, "placement");
	double x = row_extra_of(is, "sibling_x"), y = row_extra_of(was, "sibling_x");

	if (strcmp(place, old) != 0 || strcmp(place, PROBE_MOVED) == 0) {
		snprintf(why, cap, "the processors were %s in the baseline, then %s", old, place);
		return 0;
	}
	/* Rows without the figure compare: NaN is neither. */
	if (x > y * PROBE_BUSY || y > x * PROBE_BUSY) {
		snprintf(why, cap,
		    "a busy thread shared the core (sibling_x %.3g, in the baseline %.3g)", x, y);
		return 0;
	}
	return 1;
}

/* Of the same yardstick, with intervals: what check can compare at all. */
static int has_ratio(const struct row *row)
{
	return row && row->state == ROW_MEASURED && row->ratio_to[0] && row->ratio.has_interval;
}

/*
 * The baseline's ratio of that row: the median of its results, from the least to
 * the greatest. Only of results under the conditions of `is`, as long as there are such;
 * else of all, and why tells what differed. 0, or -1 where no result has the row.
 */
static int span(
    const struct baseline *b, const struct row *is, struct stat_ratio *was, char *why, size_t cap)
{
	double ratios[BASELINES];
	char differs[160] = "";
	size_t n = 0;

	for (int any = 0; any < 2 && n == 0; any++)
		for (size_t i = 0; i < b->n; i++) {
			const struct row *row = row_find(&b->result[i], is->suite, is->name);

			if (!has_ratio(row) || strcmp(row->ratio_to, is->ratio_to) != 0 ||
			    (!any && !alike(row, is, differs, sizeof differs)))
				continue;
			if (n == 0)
				*was = row->ratio;
			was->low = row->ratio.low < was->low ? row->ratio.low : was->low;
			was->high = row->ratio.high > was->high ? row->ratio.high : was->high;
			ratios[n++] = row->ratio.ratio;
			if (any)
				snprintf(why, cap, "%s", differs);
		}
	if (n == 0)
		return -1;
	was->ratio = stat_median(ratios, n);
	return 0;
}

/* Lower is better in every ratio: a row's time over its yardstick's. */
static int grew(const struct stat_ratio *was, const struct row *is, double tolerance)
{
	return is->ratio.ratio > was->ratio * (1 + tolerance) && is->ratio.low > was->high;
}

static void say(struct out *o, const char *name, const struct stat_ratio *was, const struct row *is)
{
	out_printf(o, "%s: %s: %s: %.4g x %s [%.4g, %.4g], was %.4g [%.4g, %.4g]: %+.0f%%", name,
	    is->suite, is->name, is->ratio.ratio, is->ratio_to, is->ratio.low, is->ratio.high,
	    was->ratio, was->low, was->high, 100 * (is->ratio.ratio / was->ratio - 1));
}

/* Whether the row can be compared, under whatever conditions. */
static int in_all(const struct baseline *b, const struct row *is, const struct result *again)
{
	const struct row *second = again ? row_find(again, is->suite, is->name) : is;
	struct stat_ratio was;
	char why[160];

	return has_ratio(is) && has_ratio(second) && span(b, is, &was, why, sizeof why) == 0;
}

/* Whether the row is in both results and grew in both; why: as span gives it. */
static int both_grew(const struct baseline *b, const struct row *is, const struct result *again,
    double tolerance, struct stat_ratio *was, char *why, size_t cap)
{
	const struct row *second = again ? row_find(again, is->suite, is->name) : is;
	struct stat_ratio also;

	why[0] = '\0';
	if (!has_ratio(is) || !has_ratio(second) || span(b, is, was, why, cap) < 0 ||
	    !grew(was, is, tolerance))
		return 0;
	return span(b, second, &also, why, cap) == 0 && grew(&also, second, tolerance);
}

static int compare(const struct baseline *b, const struct result *now, const struct result *again,
    const char *name, double tolerance, struct out *o)
{
	int regressions = 0, apart = 0, compared = 0;
	char why[160], first[320];

	for (size_t i = 0; i < now->n_rows; i++) {
		const struct row *is = now->row[i];
		struct stat_ratio was;

		compared += in_all(b, is, again);
		if (!both_grew(b, is, again, tolerance, &was, why, sizeof why))
			continue;
		if (why[0]) {
			if (apart++ == 0)
				snprintf(first, sizeof first, "%.15s: %.79s grew: %s", is->suite,
				    is->name, why);
			continue;
		}
		say(o, name, &was, is);
		out_printf(o, "%s\n",
		    again ? ", confirmed by the second result"
			  : ": measure once more and give both results");
		regressions++;
	}
	/* Once, not a line a row: it may come every night until the baseline is made anew. */
	if (apart)
		out_printf(o, "%s: not compared: %d row%s: %s\n", name, apart,
		    err_plural((uint64_t)apart), first);
	/* Else a result with nothing in it would pass, silent as a good one. */
	if (!compared)
		out_printf(o,
		    "%s: nothing compared: no row has a ratio with an interval in all results "
		    "(it takes --rounds 6)\n",
		    name);
	return regressions;
}

static int whole(const struct result *r, const char *name, struct err *e)
{
	if (!r->interrupted)
		return 0;
	return err_set(e, STATUS_INPUT, "%s: an interrupted run: measure anew", name);
}

static int read_baseline(struct baseline *b, const char *path, struct err *e)
{
	if (result_read_all(b->result, BASELINES, &b->n, path, e) < 0)
		return -1;
	for (size_t i = 0; i < b->n; i++)
		if (whole(&b->result[i], path, e) < 0)
			return -1;
	return 0;
}

/* With each result of the baseline; what differs is said once. */
static int all_comparable(
    const struct baseline *b, const struct result *now, const char *name, struct out *o)
{
	for (size_t i = 0; i < b->n; i++)
		if (!comparable(&b->result[i], now, name, o))
			return 0;
	return 1;
}

int probe_check(const char *baseline, const char *result, const char *second, double tolerance,
    struct out *o, struct err *e)
{
	static struct baseline base;
	struct result now = {0}, again = {0};
	int status = -1;

	if (read_baseline(&base, baseline, e) < 0 || result_read(&now, result, e) < 0 ||
	    (second && result_read(&again, second, e) < 0))
		goto out;
	if (whole(&now, result, e) < 0 || whole(&again, second, e) < 0)
		goto out;
	status = STATUS_OK;
	if (all_comparable(&base, &now, result, o) &&
	    (!second || all_comparable(&base, &again, second, o)) &&
	    compare(&base, &now, second ? &again : NULL, result,
		tolerance > 0 ? tolerance : TOLERANCE, o))
		status = STATUS_DIFFER;
out:
	for (size_t i = 0; i < base.n; i++)
		result_free(&base.result[i]);
	result_free(&now);
	result_free(&again);
	return status;
}
