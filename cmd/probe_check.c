/*
 * ipcprobe check: two result files, ratios only. A regression is a ratio that
 * grew by more than the tolerance while the two intervals lie apart; where a
 * second result is given it must show the same.
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

/* Lower is better in every ratio: a row's time over its yardstick's. */
static int grew(const struct row *was, const struct row *is, double tolerance)
{
	if (!is || is->state != ROW_MEASURED || !is->ratio.has_interval || !was->ratio.has_interval)
		return 0;
	return strcmp(is->ratio_to, was->ratio_to) == 0 &&
	       is->ratio.ratio > was->ratio.ratio * (1 + tolerance) &&
	       is->ratio.low > was->ratio.high;
}

static void say(struct out *o, const char *name, const struct row *was, const struct row *is)
{
	out_printf(o, "%s: %s: %s: %.4g x %s [%.4g, %.4g], was %.4g [%.4g, %.4g]: %+.0f%%", name,
	    is->suite, is->name, is->ratio.ratio, is->ratio_to, is->ratio.low, is->ratio.high,
	    was->ratio.ratio, was->ratio.low, was->ratio.high,
	    100 * (is->ratio.ratio / was->ratio.ratio - 1));
}

/* Whether the two were measured under conditions that do not compare: then says so, with the row.
 */
static int apart(struct out *o, const char *name, const struct row *was, const struct row *is)
{
	const char *place = row_label_of(is, "placement"), *old = row_label_of(was, "placement");
	double x = row_extra_of(is, "sibling_x"), y = row_extra_of(was, "sibling_x");

	if (strcmp(place, old) != 0 || strcmp(place, PROBE_MOVED) == 0) {
		say(o, name, was, is);
		out_printf(o, ": not compared: the processors were %s, then %s\n", old, place);
		return 1;
	}
	/* Rows without the figure compare: NaN is neither. */
	if (x > y * PROBE_BUSY || y > x * PROBE_BUSY) {
		say(o, name, was, is);
		out_printf(o,
		    ": not compared: a busy thread shared the core (sibling_x %.3g, was %.3g)\n", x,
		    y);
		return 1;
	}
	return 0;
}

static int compare(const struct result *base, const struct result *now, const struct result *again,
    const char *name, double tolerance, struct out *o)
{
	int regressions = 0;

	for (size_t i = 0; i < base->n_rows; i++) {
		const struct row *was = base->row[i], *second = NULL;
		const struct row *is = row_find(now, was->suite, was->name);

		if (!was->ratio_to[0] || !grew(was, is, tolerance))
			continue;
		if (again) {
			second = row_find(again, was->suite, was->name);
			if (!grew(was, second, tolerance))
				continue;
		}
		if (apart(o, name, was, is) || (again && apart(o, name, was, second)))
			continue;
		say(o, name, was, is);
		out_printf(o, "%s\n",
		    again ? ", confirmed by the second result"
			  : ": measure once more and give both results");
		regressions++;
	}
	return regressions;
}

static int whole(const struct result *r, const char *name, struct err *e)
{
	if (!r->interrupted)
		return 0;
	return err_set(e, STATUS_INPUT, "%s: an interrupted run: measure anew", name);
}

int probe_check(const char *baseline, const char *result, const char *second, double tolerance,
    struct out *o, struct err *e)
{
	struct result base = {0}, now = {0}, again = {0};
	int status = -1;

	if (result_read(&base, baseline, e) < 0 || result_read(&now, result, e) < 0 ||
	    (second && result_read(&again, second, e) < 0))
		goto out;
	if (whole(&base, baseline, e) < 0 || whole(&now, result, e) < 0 ||
	    whole(&again, second, e) < 0)
		goto out;
	status = STATUS_OK;
	if (comparable(&base, &now, result, o) &&
	    (!second || comparable(&base, &again, second, o)) &&
	    compare(&base, &now, second ? &again : NULL, result,
		tolerance > 0 ? tolerance : TOLERANCE, o))
		status = STATUS_DIFFER;
out:
	result_free(&base);
	result_free(&now);
	result_free(&again);
	return status;
}
