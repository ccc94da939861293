/*
 * Suite snapshot, server: the first answer of an engine that starts with its
 * data, and what sending a part of a series saves over sending the whole.
 */
#include "cmd/probe_client.h"
#include "lib/clock.h"
#include "lib/io.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STEADY_CALLS 32
#define MAX_ROUNDS 1000 /* 999, and the untimed one */

static struct request sweep_slot(const struct workload *w)
{
	return (struct request){
	    .head = {.op = OP_SWEEP_SLOT, .n_sets = 1}, .sets = (const unsigned char *)w->sets};
}

/* op LOAD or APPEND of the first n closes to slot 0. */
static struct request put_closes(const struct workload *w, uint8_t op, size_t n)
{
	return (struct request){
	    .head = {.op = op, .n_bars = (uint32_t)n}, .closes = (const unsigned char *)w->closes};
}

/* One way to start: the server's options, or none and a load by the client. */
struct start {
	const char *name;
	const char *options[6];
	struct probe *p;
	double steady[MAX_ROUNDS], ready[MAX_ROUNDS];
};

static int first_and_steady(
    struct start *s, struct probe_client *c, double *first, double *steady_ns, struct err *e)
{
	const struct workload *w = &s->p->work;
	struct request load = put_closes(w, OP_LOAD, w->n_bars), sweep = sweep_slot(w);
	uint64_t start = clock_ns();
	double steady[STEADY_CALLS];

	if (!s->options[0] && client_call(c, &load, e) < 0)
		return -1;
	if (client_call(c, &sweep, e) < 0)
		return -1;
	*first = (double)(clock_ns() - start);
	if (client_gate(c, w, 0, 1, e) < 0)
		return -1;
	for (int i = 0; i < STEADY_CALLS; i++) {
		if (client_call(c, &sweep, e) < 0)
			return -1;
		steady[i] = (double)c->trip_ns;
	}
	*steady_ns = stat_median(steady, STEADY_CALLS);
	return 0;
}

static int run_start(void *ctx, int round, double *ns, struct err *e)
{
	struct start *s = ctx;
	struct probe_client c = {0};
	struct probe_server server = {0};
	uint64_t start = clock_ns();
	int bad = probe_server_start(s->p, &server, s->options, e);
	double ready = (double)(clock_ns() - start);

	if (!bad)
		bad = client_connect(&c, LINK_UNIX, &server, s->name, e);
	if (!bad)
		bad = first_and_steady(s, &c, ns, &s->steady[round + 1], e);
	client_close(&c);
	probe_server_stop(&server);
	if (bad)
		return -1;
	s->ready[round + 1] = ready;
	return 0;
}

static int start_rows(struct probe *p, struct start *s, const struct variant *v, size_t n,
    double *samples, size_t rounds, size_t stride, struct err *e)
{
	double scratch[MAX_ROUNDS];

	for (size_t k = 0; k < n; k++) {
		/* The untimed round lies before. */
		double *steady = s[k].steady + 1;
		struct row *row;
		char name[80];

		snprintf(name, sizeof name, "first answer, %s", s[k].name);
		row = row_add(&p->result, "snapshot", name, "ns");
		if (!row)
			return err_errno(e, "snapshot");
		row_ratio(row, "its steady answer",
		    stat_ratio_paired(samples + k * stride, steady, rounds, scratch));
		row_pressure(row, &v[k], &v[k]);
		row_samples(row, samples + k * stride, rounds);
		row_extra(row, "steady_ns", stat_median(steady, rounds));
		row_extra(row, "start_to_ready_ns", stat_median(s[k].ready + 1, rounds));
		row_note(row, "one set on slot 0 over a Unix socket, from when the server listens");
	}
	return 0;
}

static int write_closes(const struct probe *p, const char *path, struct err *e)
{
	static struct out o;

	if (out_open(&o, path, e) < 0)
		return -1;
	out_put(&o, p->work.closes, p->work.n_bars * sizeof(double));
	return out_close(&o, e);
}

static int measure_starts(struct probe *p, int rounds, struct err *e)
{
	static struct start s[3];
	static double samples[3 * MAX_ROUNDS];
	char path[160], preload[176];
	struct variant v[3];
	int done;

	if (!probe_dir(p, e))
		return -1;
	snprintf(path, sizeof path, "%s/closes", p->dir);
	snprintf(preload, sizeof preload, "0=%s", path);
	if (write_closes(p, path, e) < 0)
		return -1;
	s[0] = (struct start){.name = "loaded by the client", .p = p};
	s[1] = (struct start){.name = "read at start", .options = {"-P", preload}, .p = p};
	s[2] = (struct start){.name = "mapped", .options = {"-P", preload, "--map"}, .p = p};
	for (int k = 0; k < 3; k++)
		v[k] = (struct variant){
		    .name = "snapshot: starts", .run = run_start, .ctx = &s[k], .elsewhere = 1};
	done = probe_rounds(p, v, 3, rounds, samples, e);
	unlink(path);
	if (done > 0)
		return start_rows(p, s, v, 3, samples, (size_t)done, (size_t)rounds, e);
	return done;
}

struct put {
	const char *name;
	struct probe_client *client;
	struct request request;
};

static int run_put(void *ctx, int round, double *ns, struct err *e)
{
	struct put *p = ctx;

	(void)round;
	if (client_call(p->client, &p->request, e) < 0)
		return -1;
	*ns = (double)p->client->trip_ns;
	return 0;
}

static int put_rows(struct probe *p, const struct put *put, const struct variant *v, size_t n,
    double *samples, size_t rounds, size_t stride, struct err *e)
{
	double scratch[MAX_ROUNDS];
	struct row *row[3];

	for (size_t k = 0; k < n; k++) {
		row[k] = row_add(&p->result, "snapshot", put[k].name, "ns");
		if (!row[k])
			return err_errno(e, "snapshot");
		row_ratio(row[k], put[0].name,
		    stat_ratio_paired(samples + k * stride, samples, rounds, scratch));
		row_pressure(row[k], &v[k], &v[0]);
	}
	for (size_t k = 0; k < n; k++) {
		size_t bytes = put[k].request.head.n_bars * sizeof(double);

		row_samples(row[k], samples + k * stride, rounds);
		row_extra(row[k], "size_bytes", (double)bytes);
		row_extra(row[k], "bytes_ratio",
		    (double)bytes / (double)(put[0].request.head.n_bars * sizeof(double)));
	}
	snprintf(row[n - 1]->published, sizeof row[n - 1]->published,
	    "deltas: p99 2.6 to 1.2-1.8 ms (exchange, measured)");
	return 0;
}

static int measure_puts(struct probe *p, int rounds, struct err *e)
{
	static double samples[3 * MAX_ROUNDS];
	const struct workload *w = &p->work;
	struct probe_server server = {0};
	struct probe_client c = {0};
	struct put put[3] = {{"load, whole series", &c, put_closes(w, OP_LOAD, w->n_bars)},
	    {"append, a tenth", &c, put_closes(w, OP_APPEND, w->n_bars / 10 ? w->n_bars / 10 : 1)},
	    {"append, one bar", &c, put_closes(w, OP_APPEND, 1)}};
	struct variant v[3];
	int bad = probe_server_start(p, &server, NULL, e), done = 0;

	for (int k = 0; k < 3; k++)
		v[k] = (struct variant){
		    .name = "snapshot: deltas", .run = run_put, .ctx = &put[k], .elsewhere = 1};
	if (!bad)
		bad = client_connect(&c, LINK_UNIX, &server, "snapshot", e);
	/* Something to append to, whichever comes first. */
	if (!bad)
		bad = client_call(&c, &put[0].request, e);
	if (!bad)
		done = probe_rounds(p, v, 3, rounds, samples, e);
	client_close(&c);
	probe_server_stop(&server);
	if (bad || done < 0)
		return -1;
	return done ? put_rows(p, put, v, 3, samples, (size_t)done, (size_t)rounds, e) : 0;
}

int suite_snapshot(struct probe *p, struct err *e)
{
	if (probe_snapshot_readers(p, e) < 0 || probe_stopped())
		return probe_stopped() ? 0 : -1;
	if (measure_starts(p, p->rounds ? p->rounds : p->quick ? 7 : 15, e) < 0)
		return -1;
	if (probe_stopped())
		return 0;
	return measure_puts(p, p->rounds ? p->rounds : p->quick ? 30 : 200, e);
}
