/* Suite boundary: how each way across is gone once, and that its results are the definition's. */
#include "cmd/probe_boundary.h"
#include "lib/clock.h"
#include "lib/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the last call took, and the gate. */
static int count_call(struct job *j, struct turn *t, size_t first_set, size_t n, struct err *e)
{
	t->total_ns += (double)j->client.trip_ns;
	t->boundary_ns += j->client.reply.stamped
			      ? (double)j->client.trip_ns - (double)j->client.compute_ns
			      : NAN;
	return client_gate(&j->client, j->work, first_set, n, e);
}

static int in_process(struct job *j, struct turn *t, struct err *e)
{
	const struct workload *w = j->work;
	uint64_t start = clock_ns();

	hma_sweep(j->kernel, w->closes, w->n_bars, w->sets, w->n_sets, w->fee, j->scratch, j->got);
	t->total_ns = (double)(clock_ns() - start);
	return probe_gate(w, 0, w->n_sets, j->got, j->name, e);
}

/* Calls of `step` sets each. */
static int calls(struct job *j, struct turn *t, size_t step, struct err *e)
{
	for (size_t i = 0; i < j->work->n_sets; i += step) {
		struct request r = client_sweep(j->work, i, step, j->flags);

		if (j->way->shape == PRELOADED) {
			r.head.op = OP_SWEEP_SLOT;
			r.head.n_bars = 0;
		}
		if (client_call(&j->client, &r, e) < 0 || count_call(j, t, i, step, e) < 0)
			return -1;
	}
	return 0;
}

/* Processes of `step` sets each. */
static int processes(struct job *j, struct turn *t, size_t step, struct err *e)
{
	for (size_t i = 0; i < j->work->n_sets; i += step) {
		struct request r = client_sweep(j->work, i, step, j->flags);
		struct rusage use;

		if (client_process(&j->client, j->argv, j->name, &r, &use, e) < 0 ||
		    count_call(j, t, i, step, e) < 0)
			return -1;
		t->engine_cpu_s += client_cpu_s(&use);
	}
	return 0;
}

static int decode_reply(struct job *j, size_t first_set, size_t n, double *ns, struct err *e)
{
	uint64_t start = clock_ns();

	j->pnl.len = j->trades.len = 0;
	if (codec_json_reply_parse(&j->pnl, &j->trades, j->client.in, j->client.in_len, e) < 0)
		return -1;
	*ns = (double)(clock_ns() - start);
	if (j->pnl.len != 8 * n || j->trades.len != 8 * n)
		return err_set(e, STATUS_DIFFER, "%s: results of %zu set%s, asked for %zu", j->name,
		    j->pnl.len / 8, err_plural(j->pnl.len / 8), n);
	return probe_gate_reply(j->work, first_set, n, j->pnl.p, j->trades.p, j->name, e);
}

/*
 * Text has no stamps. Its boundary here is a lower bound: encoding and
 * decoding on both sides without the transport. The engine decodes with the
 * function used here, so it is timed here, on the line just sent.
 */
static int engine_side(struct job *j, double *ns, struct err *e)
{
	uint64_t start = clock_ns();

	if (codec_json_request_parse(&j->parsed, j->line.p, j->line.len - 1, e) != FRAME_OK)
		return -1;
	*ns = (double)(clock_ns() - start);
	return 0;
}

static int json_calls(struct job *j, struct turn *t, size_t step, struct err *e)
{
	size_t n = j->work->n_sets;
	double engine = 0;

	for (size_t i = 0; i < n; i += step) {
		struct request r = client_sweep(j->work, i, step, 0);
		uint64_t start = clock_ns();
		double decode;

		j->line.len = 0;
		if (codec_json_request_write(&j->line, &r, e) < 0)
			return -1;
		t->encode_ns += (double)(clock_ns() - start);
		if (client_call_line(&j->client, &j->line, e) < 0 ||
		    decode_reply(j, i, step, &decode, e) < 0)
			return -1;
		t->decode_ns += decode;
		t->total_ns += (double)j->client.trip_ns;
		if (i == 0 && engine_side(j, &engine, e) < 0)
			return -1;
	}
	t->total_ns += t->encode_ns + t->decode_ns;
	t->boundary_ns = t->encode_ns + t->decode_ns + engine * (double)((n + step - 1) / step);
	return 0;
}

static int go(struct job *j, struct turn *t, struct err *e)
{
	size_t all = j->work->n_sets;

	switch (j->way->shape) {
	case IN_PROCESS: return in_process(j, t, e);
	case BATCH: return calls(j, t, all, e);
	case CHATTY:
	case PRELOADED: return calls(j, t, 1, e);
	case SPAWN: return processes(j, t, all, e);
	case SPAWN_SETS: return processes(j, t, 1, e);
	case JSON_BATCH: return json_calls(j, t, all, e);
	case JSON_CHATTY: return json_calls(j, t, 1, e);
	}
	return err_set(e, STATUS_FAILED, "%s: no such way", j->name);
}

int job_run(void *job, int round, double *ns, struct err *e)
{
	struct job *j = job;
	struct turn t = {0};
	double engine = j->server ? probe_server_cpu(j->server) : NAN, own = client_own_cpu_s();
	struct probe_client before = j->client;

	if (go(j, &t, e) < 0)
		return -1;
	t.client_cpu_s = client_own_cpu_s() - own;
	if (j->server)
		t.engine_cpu_s = probe_server_cpu(j->server) - engine;
	t.calls = j->client.calls - before.calls;
	t.bytes_out = j->client.bytes_out - before.bytes_out;
	t.bytes_in = j->client.bytes_in - before.bytes_in;
	j->turn[round + 1] = t;
	*ns = t.total_ns;
	return 0;
}

static int preload(struct job *j, struct err *e)
{
	struct request r = client_sweep(j->work, 0, 0, 0);

	r.head.op = OP_LOAD;
	if (client_call(&j->client, &r, e) < 0)
		return -1;
	j->load_ns = (double)j->client.trip_ns;
	return 0;
}

static int open_scratch(struct job *j, struct err *e)
{
	const struct workload *w = j->work;
	size_t size =
	    hma_scratch_size(j->kernel, w->n_bars, hma_max_window(w->sets, w->n_sets, w->n_bars));

	j->scratch = mem_alloc(size);
	j->got = mem_alloc(w->n_sets * sizeof *j->got);
	return j->scratch && j->got ? 0 : err_errno(e, "%s: %zu bytes", j->name, size);
}

static int connect_job(struct job *j, struct err *e)
{
	if (j->engine)
		return client_spawn(&j->client, j->argv, j->name, e);
	if (!j->server || !j->server->pid) {
		snprintf(j->why, sizeof j->why, "its server could not be started");
		return 0;
	}
	if (j->way->link == LINK_TCP && !j->server->tcp[0]) {
		snprintf(j->why, sizeof j->why, "no TCP port could be had");
		return 0;
	}
	if (j->way->link == LINK_RING) {
		if (client_ring(
			&j->client, LINK_RING, j->server, client_largest(j->work), j->name, e) < 0)
			snprintf(j->why, sizeof j->why, "%.230s", e->text);
		return 0;
	}
	return client_connect(&j->client, j->way->link, j->server, j->name, e);
}

int job_open(struct job *j, int rounds, struct err *e)
{
	size_t odd;

	j->turn = mem_alloc(((size_t)rounds + 1) * sizeof *j->turn);
	if (!j->turn)
		return err_errno(e, "%s", j->name);
	switch (j->way->shape) {
	case IN_PROCESS: return open_scratch(j, e);
	case SPAWN:
	case SPAWN_SETS: return 0;
	case JSON_BATCH:
	case JSON_CHATTY:
		odd = codec_first_nonfinite(j->work->closes, j->work->n_bars);
		if (odd == j->work->n_bars)
			break;
		snprintf(
		    j->why, sizeof j->why, "bar %zu is not finite, which JSON cannot say", odd + 1);
		return 0;
	default: break;
	}
	if (connect_job(j, e) < 0)
		return -1;
	return j->way->shape == PRELOADED && !j->why[0] ? preload(j, e) : 0;
}

void job_close(struct job *j)
{
	client_close(&j->client);
	mem_free(j->scratch);
	mem_free(j->got);
	buf_free(&j->line);
	buf_free(&j->pnl);
	buf_free(&j->trades);
	codec_json_request_free(&j->parsed);
	mem_free(j->turn);
}
