/* Suite spawn, the engine's half: a sweep and a set a process, and the payload's part in it. */
#include "cmd/probe_client.h"
#include "cmd/probe_fit.h"
#include "cmd/probe_spawn.h"
#include "lib/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAYLOADS 5
#define VARIANTS (2 + PAYLOADS + PROBE_ENGINES)

/* Processes that share a job's sets, or carry closes and no set. */
struct job {
	const struct workload *work;
	char *const *argv;
	char name[80];
	const char *engine;          /* a foreign one, or NULL */
	size_t n_bars, n_sets, step; /* step 0: no set at all */
	struct probe_client client;
	double compute_ns, cpu_s; /* of the last turn */
	double *fixed;            /* a turn each: total less compute, for a process */
};

static int one_process(struct job *j, size_t first, double *ns, struct err *e)
{
	struct request r =
	    client_sweep(j->work, first, j->step, j->engine || !j->step ? 0 : FLAG_STAMP);
	struct rusage use;

	r.head.n_bars = (uint32_t)j->n_bars;
	if (client_process(&j->client, j->argv, j->name, &r, &use, e) < 0)
		return -1;
	*ns += (double)j->client.trip_ns;
	j->compute_ns += (double)j->client.compute_ns;
	j->cpu_s += client_cpu_s(&use);
	return client_gate(&j->client, j->work, first, j->step, e);
}

static int run_job(void *ctx, int round, double *ns, struct err *e)
{
	struct job *j = ctx;
	size_t n = 0;

	*ns = j->compute_ns = j->cpu_s = 0;
	for (size_t first = 0; first < j->n_sets || n == 0; first += j->step, n++)
		if (one_process(j, first, ns, e) < 0)
			return -1;
	j->fixed[round + 1] = (*ns - j->compute_ns) / (double)n;
	return 0;
}

static int add_job(
    struct job *j, const struct probe *p, size_t n_bars, size_t step, int rounds, struct err *e)
{
	j->work = &p->work;
	j->n_bars = n_bars;
	j->n_sets = step ? p->work.n_sets : 0;
	j->step = step;
	j->fixed = mem_alloc((size_t)(rounds + 1) * sizeof *j->fixed);
	return j->fixed ? 0 : err_errno(e, "spawn");
}

/* 1, 1000, 10,000, 100,000 bars and all of them; fewer where there are not so many. */
static size_t payload(const struct workload *w, size_t i)
{
	static const size_t bars[PAYLOADS - 1] = {1, 1000, 10000, 100000};

	return i < PAYLOADS - 1 && bars[i] < w->n_bars ? bars[i]
	       : i == PAYLOADS - 1                     ? w->n_bars
						       : 0;
}

static int add_jobs(
    struct probe *p, struct job *j, size_t *n, char *const *argv, int rounds, struct err *e)
{
	int bad = 0;

	for (size_t i = 0; i < 2 && !bad; i++, ++*n) {
		snprintf(j[*n].name, sizeof j[*n].name, "a %s per process", i ? "set" : "sweep");
		j[*n].argv = argv;
		bad = add_job(&j[*n], p, p->work.n_bars, i ? 1 : p->work.n_sets, rounds, e);
	}
	for (size_t i = 0; i < PAYLOADS && !bad; i++) {
		size_t bars = payload(&p->work, i);

		if (!bars)
			continue;
		snprintf(
		    j[*n].name, sizeof j[*n].name, "a process with %zu B", bars * sizeof(double));
		j[*n].argv = argv;
		bad = add_job(&j[(*n)++], p, bars, 0, rounds, e);
	}
	for (size_t i = 0; i < p->n_engines && !bad; i++, ++*n) {
		j[*n].engine = p->engine[i].name;
		j[*n].argv = p->engine[i].argv;
		snprintf(
		    j[*n].name, sizeof j[*n].name, "a sweep per process %s", p->engine[i].name);
		bad = add_job(&j[*n], p, p->work.n_bars, p->work.n_sets, rounds, e);
	}
	return bad;
}

static int add_row(struct probe *p, struct job *j, double *samples, const double *sweep,
    size_t rounds, struct err *e)
{
	struct row *row = row_add(&p->result, "spawn", j->name, "ns");
	double scratch[1024];

	if (!row)
		return err_errno(e, "spawn");
	row_label(row, "method", "posix_spawn");
	row_label(row, "program", "%s", j->engine ? j->engine : "hmasweep");
	row_label(row, "parent", "small");
	row_ratio(row, "a sweep per process", stat_ratio_paired(samples, sweep, rounds, scratch));
	row_extra(row, "processes", j->step ? (double)((j->n_sets + j->step - 1) / j->step) : 1);
	row_extra(row, "payload_bytes", (double)(j->n_bars * sizeof(double)));
	row_extra(row, "fixed_ns", j->engine ? (double)NAN : stat_median(j->fixed + 1, rounds));
	row_extra(row, "engine_cpu_s", j->cpu_s);
	if (j->step == 1)
		snprintf(row->published, sizeof row->published, "1.9 s for 80 (M2 Max, analytic)");
	else if (j->step && !j->engine)
		snprintf(row->published, sizeof row->published, "24 ms of start (M2 Max, derived)");
	return 0;
}

/* What a process costs with nothing to carry, and what a byte adds: a line a round. */
static int add_slope(struct probe *p, const struct job *j, size_t n, const double *samples,
    size_t rounds, size_t stride, struct err *e)
{
	double x[PAYLOADS], y[PAYLOADS], floor[1024], slope[1024], share[1024];
	struct row *row;
	size_t m = 0;

	for (size_t r = 0; r < rounds; r++) {
		struct line l;

		m = 0;
		for (size_t i = 0; i < n; i++)
			if (!j[i].step) {
				x[m] = (double)(j[i].n_bars * sizeof(double));
				y[m++] = samples[i * stride + r];
			}
		l = fit_relative(x, y, m);
		floor[r] = l.floor;
		slope[r] = l.slope;
		share[r] = l.slope * x[m - 1] / l.floor;
	}
	if (m < 2)
		return 0;
	row = row_add(&p->result, "spawn", "fixed cost", "ns");
	if (!row)
		return err_errno(e, "spawn");
	row_label(row, "method", "posix_spawn");
	row_label(row, "program", "hmasweep");
	row_label(row, "parent", "small");
	row_samples(row, floor, rounds);
	row_extra(row, "payload_bytes", x[m - 1]);
	row_extra(row, "slope_ns_per_byte", stat_median(slope, rounds));
	row_extra(row, "slope_low_ns_per_byte", slope[0]);
	row_extra(row, "slope_high_ns_per_byte", slope[rounds - 1]);
	row_extra(row, "payload_share_x", stat_median(share, rounds));
	row_note(row,
	    "a process with nothing to carry; payload_share: what the largest payload adds to it");
	snprintf(
	    row->published, sizeof row->published, "24 ms whatever it carries (M2 Max, derived)");
	return 0;
}

static int add_rows(struct probe *p, struct job *j, const struct variant *v, size_t n,
    double *samples, size_t rounds, size_t stride, struct err *e)
{
	size_t first = p->result.n_rows;

	for (size_t i = 0; i < n; i++) {
		if (add_row(p, &j[i], samples + i * stride, samples, rounds, e) < 0)
			return -1;
		row_pressure(p->result.row[first + i], &v[i], &v[0]);
	}
	if (add_slope(p, j, n, samples, rounds, stride, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		row_samples(p->result.row[first + i], samples + i * stride, rounds);
	return 0;
}

int spawn_engines(struct probe *p, struct err *e)
{
	int rounds = p->rounds ? p->rounds : 9, bad, done = 0;
	static char program[4096];
	char *argv[] = {program, NULL};
	struct job j[VARIANTS] = {0};
	struct variant v[VARIANTS];
	double *samples = mem_alloc(VARIANTS * (size_t)rounds * sizeof *samples);
	size_t n = 0;

	snprintf(program, sizeof program, "%s/hmasweep", p->tools);
	bad = samples ? add_jobs(p, j, &n, argv, rounds, e) : err_errno(e, "spawn");
	for (size_t i = 0; i < n; i++)
		v[i] = (struct variant){
		    .name = j[i].name, .run = run_job, .ctx = &j[i], .elsewhere = 1};
	if (!bad)
		done = probe_rounds(p, v, n, rounds, samples, e);
	if (done > 0)
		done = add_rows(p, j, v, n, samples, (size_t)done, (size_t)rounds, e);
	for (size_t i = 0; i < n; i++) {
		client_close(&j[i].client);
		mem_free(j[i].fixed);
	}
	mem_free(samples);
	return bad || done < 0 ? -1 : 0;
}
