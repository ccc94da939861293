#include "lib/load_loop.h"
#include "lib/clock.h"
#include "lib/stat.h"

#include <math.h>
#include <poll.h>
#include <time.h>

#define SPIN_NS 50000u     /* sleeping ends this long before a request is due, the rest is spun */
#define LOOK_NS 100000000u /* a sleep is never longer */
#define CHECK_NS 5000000u  /* how often timeouts are looked for */
#define POLLED 1024        /* connections a thread can wait for at once */

struct phase {
	struct load_worker *w;
	uint64_t quota, end, asked;
	uint64_t begin;
	uint64_t due; /* of the next request, open loop */
	double at;    /* the same, ns from begin, not rounded */
	int measured;
};

/* The next due time: evenly spaced, threads interleaved; or exponential gaps. */
static void next_due(struct phase *p)
{
	const struct load_config *k = p->w->config;
	double mean = 1e9 * (double)k->threads / k->rate;

	if (k->arrivals == LOAD_POISSON) {
		double u = (double)(stat_random(p->w->random) >> 11) * 0x1p-53;

		p->at += -log1p(-u) * mean;
	} else {
		p->at = ((double)p->asked + (double)p->w->index / (double)k->threads) * mean;
	}
	p->due = p->at < 9e18 ? p->begin + (uint64_t)p->at : UINT64_MAX;
}

/* The next connection that can take a request, or NULL. */
static struct load_conn *pick(struct load_worker *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct load_conn *c = &w->conns[w->turn];

		w->turn = w->turn + 1 < w->n ? w->turn + 1 : 0;
		if (load_conn_has_room(c) && load_conn_under_way(c) < w->config->depth)
			return c;
	}
	return NULL;
}

static void ask(struct phase *p, uint64_t now)
{
	int open_loop = p->w->config->rate > 0;
	struct load_conn *c;

	while (p->asked < p->quota && (!open_loop || (p->due <= now && p->due < p->end))) {
		c = pick(p->w);
		if (!c)
			return;
		load_conn_ask(c, open_loop ? p->due : 0, p->measured);
		p->asked++;
		if (open_loop)
			next_due(p);
	}
}

static size_t under_way(const struct load_worker *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += load_conn_under_way(&w->conns[i]);
	return n;
}

static int any_usable(const struct load_worker *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->conns[i].open && !w->conns[i].overdue)
			return 1;
	return 0;
}

/* How long to sleep at `now`: till shortly before the next request is due. */
static uint64_t sleep_for(const struct phase *p, uint64_t now, int asking)
{
	uint64_t wake = now + LOOK_NS;

	if (p->w->config->spin)
		return 0;
	if (asking && p->w->config->rate > 0 && p->due < wake)
		wake = p->due;
	if (asking && p->end < wake)
		wake = p->end;
	return wake > now + SPIN_NS ? wake - now - SPIN_NS : 0;
}

/* Waits till a connection is ready, and receives; without sleeping, looks at all. */
static void receive(struct load_worker *w, uint64_t sleep_ns)
{
	struct timespec t = {(time_t)(sleep_ns / 1000000000u), (long)(sleep_ns % 1000000000u)};
	struct pollfd fds[POLLED];
	size_t i, n = w->n < POLLED ? w->n : POLLED;

	for (i = 0; sleep_ns && i < n; i++) {
		struct load_conn *c = &w->conns[i];

		fds[i] = (struct pollfd){.fd = c->open ? c->peer.t.fd_in : -1, .events = POLLIN};
		if (c->blocked_ns && c->peer.t.fd_out == c->peer.t.fd_in)
			fds[i].events |= POLLOUT;
		else if (c->blocked_ns && t.tv_nsec > 1000000)
			t = (struct timespec){0, 1000000};
	}
	if (sleep_ns && ppoll(fds, (nfds_t)n, &t, NULL) <= 0)
		return;
	for (i = 0; i < w->n; i++)
		if (w->conns[i].open &&
		    (sleep_ns && i < n ? fds[i].revents & ~POLLOUT
				       : load_conn_under_way(&w->conns[i]) != 0))
			load_conn_receive(&w->conns[i]);
}

/* Requests that were due by `now` and that no connection could take. */
static void count_unsent(struct phase *p, uint64_t now)
{
	const struct load_config *k = p->w->config;
	uint64_t until = now < p->end ? now : p->end;

	if (p->measured && k->rate > 0 && p->asked < p->quota && p->due < until)
		p->w->unsent +=
		    (uint64_t)ceil((double)(until - p->due) * k->rate / (1e9 * (double)k->threads));
}

static int stopped(const struct load_worker *w)
{
	return w->config->stop && atomic_load_explicit(w->config->stop, memory_order_relaxed);
}

void load_loop(struct load_worker *w, uint64_t quota, uint64_t begin, uint64_t end, int measured)
{
	struct phase p = {.w = w, .quota = quota, .begin = begin, .end = end, .measured = measured};
	int asking = 1, blocking = w->n == 1 && w->conns[0].peer.t.blocking;
	uint64_t checked = 0, now;

	if (w->config->rate > 0)
		next_due(&p);
	while (!stopped(w)) {
		/* One at a time, no look at the clock between a reply and the next request. */
		now = blocking && w->conns[0].received_ns ? w->conns[0].received_ns : clock_ns();
		if (asking && (p.asked == quota || now >= end || !any_usable(w))) {
			asking = 0;
			count_unsent(&p, now);
		}
		if (asking)
			ask(&p, now);
		else if (under_way(w) == 0)
			return;
		for (size_t i = 0; i < w->n; i++)
			if (w->conns[i].next != w->conns[i].tail)
				load_conn_send(&w->conns[i]);
		if (blocking && under_way(w))
			load_conn_receive(&w->conns[0]);
		else if (!blocking)
			receive(w, sleep_for(&p, now, asking));
		if (now - checked >= CHECK_NS) {
			checked = now;
			for (size_t i = 0; i < w->n; i++)
				load_conn_check(&w->conns[i], now);
		}
		w->between(w);
	}
}
