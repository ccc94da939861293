#include "lib/serve_ring.h"

#include <sched.h>

/* Looks at the rings before the rest of the loop gets its turn: while one is busy, and not. */
#define LOOKS 256u
#define LOOKS_QUIET 1u

void rings_enlist(struct ring_conn *r)
{
	struct serve *s = r->conn->serve;

	s->now_ns = r->last_ns = clock_ns();
	if (r->listed)
		return;
	/*
	 * Woken, it is looked at once round, and for longer only if something comes
	 * meanwhile: a client that we wake in turn may have to run where we spin.
	 */
	r->last_ns -= s->config.ring_spin_ns;
	r->listed = 1;
	r->previous = NULL;
	r->next = s->rings;
	if (r->next)
		r->next->previous = r;
	s->rings = r;
	ring_reader_wake(&r->link.in);
	ring_writer_wake(&r->link.out);
}

void rings_delist(struct ring_conn *r)
{
	if (!r->listed)
		return;
	r->listed = 0;
	if (r->next)
		r->next->previous = r->previous;
	if (r->previous)
		r->previous->next = r->next;
	else
		r->conn->serve->rings = r->next;
}

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

/* Looks at all that are listed once; how many requests were taken up. */
static unsigned look(struct serve *s)
{
	unsigned n = 0;

	for (struct ring_conn *r = s->rings, *next; r; r = next) {
		unsigned taken = turn(r->conn);

		next = r->next;
		r->busy |= taken != 0;
		n += taken;
	}
	return n;
}

/*
 * Off the list, its flag up so that the client wakes us, unless something came
 * just now. One that computes, or is done, has nothing to be looked for.
 */
static void put_to_sleep(struct ring_conn *r)
{
	const struct conn *c = r->conn;

	if (c->state != CONN_OPEN || c->busy ||
	    (r->no_room ? ring_writer_sleep(&r->link.out) : ring_reader_sleep(&r->link.in)))
		rings_delist(r);
}

/* Notes which rings were busy; the others go to sleep when they have been quiet long enough. */
static void sort_out(struct serve *s, uint64_t now, uint64_t budget)
{
	for (struct ring_conn *r = s->rings, *next; r; r = next) {
		next = r->next;
		if (r->busy)
			r->last_ns = s->rings_ns = now;
		else if (!s->config.spin && now - r->last_ns >= budget)
			put_to_sleep(r);
		r->busy = 0;
	}
}

void rings_poll(struct serve *s)
{
	int spin = may_spin(s);
	/* Those that only --spin keeps here must not hold up the sockets. */
	int quiet = s->config.spin && s->now_ns - s->rings_ns > s->config.ring_spin_ns;
	unsigned looks = !spin ? 1 : quiet ? LOOKS_QUIET : LOOKS;

	for (unsigned i = 0; i < looks; i++) {
		if (!look(s))
			ring_relax();
		if (s->dead || s->ready_first)
			break;
	}
	s->now_ns = clock_ns();
	sort_out(s, s->now_ns, spin ? s->config.ring_spin_ns : 0);
	if (!spin && s->config.spin)
		sched_yield();
}
