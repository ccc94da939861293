/* Suite perbar: a live series, one close a call: measured to the last bar, not derived. */
#include "cmd/probe_client.h"
#include "lib/clock.h"
#include "lib/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HERE 2 /* jobs that cross nothing: the sweep, and live in process */
#define JOBS (HERE + LINKS)
#define LIVE_MAX ((size_t)60 << 20) /* hmasweep --max-live is 64 MiB by default */

struct job {
	struct probe *p;
	char name[80];
	struct probe_links *links; /* NULL: in process */
	enum probe_link link;
	struct hist *calls;                /* of the timed rounds */
	void *memory;                      /* scratch, or live state */
	double engine_cpu_s, client_cpu_s; /* of the timed rounds */
};

/* The whole job as the study does it: one sweep of one set. */
static int run_sweep(void *ctx, int round, double *ns, struct err *e)
{
	struct job *j = ctx;
	const struct workload *w = &j->p->work;
	struct hma_result got;
	uint64_t start = clock_ns();

	(void)round;
	hma_sweep(HMA_REFERENCE, w->closes, w->n_bars, w->sets, 1, w->fee, j->memory, &got);
	*ns = (double)(clock_ns() - start);
	return probe_gate(w, 0, 1, &got, j->name, e);
}

static int run_live(void *ctx, int round, double *ns, struct err *e)
{
	struct job *j = ctx;
	const struct workload *w = &j->p->work;
	struct hma_live *live = hma_live_init(j->memory, w->sets, w->fee);
	struct hma_result got;
	uint64_t start = clock_ns();

	(void)round;
	for (size_t i = 0; i < w->n_bars; i++)
		hma_live_tick(live, w->closes + i, 1, &got);
	*ns = (double)(clock_ns() - start);
	return probe_gate(w, 0, 1, &got, j->name, e);
}

/* A connection's live state, new and empty, of the first set. */
static int open_live(struct job *j, struct err *e)
{
	struct request r = client_sweep(&j->p->work, 0, 1, 0);

	r.head.op = OP_OPEN;
	r.head.slot = FRAME_NO_SLOT;
	r.head.n_bars = 0;
	return client_call(&j->links->client[j->link], &r, e);
}

static int tick_all(struct job *j, int timed, struct err *e)
{
	const struct workload *w = &j->p->work;
	struct probe_client *c = &j->links->client[j->link];
	struct request r = {.head = {.op = OP_TICK, .n_bars = 1}};

	for (size_t i = 0; i < w->n_bars; i++) {
		r.closes = (const unsigned char *)(w->closes + i);
		if (client_call(c, &r, e) < 0)
			return -1;
		if (timed)
			hist_record(j->calls, (int64_t)c->trip_ns);
		if (i % 1024 == 0 && probe_stopped())
			return err_set(e, STATUS_FAILED, "interrupted");
	}
	return 0;
}

static int run_link(void *ctx, int round, double *ns, struct err *e)
{
	struct job *j = ctx;
	double engine, own;
	uint64_t start;

	if (links_enter(j->links, j->link, e) < 0 || open_live(j, e) < 0)
		return -1;
	engine = links_engine_cpu(j->links, j->link);
	own = client_own_cpu_s();
	start = clock_ns();
	if (tick_all(j, round >= 0, e) < 0)
		return -1;
	*ns = (double)(clock_ns() - start);
	if (round >= 0) {
		j->engine_cpu_s += links_engine_cpu(j->links, j->link) - engine;
		j->client_cpu_s += client_own_cpu_s() - own;
	}
	return client_gate(&j->links->client[j->link], &j->p->work, 0, 1, e);
}

static double percentile(const struct hist *h, double p)
{
	uint64_t ns;

	return hist_percentile(h, p, &ns) == 0 ? (double)ns : (double)NAN;
}

static void add_extras(struct row *row, const struct job *j, size_t rounds)
{
	double bars = (double)j->p->work.n_bars;

	row_extra(row, "calls", j->links ? bars : j->calls ? 0 : 1);
	row_extra(row, "per_bar_ns", row->median / bars);
	if (!j->links)
		return;
	row_extra(row, "call_p50_ns", percentile(j->calls, 50));
	row_extra(row, "call_p99_ns", percentile(j->calls, 99));
	row_extra(row, "call_p999_ns", percentile(j->calls, 99.9));
	row_extra(row, "engine_cpu_s", j->engine_cpu_s / (double)rounds);
	row_extra(row, "client_cpu_s", j->client_cpu_s / (double)rounds);
	if (j->link == LINK_UNIX)
		snprintf(row->published, sizeof row->published, "2.1 s (M2 Max, analytic)");
	if (j->link == LINK_RING_SPIN)
		snprintf(row->published, sizeof row->published, "5.9 ms (derived)");
}

static int add_rows(struct job *j, const struct variant *v, size_t n, double *samples,
    size_t rounds, size_t stride, struct err *e)
{
	struct row *row[JOBS];
	double scratch[1024];

	for (size_t i = 0; i < n; i++) {
		row[i] = row_add(&j->p->result, "perbar", j[i].name, "ns");
		if (!row[i])
			return err_errno(e, "perbar");
		if (j[i].links) {
			links_label(row[i], j[i].link);
		} else {
			row_label(row[i], "transport", "none");
			row_label(row[i], "wait", "none");
		}
		row_ratio(row[i], j[1].name,
		    stat_ratio_paired(samples + i * stride, samples + stride, rounds, scratch));
		row_pressure(row[i], &v[i], &v[1]);
	}
	for (size_t i = 0; i < n; i++) {
		row_samples(row[i], samples + i * stride, rounds);
		add_extras(row[i], &j[i], rounds);
	}
	snprintf(row[0]->published, sizeof row[0]->published, "0.168 us a bar (M2 Max, derived)");
	return 0;
}

/* The two that stay at home, then a job for each link that is there. */
static size_t make_jobs(struct probe *p, struct probe_links *l, struct job *j, struct variant *v)
{
	size_t n = 0;

	j[n] = (struct job){.p = p, .name = "sweep of the set"};
	v[n++].run = run_sweep;
	j[n] = (struct job){.p = p, .name = "live in_process"};
	v[n++].run = run_live;
	for (int i = 0; i < LINKS; i++) {
		if (l->why[i][0])
			continue;
		j[n] = (struct job){.p = p, .links = l, .link = (enum probe_link)i};
		snprintf(j[n].name, sizeof j[n].name, "ticks %s", probe_link_names[i]);
		v[n++].run = run_link;
	}
	for (size_t i = 0; i < n; i++) {
		v[i].name = j[i].name;
		v[i].ctx = &j[i];
	}
	return n;
}

static int allocate(struct job *j, size_t n, struct err *e)
{
	const struct workload *w = &j->p->work;

	j[0].memory = mem_alloc(
	    hma_scratch_size(HMA_REFERENCE, w->n_bars, hma_max_window(w->sets, 1, w->n_bars)));
	j[1].memory = mem_alloc(hma_live_size(w->sets));
	if (!j[0].memory || !j[1].memory)
		return err_errno(e, "perbar");
	for (size_t i = HERE; i < n; i++) {
		j[i].calls = mem_alloc(sizeof *j[i].calls);
		if (!j[i].calls)
			return err_errno(e, "perbar");
		hist_reset(j[i].calls);
	}
	return 0;
}

/* A window of billions of bars has no live state; an engine refuses a large one by default too. */
static int too_large(struct probe *p, struct err *e)
{
	size_t size = hma_live_size(p->work.sets);
	struct row *row;

	if (size && size <= LIVE_MAX)
		return 0;
	row = row_add(&p->result, "perbar", "live in_process", "ns");
	if (!row)
		return err_errno(e, "perbar");
	row_skip(row, "the first set's live state is larger than an engine allows (--max-live)");
	return 1;
}

static int measure(struct probe *p, struct err *e)
{
	int rounds = p->rounds ? p->rounds : p->quick ? 5 : 3, bad, done = 0;
	double *samples = mem_alloc(JOBS * (size_t)rounds * sizeof *samples);
	struct job j[JOBS] = {0};
	struct variant v[JOBS];
	struct placement_watch watch;
	struct probe_links l;
	size_t n;

	placement_begin(&watch);
	bad = links_open(p, &l, HMA_AUTO, client_largest(&p->work), e);
	n = make_jobs(p, &l, j, v);
	if (!bad)
		bad = samples ? allocate(j, n, e) : err_errno(e, "perbar");
	if (!bad)
		done = probe_rounds(p, v, n, rounds, samples, e);
	if (done > 0)
		done = add_rows(j, v, n, samples, (size_t)done, (size_t)rounds, e);
	if (!bad && done >= 0)
		bad = links_skipped(p, "perbar", &l, LINKS, e);
	for (size_t i = 0; i < n; i++) {
		mem_free(j[i].memory);
		mem_free(j[i].calls);
	}
	links_close(&l);
	if (!bad && done >= 0 && !probe_stopped())
		bad = placement_end(&watch, p, "perbar", e);
	mem_free(samples);
	return bad || done < 0 ? -1 : 0;
}

int suite_perbar(struct probe *p, struct err *e)
{
	int skip = too_large(p, e);

	return skip ? (skip < 0 ? -1 : 0) : measure(p, e);
}
