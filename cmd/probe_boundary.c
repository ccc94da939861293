/*
 * Suite boundary: the same sweep in process and behind a boundary, each way
 * across; the study's five rows first.
 */
#include "cmd/probe_boundary.h"
#include "lib/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KERNEL_NAME 32
#define LONG_WORK \
	((size_t)2000000) /* bars x sets from which a reference sweep is no short matter */

static const struct way ways[] = {
    {"in_process", IN_PROCESS, LINK_PIPE, "2.010 s, 1.00 x (M2 Max, measured, numba)"},
    {"batch unix", BATCH, LINK_UNIX, "2.337 s, 1.16 x (M2 Max, measured, no bounds checks)"},
    {"chatty unix", CHATTY, LINK_UNIX, "2.383 s, 1.19 x (M2 Max, measured)"},
    {"spawn a sweep", SPAWN, LINK_PIPE, "2.300 s, 1.14 x (M2 Max, measured)"},
    {"preloaded unix", PRELOADED, LINK_UNIX, "1.3 ms for 80 calls (M2 Max, analytic)"},
    {"batch tcp", BATCH, LINK_TCP, "spoken, not measured"},
    {"batch ring", BATCH, LINK_RING, ""},
    {"json batch", JSON_BATCH, LINK_UNIX, "encode alone 3.3 % of the sweep (M2 Max, derived)"},
    {"json chatty", JSON_CHATTY, LINK_UNIX, "encode alone 5.3 s (M2 Max, derived)"},
    {"spawn a set", SPAWN_SETS, LINK_PIPE, "1.9 s of starts (M2 Max, analytic)"},
};
#define WAYS (sizeof ways / sizeof ways[0])

static const struct way checked_way = {
    "batch unix", BATCH, LINK_UNIX, "2.276 s, 1.13 x (M2 Max, measured, with bounds checks)"};
static const struct way engine_ways[] = {
    {"batch", BATCH, LINK_PIPE, ""}, {"chatty", CHATTY, LINK_PIPE, ""}};

#define JOBS (WAYS + 1 + 2 * PROBE_ENGINES)

/* All that is measured in turns for one kernel. */
struct table {
	enum hma_kernel kernel;
	struct probe_server server, checked, json, ring;
	char program[4096], kernel_name[KERNEL_NAME];
	char *argv[4];
	struct job job[JOBS];
	size_t n;
	struct variant variant[JOBS]; /* of those not skipped */
	size_t column[JOBS];
};

/* A server of that kernel; without TCP where the machine has none. */
static int start(struct probe *p, struct probe_server *s, enum hma_kernel k, struct err *e)
{
	const char *options[] = {"-k", hma_kernel_name(k), "-t", "127.0.0.1:0", NULL};

	if (probe_server_start(p, s, options, e) == 0)
		return 0;
	options[2] = NULL;
	return probe_server_start(p, s, options, e);
}

static int start_servers(struct probe *p, struct table *t, struct err *e)
{
	const char *json[] = {"--json", "-k", hma_kernel_name(t->kernel), NULL};
	struct err why;

	if (start(p, &t->server, t->kernel, e) < 0)
		return -1;
	if (t->kernel == HMA_REFERENCE && start(p, &t->checked, HMA_CHECKED, e) < 0)
		return -1;
	/* Apart: who looks at a ring is slower on sockets. */
	if (probe_server_start(p, &t->ring, json + 1, e) < 0)
		return -1;
	if (probe_server_start(p, &t->json, json, &why) < 0)
		t->json.pid = 0;
	return 0;
}

static struct job *add_job(
    struct probe *p, struct table *t, const struct way *way, enum hma_kernel k)
{
	struct job *j = &t->job[t->n++];

	*j = (struct job){.way = way, .work = &p->work, .kernel = k, .flags = FLAG_STAMP};
	snprintf(j->name, sizeof j->name, "%s %s", way->name, hma_kernel_name(k));
	j->argv = t->argv;
	j->server = way->shape == JSON_BATCH || way->shape == JSON_CHATTY ? &t->json : &t->server;
	if (way->link == LINK_RING)
		j->server = &t->ring;
	if (way->shape == IN_PROCESS || way->shape == SPAWN || way->shape == SPAWN_SETS)
		j->server = NULL;
	return j;
}

static void add_jobs(struct probe *p, struct table *t)
{
	for (size_t i = 0; i < WAYS; i++) {
		add_job(p, t, &ways[i], t->kernel);
		if (ways[i].shape == BATCH && t->kernel == HMA_REFERENCE && t->n == 2)
			add_job(p, t, &checked_way, HMA_CHECKED)->server = &t->checked;
	}
	if (t->kernel != HMA_REFERENCE)
		return;
	for (size_t i = 0; i < p->n_engines; i++)
		for (size_t k = 0; k < 2; k++) {
			struct job *j = add_job(p, t, &engine_ways[k], t->kernel);

			j->flags = 0; /* stamps are not part of the published protocol */
			j->server = NULL;
			j->engine = p->engine[i].name;
			j->argv = p->engine[i].argv;
			snprintf(j->name, sizeof j->name, "%s %s", engine_ways[k].name, j->engine);
		}
}

static double median_of(const struct job *j, size_t rounds, size_t offset, double *scratch)
{
	for (size_t i = 0; i < rounds; i++)
		memcpy(&scratch[i], (const char *)&j->turn[i + 1] + offset, sizeof *scratch);
	return isnan(scratch[0]) ? NAN : stat_median(scratch, rounds);
}

static void add_extras(struct row *row, const struct job *j, size_t rounds)
{
	const struct turn *last = &j->turn[rounds];
	double scratch[1024], share[1024];

	if (j->way->shape == IN_PROCESS)
		return;
	for (size_t i = 0; i < rounds; i++)
		share[i] = j->turn[i + 1].boundary_ns / j->turn[i + 1].total_ns;
	row_extra(
	    row, "boundary_ns", median_of(j, rounds, offsetof(struct turn, boundary_ns), scratch));
	row_extra(row, "boundary_min_ns", isnan(scratch[0]) ? NAN : scratch[0]);
	row_extra(row, "boundary_max_ns", isnan(scratch[0]) ? NAN : scratch[rounds - 1]);
	row_extra(row, "boundary_share_x", isnan(share[0]) ? NAN : stat_median(share, rounds));
	row_extra(row, "calls", (double)last->calls);
	row_extra(row, "out_bytes", (double)last->bytes_out);
	row_extra(row, "in_bytes", (double)last->bytes_in);
	row_extra(row, "engine_cpu_s",
	    j->engine ? NAN : median_of(j, rounds, offsetof(struct turn, engine_cpu_s), scratch));
	row_extra(row, "client_cpu_s",
	    median_of(j, rounds, offsetof(struct turn, client_cpu_s), scratch));
	if (j->way->shape == PRELOADED)
		row_extra(row, "load_ns", j->load_ns);
	if (j->way->shape != JSON_BATCH && j->way->shape != JSON_CHATTY)
		return;
	row_extra(
	    row, "encode_ns", median_of(j, rounds, offsetof(struct turn, encode_ns), scratch));
	row_extra(
	    row, "decode_ns", median_of(j, rounds, offsetof(struct turn, decode_ns), scratch));
	row_note(
	    row, "boundary: the text alone, encoded and decoded on both sides; JSON has no stamps");
}

static struct row *add_row(struct probe *p, const struct job *j)
{
	int here = j->way->shape == IN_PROCESS;
	struct row *row = row_add(&p->result, "boundary", j->name, "ns");

	if (!row)
		return NULL;
	row_label(row, "kernel", "%s", j->engine ? "its own" : hma_kernel_name(j->kernel));
	row_label(row, "transport", "%s", here ? "none" : probe_link_names[j->way->link]);
	row_label(row, "wait", "%s", here ? "none" : probe_link_waits[j->way->link]);
	if (j->engine)
		row_label(row, "engine", "%s", j->engine);
	/* The study had one kernel, the definition. */
	if (j->kernel != HMA_FILTERED)
		snprintf(row->published, sizeof row->published, "%s", j->way->published);
	return row;
}

static int add_rows(
    struct probe *p, struct table *t, double *samples, size_t rounds, size_t stride, struct err *e)
{
	double scratch[1024];
	struct row *row[JOBS];

	for (size_t i = 0; i < t->n; i++) {
		row[i] = add_row(p, &t->job[i]);
		if (!row[i])
			return err_errno(e, "boundary");
		if (t->job[i].why[0]) {
			row_skip(row[i], "%s", t->job[i].why);
			continue;
		}
		row_ratio(row[i], t->job[0].name,
		    stat_ratio_paired(samples + t->column[i] * stride, samples, rounds, scratch));
		row_pressure(row[i], &t->variant[t->column[i]], &t->variant[0]);
		add_extras(row[i], &t->job[i], rounds);
	}
	/* Only now: row_samples sorts, and pairs were of the same round. */
	for (size_t i = 0; i < t->n; i++)
		if (!t->job[i].why[0])
			row_samples(row[i], samples + t->column[i] * stride, rounds);
	return 0;
}

static int measure(struct probe *p, struct table *t, int rounds, struct err *e)
{
	double *samples = mem_alloc(JOBS * (size_t)rounds * sizeof *samples);
	size_t n = 0;
	int done;

	if (!samples)
		return err_errno(e, "boundary");
	for (size_t i = 0; i < t->n; i++)
		if (!t->job[i].why[0]) {
			t->column[i] = n;
			t->variant[n++] = (struct variant){.name = t->job[i].name,
			    .run = job_run,
			    .ctx = &t->job[i],
			    .elsewhere = t->job[i].way->shape != IN_PROCESS};
		}
	done = probe_rounds(p, t->variant, n, rounds, samples, e);
	if (done > 0)
		done = add_rows(p, t, samples, (size_t)done, (size_t)rounds, e);
	mem_free(samples);
	return done < 0 ? -1 : 0;
}

static int rounds_of(const struct probe *p, enum hma_kernel k)
{
	if (p->rounds)
		return p->rounds;
	if (p->quick || p->work.n_bars * p->work.n_sets < LONG_WORK)
		return 9;
	return k == HMA_REFERENCE ? 3 : 7;
}

static int measure_kernel(struct probe *p, enum hma_kernel k, struct err *e)
{
	static struct table t;
	int rounds = rounds_of(p, k), bad;

	t = (struct table){.kernel = k};
	snprintf(t.program, sizeof t.program, "%s/hmasweep", p->tools);
	snprintf(t.kernel_name, sizeof t.kernel_name, "%s", hma_kernel_name(k));
	t.argv[0] = t.program;
	t.argv[1] = (char[]){"-k"};
	t.argv[2] = t.kernel_name;
	bad = start_servers(p, &t, e);
	if (!bad)
		add_jobs(p, &t);
	for (size_t i = 0; i < t.n && !bad; i++)
		bad = job_open(&t.job[i], rounds, e);
	if (!bad)
		bad = measure(p, &t, rounds, e);
	for (size_t i = 0; i < t.n; i++)
		job_close(&t.job[i]);
	probe_server_stop(&t.server);
	probe_server_stop(&t.checked);
	probe_server_stop(&t.json);
	probe_server_stop(&t.ring);
	return bad;
}

int suite_boundary(struct probe *p, struct err *e)
{
	struct placement_watch watch;
	int bad;

	placement_begin(&watch);
	bad = measure_kernel(p, HMA_REFERENCE, e);
	if (!bad && !probe_stopped())
		bad = measure_kernel(p, HMA_FILTERED, e);
	if (!bad && !probe_stopped())
		bad = placement_end(&watch, p, "boundary", e);
	return bad;
}
