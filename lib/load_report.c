#include "lib/load_report.h"

#include <math.h>
#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* The last columns, where they were asked for. */
#define ONE_WAY "there_p50_ns", "there_p99_ns", "back_p50_ns", "back_p99_ns"
#define N_ONE_WAY 4

static const char *const closed_names[] = {"op", "bytes", "wait", "n", "per_s", "min_ns", "p50_ns",
    "p90_ns", "p99_ns", "p99.9_ns", "p99.99_ns", "max_ns", "mean_ns", "cpu_ns", "peer_cpu_ns",
    "faults", ONE_WAY};
static const char *const open_names[] = {"op", "bytes", "wait", "n", "wanted_per_s", "per_s",
    "unsent", "p50_ns", "p90_ns", "p99_ns", "p99.9_ns", "max_ns", "service_p50_ns",
    "service_p99_ns", "service_max_ns", "late_p50_ns", "late_p99_ns", "late_max_ns", "cpu_ns",
    "peer_cpu_ns", "faults", ONE_WAY};

double load_achieved(const struct load_result *r)
{
	return r->elapsed_ns ? (double)r->answered * 1e9 / (double)r->elapsed_ns : 0;
}

int load_fell_short(const struct load_head *h, const struct load_result *r)
{
	if (h->config->rate <= 0 || r->interrupted || (r->answered == 0 && r->unsent == 0))
		return 0;
	return load_achieved(r) < h->min_achieved * h->config->rate;
}

const char *load_wait(const struct load_config *k, const struct load_result *r)
{
	return k->spin ? "spin" : r->ring ? "spin+sleep" : r->blocking ? "block" : "poll";
}

static void put_percentile(struct report *t, const struct hist *h, double p)
{
	uint64_t ns = 0;
	int known = hist_percentile(h, p, &ns) == 0;

	report_maybe(t, known, ns);
}

static void put_rate(struct report *t, double per_s)
{
	if (per_s > 0)
		report_fixed(t, per_s, per_s < 100 ? 2 : 0);
	else
		report_null(t);
}

static void put_cpu(struct report *t, const struct load_result *r)
{
	report_maybe(t, r->answered > 0, r->answered ? r->cpu_ns / r->answered : 0);
	report_maybe(
	    t, r->answered > 0 && r->has_peer_cpu, r->answered ? r->peer_cpu_ns / r->answered : 0);
	report_u64(t, load_faults(r));
}

static void put_open(struct report *t, const struct load_head *h, const struct load_result *r)
{
	static const double ps[] = {50, 90, 99, 99.9, 100}, few[] = {50, 99, 100};

	put_rate(t, h->config->rate);
	put_rate(t, load_achieved(r));
	report_u64(t, r->unsent);
	for (size_t i = 0; i < COUNT(ps); i++)
		put_percentile(t, &r->response, ps[i]);
	for (size_t i = 0; i < COUNT(few); i++)
		put_percentile(t, &r->service, few[i]);
	for (size_t i = 0; i < COUNT(few); i++)
		put_percentile(t, &r->lateness, few[i]);
}

static void put_closed(struct report *t, const struct load_result *r)
{
	static const double ps[] = {0, 50, 90, 99, 99.9, 99.99, 100};

	put_rate(t, load_achieved(r));
	for (size_t i = 0; i < COUNT(ps); i++)
		put_percentile(t, &r->response, ps[i]);
	report_maybe(t, r->response.n > 0, (uint64_t)(hist_mean(&r->response) + 0.5));
}

static void put_one_way(struct report *t, const struct load_result *r)
{
	put_percentile(t, &r->there, 50);
	put_percentile(t, &r->there, 99);
	put_percentile(t, &r->back, 50);
	put_percentile(t, &r->back, 99);
}

int load_report_table(struct out *o, enum report_format f, const struct load_head *h,
    const struct load_row *rows, size_t n, struct err *e)
{
	int open_loop = h->config->rate > 0;
	size_t without = h->config->one_way ? 0 : N_ONE_WAY;
	struct report t;

	if (open_loop)
		report_begin(&t, f, o, NULL, open_names, COUNT(open_names) - without);
	else
		report_begin(&t, f, o, NULL, closed_names, COUNT(closed_names) - without);
	for (size_t i = 0; i < n; i++) {
		report_text(&t, rows[i].op);
		report_u64(&t, rows[i].bytes);
		report_text(&t, load_wait(h->config, rows[i].r));
		report_u64(&t, rows[i].r->answered);
		if (open_loop)
			put_open(&t, h, rows[i].r);
		else
			put_closed(&t, rows[i].r);
		put_cpu(&t, rows[i].r);
		if (!without)
			put_one_way(&t, rows[i].r);
	}
	return report_end(&t, e);
}

static const char *fact(const struct load_head *h, const char *key)
{
	for (size_t i = 0; i < h->n_facts; i++)
		if (strcmp(h->facts[i].key, key) == 0)
			return h->facts[i].text;
	return "unknown";
}

void load_report_before(struct out *o, const struct load_head *h)
{
	const struct load_config *k = h->config;

	out_printf(o, "%s, %s loop, %zu connection%s of %zu thread%s, depth %zu%s\n", h->peer,
	    k->rate > 0 ? "open" : "closed", k->connections, k->connections == 1 ? "" : "s",
	    k->threads, k->threads == 1 ? "" : "s", k->depth,
	    k->verify ? "" : ", replies not verified");
	out_printf(o, "%s, %s processors, %s, clock %s\n", fact(h, "cpu"), fact(h, "processors"),
	    fact(h, "kernel"), fact(h, "clocksource"));
	if (h->has_noise && (h->others >= HOST_NOISY || h->steal >= HOST_NOISY))
		out_printf(o, "noisy host: others used %.2f processors, the hypervisor took %.2f\n",
		    h->others, h->steal);
}

static void put_grant(struct out *o, const char *what, const struct cpu_grant *g)
{
	if (g->state != CPU_NOT_ASKED)
		out_printf(o, "%s: %s: %s\n", what, cpu_state_name(g->state), g->text);
}

void load_report_after(
    struct out *o, const struct load_head *h, const struct load_row *rows, size_t n)
{
	if (n) {
		put_grant(o, "processor", &rows[0].r->pin);
		put_grant(o, "priority", &rows[0].r->fifo);
	}
	for (size_t i = 0; i < n; i++) {
		const struct load_result *r = rows[i].r;

		if (r->response.negative || r->response.zero)
			out_printf(o, "%s %llu: suspect clock: %llu time%s below 0, %llu of 0\n",
			    rows[i].op, (unsigned long long)rows[i].bytes,
			    (unsigned long long)r->response.negative,
			    err_plural(r->response.negative), (unsigned long long)r->response.zero);
		if (r->response.overflow)
			out_printf(o, "%s %llu: %llu time%s beyond the histogram's range\n",
			    rows[i].op, (unsigned long long)rows[i].bytes,
			    (unsigned long long)r->response.overflow,
			    err_plural(r->response.overflow));
		if (load_fell_short(h, r))
			out_printf(o,
			    "%s %llu: %.0f a second of %.0f wanted: the rate was not reached\n",
			    rows[i].op, (unsigned long long)rows[i].bytes, load_achieved(r),
			    h->config->rate);
		if (r->interrupted)
			out_printf(o, "%s %llu: interrupted: a partial result\n", rows[i].op,
			    (unsigned long long)rows[i].bytes);
	}
}

/* One line of HdrHistogram's percentile output. */
static void hgrm_line(struct out *o, uint64_t ns, double percentile, uint64_t total, int last)
{
	if (last)
		out_printf(o, "%12.3f %2.12f %10llu %14s\n", (double)ns / 1e3, 1.0,
		    (unsigned long long)total, "inf");
	else
		out_printf(o, "%12.3f %2.12f %10llu %14.2f\n", (double)ns / 1e3, percentile / 100,
		    (unsigned long long)total, 100 / (100 - percentile));
}

void load_report_hgrm(struct out *o, const struct hist *h)
{
	double percentile = 0;
	uint64_t seen = 0;

	out_printf(
	    o, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
	for (size_t i = 0; i < HIST_SLOTS; i++) {
		uint64_t high = hist_slot_high(i) < h->max ? hist_slot_high(i) : h->max;

		if (!h->slot[i])
			continue;
		seen += h->slot[i];
		while (seen < h->n && percentile < 100 &&
		       (double)seen >= percentile / 100 * (double)h->n) {
			hgrm_line(o, high, percentile, seen, 0);
			percentile += 100 / (5 * exp2(floor(log2(100 / (100 - percentile))) + 1));
		}
	}
	if (h->n)
		hgrm_line(o, h->max, 100, h->n, 1);
	out_printf(o, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", hist_mean(h) / 1e3,
	    hist_stddev(h) / 1e3);
	out_printf(o, "#[Max     = %12.3f, Total count    = %12llu]\n", (double)h->max / 1e3,
	    (unsigned long long)h->n);
	out_printf(o, "#[Buckets = %12d, SubBuckets     = %12d]\n", HIST_RANGE_BITS - HIST_SUB_BITS,
	    2 << HIST_SUB_BITS);
}
