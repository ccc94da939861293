#include "lib/serve_ring.h"

#include <sched.h>

/* Looks at all rings before the rest of the loop gets its turn. */
#define LOOKS 256u

/* A turn of a ring's connection, with what may have to follow. */
static unsigned turn(struct conn *c)
{
	unsigned n;

	if (c->state != CONN_OPEN || c->busy)
		return 0;
	n = ring_turn(c);
	if (c->state != CONN_OPEN)
		conn_turn(c, 0);
	if (c->state != CONN_OPEN || c->busy)
		conn_settle(c);
	return n;
}

/* Whether looking on is of use: somebody else's processor may be what it takes. */
static int may_spin(const struct serve *s)
{
	for (const struct ring_conn *r = s->rings; r; r = r->next)
		if (r->alone)
			return 0;
	return 1;
}

int rings_poll(struct serve *s)
{
	int spin = may_spin(s);
	uint64_t now;
	unsigned n;

	for (unsigned i = 0; i < (spin ? LOOKS : 1); i++) {
		n = 0;
		for (struct ring_conn *r = s->rings, *next; r; r = next) {
			next = r->next;
			n += turn(r->conn);
		}
		if (n)
			s->rings_busy = 1;
		else
			ring_relax();
		if (s->dead || s->ready_first)
			break;
	}
	now = clock_ns();
	s->now_ns = now;
	if (s->rings_busy || !s->rings)
		s->rings_ns = now;
	s->rings_busy = 0;
	if (!spin && s->config.spin)
		sched_yield();
	return !s->config.spin && (!spin || now - s->rings_ns >= s->config.ring_spin_ns);
}

int rings_sleep(struct serve *s)
{
	int quiet = 1;

	for (struct ring_conn *r = s->rings; r; r = r->next) {
		const struct conn *c = r->conn;

		if (c->state != CONN_OPEN || c->busy)
			continue;
		if (r->no_room ? !ring_writer_sleep(&r->link.out) : !ring_reader_sleep(&r->link.in))
			quiet = 0;
	}
	return quiet;
}

void rings_wake(struct serve *s)
{
	for (struct ring_conn *r = s->rings; r; r = r->next) {
		ring_reader_wake(&r->link.in);
		ring_writer_wake(&r->link.out);
	}
	s->now_ns = clock_ns();
}
