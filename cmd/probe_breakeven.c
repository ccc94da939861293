/*
 * Suite breakeven: G = compute a call over the floor of the transport, when a
 * call is a sweep, a set or a bar; the share of the boundary that G predicts,
 * 1/(1+G), and the share that was measured, call by call.
 */
#include "cmd/probe_client.h"
#include "lib/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONG_WORK \
	((size_t)2000000) /* bars x sets from which a reference sweep is no short matter */
#define SET_CALLS 8       /* sets a turn, spread over the grid */
#define BAR_CALLS 1000
#define FLOOR_CALLS 400
#define TABLES 2
#define GRAINS 4
#define JOBS (TABLES * LINKS * GRAINS + 3 * PROBE_ENGINES)

enum grain { FLOOR, SWEEP, SET, BAR };
static const char *const grain_names[GRAINS] = {"floor", "sweep", "set", "bar"};

struct table;

struct job {
	struct probe *p;
	enum grain grain;
	char name[80];
	const char *kernel, *engine; /* engine: a foreign one's name, or NULL */
	enum probe_link link;
	struct table *table;
	struct probe_links *links; /* NULL: of a foreign engine */
	struct probe_client *client;
	size_t calls; /* of the last turn */
	double *compute_ns, *share;
	size_t floor; /* index of the job that measured its floor */
};

struct table {
	struct probe_links links[TABLES];
	struct probe_client engine[PROBE_ENGINES];
	struct job job[JOBS];
	struct variant variant[JOBS];
	size_t n;
};

static const enum hma_kernel kernels[TABLES] = {HMA_REFERENCE, HMA_FILTERED};

/* The request of call i of a turn, and how many sets from *first it has results of. */
static struct request request_of(const struct job *j, size_t i, size_t *first, size_t *n)
{
	const struct workload *w = &j->p->work;
	struct request r;

	*first = j->grain == SET ? i * w->n_sets / j->calls : 0;
	*n = j->grain == SWEEP ? w->n_sets : j->grain == SET ? 1 : 0;
	r = client_sweep(w, *first, *n, j->engine ? 0 : FLAG_STAMP);
	if (j->grain == FLOOR || j->grain == BAR) {
		r.head.op = j->grain == FLOOR ? OP_ECHO : OP_TICK;
		r.head.n_bars = 1;
		r.closes = (const unsigned char *)(w->closes + i % w->n_bars);
	} else if (!j->engine) {
		r.head.op = OP_SWEEP_SLOT; /* the data lie there already: the call is its sets */
		r.head.n_bars = 0;
	}
	return r;
}

/* The closes into slot 0, and (for bars) a live state of the first set. */
static int prepare(struct probe *p, struct probe_client *c, int live, struct err *e)
{
	struct request r = client_sweep(&p->work, 0, 0, 0);

	r.head.op = OP_LOAD;
	if (client_call(c, &r, e) < 0)
		return -1;
	if (!live)
		return 0;
	r = client_sweep(&p->work, 0, 1, 0);
	r.head.op = OP_OPEN;
	r.head.n_bars = 0;
	r.head.slot = FRAME_NO_SLOT;
	return client_call(c, &r, e);
}

/* An engine that spins runs only while it is measured, each time anew. */
static int enter(struct job *j, struct err *e)
{
	long before = j->links ? j->links->spinning.pid : 0;

	for (int k = 0; k < TABLES; k++) {
		struct probe_links *l = &j->table->links[k];

		if (links_enter(l, l == j->links ? j->link : LINK_UNIX, e) < 0)
			return -1;
	}
	if (j->link != LINK_RING_SPIN || j->links->spinning.pid == before)
		return 0;
	return prepare(j->p, j->client, 1, e);
}

/* A turn: its median call, and the medians of the calls' compute and share of boundary. */
static int run_job(void *ctx, int round, double *ns, struct err *e)
{
	struct job *j = ctx;
	double took[BAR_CALLS], compute[BAR_CALLS], share[BAR_CALLS];

	if (enter(j, e) < 0)
		return -1;
	for (size_t i = 0; i < j->calls; i++) {
		size_t first, n;
		struct request r = request_of(j, i, &first, &n);

		if (client_call(j->client, &r, e) < 0 ||
		    (n && client_gate(j->client, &j->p->work, first, n, e) < 0))
			return -1;
		took[i] = (double)j->client->trip_ns;
		compute[i] = (double)j->client->compute_ns;
		share[i] = 1 - compute[i] / took[i];
	}
	/* The untimed round lies before. */
	j->compute_ns[round + 1] = stat_median(compute, j->calls);
	j->share[round + 1] = stat_median(share, j->calls);
	*ns = stat_median(took, j->calls);
	return 0;
}

static int add_job(struct probe *p, struct table *t, enum grain grain, enum probe_link link,
    struct probe_links *links, struct probe_client *client, const char *kernel, const char *engine,
    int rounds, struct err *e)
{
	static const size_t calls[GRAINS] = {FLOOR_CALLS, 1, SET_CALLS, BAR_CALLS};
	struct job *j = &t->job[t->n];

	*j = (struct job){.p = p,
	    .grain = grain,
	    .kernel = kernel,
	    .engine = engine,
	    .link = link,
	    .table = t,
	    .links = links,
	    .client = client,
	    .calls = calls[grain],
	    .floor = grain == FLOOR ? t->n : t->job[t->n - 1].floor};
	if (grain == SET && j->calls > p->work.n_sets)
		j->calls = p->work.n_sets;
	if (grain == BAR && j->calls > p->work.n_bars)
		j->calls = p->work.n_bars;
	if (engine)
		snprintf(j->name, sizeof j->name, "%s %s", grain_names[grain], engine);
	else
		snprintf(j->name, sizeof j->name, "%s %s %s", grain_names[grain],
		    probe_link_names[link], kernel);
	j->compute_ns = mem_alloc((size_t)(rounds + 1) * sizeof *j->compute_ns);
	j->share = mem_alloc((size_t)(rounds + 1) * sizeof *j->share);
	t->n++;
	return j->compute_ns && j->share ? 0 : err_errno(e, "breakeven");
}

/* One transport of one engine: floor, sweep, set, and of the fast one bar too. */
static int add_link(
    struct probe *p, struct table *t, int k, enum probe_link link, int rounds, struct err *e)
{
	struct probe_links *l = &t->links[k];
	struct probe_client *c = &l->client[link];
	const char *kernel = hma_kernel_name(kernels[k]);
	int fast = kernels[k] != HMA_REFERENCE, bad = 0;

	if (l->why[link][0] || (link == LINK_RING_SPIN && !fast))
		return 0;
	if (link != LINK_RING_SPIN)
		bad = prepare(p, c, fast, e);
	for (int g = FLOOR; g <= BAR && !bad; g++) {
		/* A whole sweep takes seconds there, and the transport cannot be seen in it: one
		 * will do. */
		if (!fast && (g == BAR || (g == SWEEP && link != LINK_UNIX)))
			continue;
		bad = add_job(
		    p, t, (enum grain)g, link, l, c, g == BAR ? "live" : kernel, NULL, rounds, e);
	}
	return bad;
}

static int add_engine(struct probe *p, struct table *t, size_t i, int rounds, struct err *e)
{
	const struct probe_engine *x = &p->engine[i];

	if (client_spawn(&t->engine[i], x->argv, x->name, e) < 0)
		return -1;
	for (int g = FLOOR; g <= SET; g++)
		if (add_job(p, t, (enum grain)g, LINK_PIPE, NULL, &t->engine[i], "its own", x->name,
			rounds, e) < 0)
			return -1;
	return 0;
}

static void label(struct row *row, const struct job *j)
{
	row_label(row, "call", "%s", grain_names[j->grain]);
	row_label(row, "kernel", "%s", j->kernel);
	links_label(row, j->link);
	if (j->engine)
		row_label(row, "engine", "%s", j->engine);
}

/* An engine without stamps: what a call takes beyond the floor counts as compute. */
static void add_extras(struct row *row, struct job *j, double floor, size_t rounds)
{
	double compute = j->engine ? row->median - floor : stat_median(j->compute_ns + 1, rounds);
	double g = compute / floor;

	row_extra(row, "calls", (double)j->calls);
	row_extra(row, "floor_ns", floor);
	row_extra(row, "compute_ns", compute);
	row_extra(row, "g_x", g);
	row_extra(row, "predicted_share_x", 1 / (1 + g));
	row_extra(row, "share_x", j->engine ? (double)NAN : stat_median(j->share + 1, rounds));
	if (j->engine)
		row_note(row,
		    "no stamps: compute is the call less the floor, the closes are sent again");
	if (j->grain == SET && j->link == LINK_UNIX && !strcmp(j->kernel, "reference"))
		snprintf(row->published, sizeof row->published,
		    "G = 1795, 25130 us of compute (M2 Max, derived)");
	if (j->grain == BAR && j->link == LINK_UNIX)
		snprintf(row->published, sizeof row->published,
		    "0.17 us of compute under 14.05 us (M2 Max, derived)");
}

static int add_rows(
    struct probe *p, struct table *t, double *samples, size_t rounds, size_t stride, struct err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		struct job *j = &t->job[i];
		double *mine = samples + i * stride;
		const struct row *floor;
		struct row *row = row_add(&p->result, "breakeven", j->name, "ns");
		double scratch[1024];

		if (!row)
			return err_errno(e, "breakeven");
		label(row, j);
		/* The floor's row stands before: its samples are sorted by now, pairs are not
		 * needed. */
		memcpy(scratch, mine, rounds * sizeof *scratch);
		row_samples(row, scratch, rounds);
		if (j->grain == FLOOR)
			continue;
		floor = row_find(&p->result, "breakeven", t->job[j->floor].name);
		row_ratio(row, floor->name,
		    stat_ratio_paired(mine, samples + j->floor * stride, rounds, scratch));
		row_pressure(row, &t->variant[i], &t->variant[j->floor]);
		add_extras(row, j, floor->median, rounds);
	}
	return 0;
}

static int open_table(struct probe *p, struct table *t, int rounds, struct err *e)
{
	for (int k = 0; k < TABLES; k++) {
		if (links_open(p, &t->links[k], kernels[k], client_largest(&p->work), e) < 0)
			return -1;
		for (int link = 0; link < LINKS; link++)
			if (add_link(p, t, k, (enum probe_link)link, rounds, e) < 0)
				return -1;
	}
	for (size_t i = 0; i < p->n_engines; i++)
		if (add_engine(p, t, i, rounds, e) < 0)
			return -1;
	return 0;
}

static int measure(struct probe *p, struct table *t, int rounds, struct err *e)
{
	double *samples = mem_alloc(JOBS * (size_t)rounds * sizeof *samples);
	int done;

	if (!samples)
		return err_errno(e, "breakeven");
	for (size_t i = 0; i < t->n; i++)
		t->variant[i] =
		    (struct variant){.name = t->job[i].name, .run = run_job, .ctx = &t->job[i]};
	done = probe_rounds(p, t->variant, t->n, rounds, samples, e);
	if (done > 0)
		done = add_rows(p, t, samples, (size_t)done, (size_t)rounds, e);
	mem_free(samples);
	return done < 0 ? -1 : 0;
}

int suite_breakeven(struct probe *p, struct err *e)
{
	int brief = p->quick || p->work.n_bars * p->work.n_sets < LONG_WORK;
	int rounds = p->rounds ? p->rounds : brief ? 7 : 3, bad;
	static struct table t;
	struct placement_watch watch;

	t = (struct table){.n = 0};
	placement_begin(&watch);
	bad = open_table(p, &t, rounds, e);
	if (!bad)
		bad = measure(p, &t, rounds, e);
	if (!bad)
		bad = links_skipped(p, "breakeven", &t.links[0], LINKS, e);
	for (size_t i = 0; i < t.n; i++) {
		mem_free(t.job[i].compute_ns);
		mem_free(t.job[i].share);
	}
	for (size_t i = 0; i < PROBE_ENGINES; i++)
		client_close(&t.engine[i]);
	for (int k = 0; k < TABLES; k++)
		links_close(&t.links[k]);
	if (!bad && !probe_stopped())
		bad = placement_end(&watch, p, "breakeven", e);
	return bad;
}
