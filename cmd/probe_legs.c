/* Suite legs: where the time of a call goes, from stamped replies; what watching costs. */
#include "cmd/probe_client.h"
#include "lib/clock.h"
#include "lib/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLOT_BARS 1000 /* of a small call: one set on a preloaded slot */
#define LEGS 7
#define MAX_BLOCKS 200

static const char *const leg_names[LEGS] = {"client to engine", "wait", "compute", "to reply",
    "engine to client", "round trip", "freshness"};
static const char *const leg_notes[LEGS] = {
    "from before the first byte is sent to the last byte received", "received to compute begun",
    "compute begun to finished", "finished to reply begun",
    "reply begun to the last byte in the client's hands", "all of it",
    "age of the result in the client's hands, since the engine had the request"};

/* The legs of one kind of call. */
struct legs {
	struct hist *h; /* LEGS of them */
};

static void record(struct legs *l, const struct reply *r, uint64_t sent, uint64_t received)
{
	const uint64_t *s = r->stamp;
	const uint64_t end[LEGS] = {s[0], s[1], s[2], s[3], received, received, received};
	const uint64_t begin[LEGS] = {sent, s[0], s[1], s[2], s[3], sent, s[0]};

	for (int i = 0; i < LEGS; i++)
		hist_record(&l->h[i], (int64_t)(end[i] - begin[i]));
}

static int measure(
    struct probe_client *c, const struct request *r, struct legs *l, int calls, struct err *e)
{
	for (int i = -calls / 10; i < calls && !probe_stopped(); i++) {
		uint64_t sent = clock_ns();

		if (client_call(c, r, e) < 0)
			return -1;
		if (i >= 0)
			record(l, &c->reply, sent, clock_ns());
	}
	return 0;
}

static int add_rows(struct probe *p, const char *call, const struct legs *l, struct err *e)
{
	for (int i = 0; i < LEGS; i++) {
		struct row *row;
		char name[80];

		snprintf(name, sizeof name, "%s: %s", call, leg_names[i]);
		row = row_add(&p->result, "legs", name, "ns");
		if (!row)
			return err_errno(e, "legs");
		row_label(row, "call", "%s", call);
		row_label(row, "transport", "unix");
		row_label(row, "wait", "block");
		row_hist(row, &l->h[i]);
		row_note(row, "%s", leg_notes[i]);
		if (l->h[i].negative)
			row_extra(row, "negative_count", (double)l->h[i].negative);
	}
	return 0;
}

/* A small call on a slot, and a tick on live state: loaded and opened here. */
static int prepare(struct probe_client *c, const struct workload *w, struct err *e)
{
	size_t n = w->n_bars < SLOT_BARS ? w->n_bars : SLOT_BARS;
	struct request load = {.head = {.op = OP_LOAD, .n_bars = (uint32_t)n},
	    .closes = (const unsigned char *)w->closes};
	struct request open = {
	    .head = {.op = OP_OPEN, .n_sets = 1}, .sets = (const unsigned char *)w->sets};

	return client_call(c, &load, e) < 0 || client_call(c, &open, e) < 0 ? -1 : 0;
}

static struct request small_call(const struct workload *w)
{
	return (struct request){.head = {.op = OP_SWEEP_SLOT, .flags = FLAG_STAMP, .n_sets = 1},
	    .sets = (const unsigned char *)w->sets};
}

static int measure_legs(struct probe *p, int calls, struct err *e)
{
	struct request call[] = {small_call(&p->work),
	    {.head = {.op = OP_TICK, .flags = FLAG_STAMP, .n_bars = 1},
		.closes = (const unsigned char *)p->work.closes},
	    client_sweep(&p->work, 0, p->work.n_sets, FLAG_STAMP)};
	static const char *const name[] = {"small call", "tick", "whole sweep"};
	struct probe_server server = {0};
	struct probe_client c = {0};
	struct legs l = {mem_alloc(LEGS * sizeof *l.h)};
	int bad = l.h ? probe_server_start(p, &server, NULL, e) : err_errno(e, "legs");

	if (!bad)
		bad = client_connect(&c, LINK_UNIX, &server, "legs", e);
	if (!bad)
		bad = prepare(&c, &p->work, e);
	for (int k = 0; k < 3 && !bad && !probe_stopped(); k++) {
		for (int i = 0; i < LEGS; i++)
			hist_reset(&l.h[i]);
		bad = measure(&c, &call[k], &l, k < 2 ? calls : 40, e);
		if (!bad)
			bad = add_rows(p, name[k], &l, e);
	}
	client_close(&c);
	probe_server_stop(&server);
	mem_free(l.h);
	return bad;
}

/* Two servers alike but for the flight recorder, called in turns. */
struct arm {
	struct probe_server server;
	struct probe_client client;
	struct hist *all, *block;
	double p50[MAX_BLOCKS];
};

static int open_arm(struct probe *p, struct arm *a, const char *const *options, struct err *e)
{
	a->all = mem_alloc(sizeof *a->all);
	a->block = mem_alloc(sizeof *a->block);
	if (!a->all || !a->block)
		return err_errno(e, "legs");
	hist_reset(a->all);
	if (probe_server_start(p, &a->server, options, e) < 0 ||
	    client_connect(&a->client, LINK_UNIX, &a->server, "legs", e) < 0)
		return -1;
	return prepare(&a->client, &p->work, e);
}

static void close_arm(struct arm *a)
{
	client_close(&a->client);
	probe_server_stop(&a->server);
	mem_free(a->all);
	mem_free(a->block);
}

static int run_block(struct arm *a, const struct request *r, int block, int calls, struct err *e)
{
	uint64_t p50;

	hist_reset(a->block);
	for (int i = 0; i < calls; i++) {
		if (client_call(&a->client, r, e) < 0)
			return -1;
		hist_record(a->block, (int64_t)a->client.trip_ns);
	}
	if (block < 0)
		return 0;
	hist_at_rank(a->block, ((uint64_t)calls + 1) / 2, &p50);
	a->p50[block] = (double)p50;
	hist_merge(a->all, a->block);
	return 0;
}

static int recorder_rows(struct probe *p, struct arm *arm, int blocks, struct err *e)
{
	static const char *const name[] = {
	    "small call, no recorder", "small call, flight recorder"};
	double scratch[MAX_BLOCKS];

	for (int k = 0; k < 2; k++) {
		struct row *row = row_add(&p->result, "legs", name[k], "ns");

		if (!row)
			return err_errno(e, "legs");
		row_label(row, "call", "small call");
		row_label(row, "transport", "unix");
		row_label(row, "wait", "block");
		row_hist(row, arm[k].all);
		row_ratio(row, name[0],
		    stat_ratio_paired(arm[k].p50, arm[0].p50, (size_t)blocks, scratch));
		row_note(row, "ratio is of p50, block by block in turns (blocks: %d)", blocks);
	}
	return 0;
}

static int measure_recorder(struct probe *p, int blocks, int calls, struct err *e)
{
	static const char *const trace[] = {"--trace", "1000", NULL};
	static struct arm arm[2];
	struct request r = small_call(&p->work);
	int bad, done = 0;

	memset(arm, 0, sizeof arm);
	r.head.flags = 0;
	bad = open_arm(p, &arm[0], NULL, e) < 0 || open_arm(p, &arm[1], trace, e) < 0 ? -1 : 0;
	for (int b = -1; b < blocks && !bad && !probe_stopped(); b++) {
		for (int k = 0; k < 2 && !bad; k++)
			bad = run_block(&arm[(b + 1 + k) % 2], &r, b, calls, e);
		done = b + 1;
	}
	if (!bad && done > 0)
		bad = recorder_rows(p, arm, done, e);
	close_arm(&arm[0]);
	close_arm(&arm[1]);
	return bad;
}

int suite_legs(struct probe *p, struct err *e)
{
	int blocks = p->rounds ? p->rounds : p->quick ? 15 : 41;

	if (blocks > MAX_BLOCKS)
		blocks = MAX_BLOCKS;
	if (measure_legs(p, p->quick ? 4000 : 40000, e) < 0)
		return probe_stopped() ? 0 : -1;
	if (!probe_stopped() && measure_recorder(p, blocks, p->quick ? 300 : 1000, e) < 0)
		return probe_stopped() ? 0 : -1;
	return probe_stopped() ? 0 : probe_peak(p, e);
}
