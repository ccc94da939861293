/* Suite echo: the round trip of 1 to 1.5 million floats over each transport, and the line in it. */
#include "cmd/probe_echo.h"
#include "lib/clock.h"
#include "lib/mem.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define CALLS_MIN 3
#define WARM_CALLS 64 /* of small sizes */
#define SMALL 1000    /* floats */
#define TURN_NS 60000000u
#define QUICK_TURN_NS 20000000u
#define PATIENCE 3 /* turns that one may take at most */
#define COPIES 21  /* memcpy's repetitions */

const size_t echo_floats[ECHO_SIZES] = {1, 10, 100, 1000, 10000, 100000, 150000, 1500000};

/* One call, verified outside its time. The first value is another in each call. */
static int call(struct cell *c, double *ns, struct err *e)
{
	struct echo *s = c->echo;
	struct probe_client *client = &s->links.client[c->link];
	size_t n = echo_floats[c->size];
	struct request r = {.head = {.op = OP_ECHO, .n_bars = (uint32_t)n},
	    .closes = (const unsigned char *)s->payload};

	s->payload[0] = (double)++s->sequence;
	if (client_call(client, &r, e) < 0)
		return -1;
	*ns = (double)client->trip_ns;
	if (client->reply.n_bars == n &&
	    memcmp(client->reply.closes, s->payload, n * sizeof(double)) == 0)
		return 0;
	return err_set(e, STATUS_DIFFER, "echo: %s: what came back is not what was sent", c->name);
}

/*
 * The untimed turn: warms up until both ends run, which takes a scheduler some
 * turns where they spin, and finds how many calls fill a turn.
 */
static int calibrate(struct cell *c, double *ns, struct err *e)
{
	struct echo *s = c->echo;
	double budget = s->p->quick ? QUICK_TURN_NS : TURN_NS;
	size_t least = echo_floats[c->size] <= SMALL ? WARM_CALLS : CALLS_MIN, n = 0;
	uint64_t start = clock_ns(), elapsed = 0;

	while (n < CALLS_MIN || (elapsed < budget / 4 && n < ECHO_CALLS_MAX) ||
	       (n < least && elapsed < PATIENCE * budget)) {
		if (call(c, &s->took[n++], e) < 0)
			return -1;
		elapsed = clock_ns() - start;
	}
	/* By the fastest: run_calls has an eye on the time where others get in the way. */
	*ns = stat_range(s->took, n).min;
	c->calls = (size_t)(budget / *ns);
	if (c->calls < CALLS_MIN)
		c->calls = CALLS_MIN;
	if (c->calls > ECHO_CALLS_MAX)
		c->calls = ECHO_CALLS_MAX;
	return 0;
}

/* A turn: as many calls as calibrated, unless the machine got much slower since. */
static int run_calls(struct cell *c, size_t *n, struct err *e)
{
	struct echo *s = c->echo;
	double limit = PATIENCE * (s->p->quick ? QUICK_TURN_NS : TURN_NS);
	uint64_t start = clock_ns();

	for (*n = 0; *n < c->calls && (*n < CALLS_MIN || clock_ns() - start < limit); ++*n) {
		if (probe_stopped())
			return err_set(e, STATUS_FAILED, "interrupted");
		if (call(c, &s->took[*n], e) < 0)
			return -1;
		hist_record(c->hist, (int64_t)s->took[*n]);
	}
	return 0;
}

static int run_cell(void *ctx, int round, double *ns, struct err *e)
{
	struct cell *c = ctx;
	struct echo *s = c->echo;
	double engine, own;
	size_t n;

	(void)round;
	if (links_enter(&s->links, c->link, e) < 0)
		return -1;
	if (!c->calls)
		return calibrate(c, ns, e);
	/* One untimed: the turn before was another size's, or another transport's. */
	if (call(c, ns, e) < 0)
		return -1;
	engine = links_engine_cpu(&s->links, c->link);
	own = client_own_cpu_s();
	if (run_calls(c, &n, e) < 0)
		return -1;
	c->engine_cpu_s += links_engine_cpu(&s->links, c->link) - engine;
	c->client_cpu_s += client_own_cpu_s() - own;
	*ns = stat_median(s->took, n);
	return 0;
}

/* There and back, as the payload goes. */
static void time_copies(struct echo *s)
{
	double took[COPIES];

	for (size_t i = 0; i < s->n_sizes; i++) {
		size_t bytes = echo_floats[i] * sizeof(double);

		for (int k = 0; k < COPIES; k++) {
			uint64_t start = clock_ns();

			memcpy(s->copy, s->payload, bytes);
			/* What was copied is used: the copy cannot be left out. */
			__asm__ volatile("" ::"r"(s->copy) : "memory");
			memcpy(s->payload, s->copy, bytes);
			__asm__ volatile("" ::"r"(s->payload) : "memory");
			took[k] = (double)(clock_ns() - start);
		}
		s->memcpy_ns[i] = stat_median(took, COPIES);
	}
}

static int open_cells(struct echo *s, struct err *e)
{
	size_t most = echo_floats[s->n_sizes - 1];

	s->payload = mem_alloc(most * sizeof *s->payload);
	s->copy = mem_alloc(most * sizeof *s->copy);
	if (!s->payload || !s->copy)
		return err_errno(e, "echo");
	for (size_t i = 0; i < most; i++)
		s->payload[i] = 100 + 0.01 * (double)i;
	for (int link = 0; link < LINKS; link++)
		for (size_t i = 0; i < s->n_sizes; i++) {
			struct cell *c = &s->cell[(size_t)link * s->n_sizes + i];

			*c = (struct cell){.echo = s, .link = (enum probe_link)link, .size = i};
			snprintf(c->name, sizeof c->name, "%s %zu B", probe_link_names[link],
			    echo_floats[i] * sizeof(double));
			c->hist = mem_alloc(sizeof *c->hist);
			if (!c->hist)
				return err_errno(e, "echo");
			hist_reset(c->hist);
		}
	return 0;
}

double echo_buffer_bytes(const struct echo *s, enum probe_link link)
{
	const struct probe_client *c = &s->links.client[link];
	int fd = c->plain.t.fd_out, size = 0;
	socklen_t n = sizeof size;

	if (link >= LINK_RING)
		return (double)NAN;
	if (link == LINK_PIPE)
		return (double)fcntl(fd, F_GETPIPE_SZ);
	return getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &n) < 0 ? (double)NAN : (double)size;
}

static int measure(struct echo *s, int rounds, struct err *e)
{
	double *samples = mem_alloc(LINKS * ECHO_SIZES * (size_t)rounds * sizeof *samples);
	struct variant v[LINKS * ECHO_SIZES];
	size_t n = 0;
	int done;

	if (!samples)
		return err_errno(e, "echo");
	for (size_t i = 0; i < LINKS * s->n_sizes; i++)
		if (!s->links.why[s->cell[i].link][0])
			v[n++] = (struct variant){
			    .name = s->cell[i].name, .run = run_cell, .ctx = &s->cell[i]};
	done = probe_rounds(s->p, v, n, rounds, samples, e);
	if (done > 0)
		done = echo_rows(s, samples, (size_t)done, (size_t)rounds, e);
	mem_free(samples);
	return done < 0 ? -1 : 0;
}

int suite_echo(struct probe *p, struct err *e)
{
	static struct echo s;
	int rounds = p->rounds ? p->rounds : p->quick ? 3 : 7, bad;

	struct placement_watch watch;
	uint64_t largest;

	s = (struct echo){.p = p, .n_sizes = p->quick ? ECHO_SIZES - 1 : ECHO_SIZES};
	largest = echo_floats[s.n_sizes - 1] * sizeof(double) + 4 + FRAME_HEAD_MAX;
	placement_begin(&watch);
	bad = links_open(p, &s.links, HMA_AUTO, largest, e);
	if (!bad)
		bad = open_cells(&s, e);
	if (!bad) {
		time_copies(&s);
		bad = measure(&s, rounds, e);
	}
	for (size_t i = 0; i < LINKS * ECHO_SIZES; i++)
		mem_free(s.cell[i].hist);
	links_close(&s.links);
	if (!bad && !probe_stopped())
		bad = echo_oneway(p, e);
	if (!bad && !probe_stopped())
		bad = placement_end(&watch, p, "echo", e);
	mem_free(s.payload);
	mem_free(s.copy);
	return bad;
}
