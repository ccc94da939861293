#include "lib/mem.h"
#include "lib/serve_ring.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define EVENTS 64
#define TICK_NS 100000000u    /* deadlines are met this late at most */
#define LINGER_NS 2000000000u /* that a peer is given to take its last reply */

/* What the connection waits for now, in epoll's words. */
static uint32_t wanted(const struct conn *c)
{
	if (c->busy || (c->ring && c->ended))
		return 0;
	return c->unsent ? EPOLLOUT : EPOLLIN;
}

void conn_settle(struct conn *c)
{
	struct serve *s = c->serve;
	uint32_t want = wanted(c);
	struct epoll_event ev = {.events = want, .data.ptr = c};

	if (c->state == CONN_DEAD) {
		if (!c->busy && !c->ready && !c->dead) {
			c->dead = 1;
			c->next_dead = s->dead;
			s->dead = c;
		}
		return;
	}
	if (c->transport->blocking) {
		if (!c->busy)
			conn_ready(c);
		return;
	}
	/* While it computes nothing is changed: most often no event comes meanwhile. */
	if (c->busy || want == c->events)
		return;
	if (epoll_ctl(s->epoll, EPOLL_CTL_MOD, c->transport->fd_in, &ev) == 0)
		c->events = want;
}

static void on_conn(struct conn *c, uint32_t events)
{
	struct epoll_event none = {.events = 0, .data.ptr = c};

	if (c->dead)
		return;
	if (c->busy) {
		/* Bytes or the end came while it computes: they wait, and epoll must not tell
		 * again. A hang-up is told whatever is asked for, so then it is taken off. */
		epoll_ctl(c->serve->epoll,
		    events & (EPOLLHUP | EPOLLERR) ? EPOLL_CTL_DEL : EPOLL_CTL_MOD,
		    c->transport->fd_in, &none);
		c->events = 0;
		c->off = (events & (EPOLLHUP | EPOLLERR)) != 0;
		return;
	}
	conn_turn(c, (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0);
	conn_settle(c);
}

/* What kept it busy is done. */
static void resume(struct conn *c)
{
	if (c->off) {
		struct epoll_event ev = {.events = EPOLLIN, .data.ptr = c};

		c->off = 0;
		epoll_ctl(c->serve->epoll, EPOLL_CTL_ADD, c->transport->fd_in, &ev);
		c->events = EPOLLIN;
	}
	if (c->state != CONN_DEAD)
		conn_turn(c, c->transport->blocking);
	conn_settle(c);
}

static void serve_ready(struct serve *s)
{
	struct conn *c = s->ready_first;

	s->ready_first = NULL;
	while (c) {
		struct conn *next = c->next_ready;

		c->ready = 0;
		if (c->copying) {
			append_slice(c);
			if (c->copying)
				conn_ready(c);
			else
				resume(c);
		} else {
			if (c->state != CONN_DEAD)
				conn_turn(c, c->transport->blocking);
			conn_settle(c);
		}
		c = next;
	}
}

static void traced(struct serve *s)
{
	trace_done(&s->trace);
	s->config.stats->dumps++;
	if (s->trace.e.text[0] && s->config.say)
		s->config.say(s->config.user, s->trace.e.text);
}

/* Writes the dump that is due; on_computed hears of its end where it went to the pool. */
static void trace(struct serve *s, struct pool *pool)
{
	if (s->trace.wish && !s->trace.busy && !trace_dump(&s->trace, pool))
		traced(s);
}

static void on_computed(struct serve *s)
{
	struct pool_job *j;

	while ((j = pool_done(s->pool))) {
		if (j == &s->trace.job) {
			traced(s);
			continue;
		}
		struct conn *c =
		    (struct conn *)(void *)((char *)j - offsetof(struct conn, work.job));

		s->computing--;
		c->busy = 0;
		op_computed(c);
		resume(c);
	}
}

/* No more peers and no more requests; what was received is answered. */
static void stop(struct serve *s)
{
	if (s->stop_ns) {
		s->hurry = 1;
		return;
	}
	s->stop_ns = clock_ns() + s->config.limits.grace_ns;
	door_close_all(s);
	for (struct conn *c = s->conns; c; c = c->next) {
		c->transport->ops->stop_input(c->transport);
		if (c->state == CONN_LINGER)
			c->state = CONN_DEAD;
		conn_settle(c);
	}
}

static void on_signal(struct serve *s)
{
	struct signalfd_siginfo i;

	s->signalled = 0;
	while (read(s->signals, &i, sizeof i) == sizeof i) {
		if (i.ssi_signo == SIGTERM || i.ssi_signo == SIGINT)
			stop(s);
		else if (s->config.on_signal)
			s->config.on_signal(s->config.user, s, (int)i.ssi_signo);
	}
}

static void reap(struct serve *s)
{
	if (!s->dead)
		return;
	while (s->dead) {
		struct conn *c = s->dead;

		s->dead = c->next_dead;
		conn_free(c);
	}
	/* Working memory that large requests needed goes with them. */
	if (!s->computing) {
		scratch_free(&s->scratch);
		if (s->pool)
			pool_trim(s->pool);
	}
}

/* Its time is over: told so where it reads, which one that lingers or is in debt does not. */
static void expire(struct conn *c)
{
	if (c->state == CONN_OPEN && !c->unsent) {
		c->serve->config.stats->idle_closed++;
		reply_error(c, FRAME_BUSY, "idle for too long (see --idle)");
		conn_turn(c, 0);
	} else {
		c->state = CONN_DEAD;
	}
	conn_settle(c);
}

static void on_time(struct serve *s, uint64_t now)
{
	uint64_t idle = s->config.limits.idle_ns;

	s->timers_ns = now + TICK_NS;
	for (struct conn *c = s->conns; c; c = c->next) {
		uint64_t since = now - c->since_ns;

		if (c->busy || c->state == CONN_DEAD || c->transport->blocking)
			continue;
		if (c->state == CONN_LINGER ? since > LINGER_NS : idle && since > idle)
			expire(c);
	}
}

static int patience(const struct serve *s)
{
	if (s->ready_first || s->dead || s->config.spin || s->rings)
		return 0;
	return s->server && (s->lingering || s->config.limits.idle_ns || s->stop_ns) ? 50 : -1;
}

static void on_ring(struct conn *c)
{
	if (c->dead || c->busy)
		return;
	conn_turn(c, 0);
	conn_settle(c);
}

static void dispatch(struct serve *s, const struct epoll_event *ev)
{
	switch (*(enum source *)ev->data.ptr) {
	case SOURCE_CONN: on_conn(ev->data.ptr, ev->events); break;
	case SOURCE_LISTENER:
		if (s->doors)
			door_open(ev->data.ptr);
		break;
	case SOURCE_POOL: on_computed(s); break;
	case SOURCE_SIGNAL: s->signalled = 1; break;
	case SOURCE_RING: on_ring(((struct ring_conn *)ev->data.ptr)->conn); break;
	}
}

static int turn(struct serve *s)
{
	struct epoll_event ev[EVENTS];
	int n;

	if (s->rings)
		rings_poll(s);
	n = epoll_wait(s->epoll, ev, EVENTS, patience(s));
	for (int i = 0; i < n; i++)
		dispatch(s, &ev[i]);
	/* Behind the others: what it closes may have had an event here. */
	if (s->signalled)
		on_signal(s);
	return n < 0 && errno != EINTR ? -1 : 0;
}

static int finished(const struct serve *s)
{
	if (!s->server)
		return s->n_conns == 0;
	return s->stop_ns && (s->n_conns == 0 || s->hurry || clock_ns() > s->stop_ns);
}

int serve_run(struct serve *s, struct err *e)
{
	while (!finished(s)) {
		/* A filter's one connection waits by itself. */
		if ((s->server || !s->ready_first) && turn(s) < 0)
			return err_errno(e, "epoll_wait");
		serve_ready(s);
		reap(s);
		trace(s, s->pool);
		if (s->server && (s->lingering || s->config.limits.idle_ns)) {
			uint64_t now = clock_ns();

			if (now > s->timers_ns)
				on_time(s, now);
		}
	}
	if (!s->server && s->trace.n)
		trace_wish(&s->trace, "end"); /* no signal asks a filter */
	trace(s, NULL);
	if (s->hurry)
		s->status = STATUS_FAILED;
	if (s->failure.text[0]) {
		*e = s->failure;
		return -1;
	}
	return 0;
}
