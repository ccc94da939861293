#include "lib/load_report.h"

#include <stdio.h>

static const double percentiles[] = {50, 75, 90, 95, 99, 99.9, 99.99, 99.999};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void member_u64(struct json_writer *w, const char *key, uint64_t v)
{
	json_put_key(w, key);
	json_put_u64(w, v);
}

static void member_real(struct json_writer *w, const char *key, double v)
{
	json_put_key(w, key);
	json_put_double(w, v);
}

static void member_str(struct json_writer *w, const char *key, const char *s)
{
	json_put_key(w, key);
	json_put_str(w, s);
}

static void member_maybe(struct json_writer *w, const char *key, int known, uint64_t v)
{
	json_put_key(w, key);
	if (known)
		json_put_u64(w, v);
	else
		json_put_null(w);
}

/* count, extremes, mean, percentiles with null where n is too small. */
static void put_summary(struct json_writer *w, const struct hist *h)
{
	char key[24];
	uint64_t ns = 0;

	member_u64(w, "n", h->n);
	member_maybe(w, "min_ns", h->n > 0, h->min);
	member_maybe(w, "max_ns", h->n > 0, h->max);
	json_put_key(w, "mean_ns");
	if (h->n)
		json_put_double(w, hist_mean(h));
	else
		json_put_null(w);
	for (size_t i = 0; i < COUNT(percentiles); i++) {
		int known = hist_percentile(h, percentiles[i], &ns) == 0;

		snprintf(key, sizeof key, "p%.6g_ns", percentiles[i]);
		member_maybe(w, key, known, ns);
	}
	member_u64(w, "overflow", h->overflow);
	member_u64(w, "zero", h->zero);
	member_u64(w, "negative", h->negative);
}

static void put_hist(struct json_writer *w, const char *key, const struct hist *h)
{
	json_put_key(w, key);
	json_put_object(w);
	put_summary(w, h);
	json_put_key(w, "histogram");
	json_put_array(w);
	for (size_t i = 0; i < HIST_SLOTS; i++) {
		if (!h->slot[i])
			continue;
		json_put_array(w);
		json_put_u64(w, hist_slot_low(i));
		json_put_u64(w, h->slot[i]);
		json_put_close(w);
	}
	json_put_close(w);
	json_put_close(w);
}

static void put_faults(struct json_writer *w, const struct load_result *r)
{
	json_put_key(w, "faults");
	json_put_object(w);
	for (int i = 0; i < LOAD_FAULTS; i++)
		member_u64(w, load_fault_names[i], r->faults[i]);
	json_put_close(w);
	json_put_key(w, "first_fault");
	if (r->first_fault[0])
		json_put_str(w, r->first_fault);
	else
		json_put_null(w);
}

/* What a run came to, but for its histograms. */
static void put_run(struct json_writer *w, const struct load_head *h, const struct load_row *row)
{
	const struct load_result *r = row->r;
	double achieved = load_achieved(r);

	member_str(w, "op", row->op);
	member_u64(w, "bytes", row->bytes);
	member_str(w, "wait", load_wait(h->config, r));
	member_u64(w, "sent", r->sent);
	member_u64(w, "answered", r->answered);
	member_u64(w, "unsent", r->unsent);
	member_u64(w, "elapsed_ns", r->elapsed_ns);
	json_put_key(w, "per_s");
	if (achieved > 0)
		json_put_double(w, achieved);
	else
		json_put_null(w);
	json_put_key(w, "fell_short");
	json_put_bool(w, load_fell_short(h, r));
	member_u64(w, "bytes_there", r->bytes_there);
	member_u64(w, "bytes_back", r->bytes_back);
	member_u64(w, "cpu_ns", r->cpu_ns);
	member_maybe(w, "peer_cpu_ns", r->has_peer_cpu, r->peer_cpu_ns);
	put_faults(w, r);
	json_put_key(w, "interrupted");
	json_put_bool(w, r->interrupted);
}

static void put_grant(struct json_writer *w, const char *key, const struct cpu_grant *g)
{
	json_put_key(w, key);
	json_put_object(w);
	member_str(w, "state", cpu_state_name(g->state));
	member_str(w, "text", g->text);
	json_put_close(w);
}

static void put_config(struct json_writer *w, const struct load_head *h)
{
	const struct load_config *k = h->config;

	json_put_key(w, "config");
	json_put_object(w);
	member_str(w, "peer", h->peer);
	member_str(w, "loop", k->rate > 0 ? "open" : "closed");
	member_str(w, "arrivals", k->rate <= 0 ? "on reply" : k->arrivals ? "poisson" : "constant");
	json_put_key(w, "rate_per_s");
	if (k->rate > 0)
		json_put_double(w, k->rate);
	else
		json_put_null(w);
	member_u64(w, "connections", k->connections);
	member_u64(w, "threads", k->threads);
	member_u64(w, "depth", k->depth);
	member_maybe(w, "count", k->count != UINT64_MAX, k->count);
	member_maybe(w, "duration_ns", k->duration_ns != UINT64_MAX, k->duration_ns);
	member_u64(w, "warm_count", k->warm_count);
	member_u64(w, "warm_ns", k->warm_ns);
	member_u64(w, "timeout_ns", k->timeout_ns);
	json_put_key(w, "verified");
	json_put_bool(w, k->verify);
	json_put_close(w);
}

void load_report_json(
    struct out *o, const struct load_head *h, const struct load_row *rows, size_t n)
{
	struct json_writer w;

	json_to_out(&w, o, 3);
	json_put_object(&w);
	member_str(&w, "tool", "echoload");
	json_put_key(&w, "host");
	json_put_object(&w);
	for (size_t i = 0; i < h->n_facts; i++)
		member_str(&w, h->facts[i].key, h->facts[i].text);
	if (h->has_noise) {
		member_real(&w, "others", h->others);
		member_real(&w, "steal", h->steal);
	}
	json_put_close(&w);
	put_config(&w, h);
	json_put_key(&w, "runs");
	json_put_array(&w);
	for (size_t i = 0; i < n; i++) {
		json_put_object(&w);
		put_run(&w, h, &rows[i]);
		put_grant(&w, "processor", &rows[i].r->pin);
		put_grant(&w, "priority", &rows[i].r->fifo);
		put_hist(&w, "response", &rows[i].r->response);
		put_hist(&w, "service", &rows[i].r->service);
		put_hist(&w, "lateness", &rows[i].r->lateness);
		if (h->config->one_way) {
			put_hist(&w, "there", &rows[i].r->there);
			put_hist(&w, "back", &rows[i].r->back);
		}
		json_put_close(&w);
	}
	json_put_close(&w);
	json_put_close(&w);
}

void load_report_interval(
    struct out *o, const struct hist *response, uint64_t from_ns, uint64_t to_ns)
{
	struct json_writer w;

	json_to_out(&w, o, 0);
	json_put_object(&w);
	member_str(&w, "part", "interval");
	member_u64(&w, "from_ns", from_ns);
	member_u64(&w, "to_ns", to_ns);
	put_summary(&w, response);
	json_put_close(&w);
}

void load_report_total(struct out *o, const struct load_head *h, const struct load_row *row)
{
	struct json_writer w;

	json_to_out(&w, o, 0);
	json_put_object(&w);
	member_str(&w, "part", "total");
	put_run(&w, h, row);
	put_summary(&w, &row->r->response);
	json_put_close(&w);
}
