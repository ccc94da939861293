#include "lib/serve_ring.h"

#include <stdio.h>

#define ERROR_ROOM (4 + sizeof((struct err *)0)->text)
#define REQUESTS_A_TURN 64u

void ring_violation(struct conn *c, const struct err *e)
{
	c->ring->broken = 1;
	c->serve->config.stats->ring_broken++;
	c->event.parsed_ns = c->event.started_ns = c->event.finished_ns = conn_clock(c);
	reply_error(c, FRAME_MALFORMED, e->text);
}

/* Whether `most` bytes of reply have room now; where not, it waits, or is refused. */
static int reserve(struct conn *c, uint64_t most)
{
	struct ring_conn *r = c->ring;
	struct err e;
	enum ring_state s;
	char text[160];

	if (r->reserved >= most)
		return 1;
	if (most > RING_RECORD_MAX(r->link.map.size) - RING_LINE) {
		snprintf(text, sizeof text,
		    "a reply of %llu bytes does not fit a ring of %llu: ask for a larger ring",
		    (unsigned long long)most, (unsigned long long)r->link.map.size);
		op_at_once(c);
		reply_error(c, FRAME_BAD_REQUEST, text);
		return 0;
	}
	s = ring_reserve(&r->link.out, (uint32_t)most, RING_REPLY_OFFSET, &r->reply, &e);
	r->no_room = s == RING_WAIT;
	if (s == RING_BAD)
		ring_violation(c, &e);
	if (s != RING_OK)
		return 0;
	r->reserved = most;
	return 1;
}

/* The most that the reply to the accepted request can take. */
static uint64_t reply_most(const struct conn *c)
{
	const struct frame_head *h = &c->request.head;
	uint64_t n = frame_reply_size(h);

	if (n != UINT64_MAX)
		return n;
	if (h->op == OP_TICK)
		return FRAME_STAMP_SIZE + (c->live ? (uint64_t)24 * c->live->n_sets : 0);
	return RING_RECORD_MAX(c->ring->link.map.size) - RING_LINE;
}

static void begin_event(struct conn *c)
{
	struct serve *s = c->serve;

	c->untimed = !s->config.trace && (c->number + 1) % RING_TIMED_EVERY != 0;
	c->recv_ns = conn_clock(c);
	request_begins(c);
	c->event.untimed = (uint8_t)c->untimed;
	c->next_offset += 4 + (uint64_t)c->ring->record.len;
	s->config.stats->bytes_in += 4 + (uint64_t)c->ring->record.len;
}

/* A stamped request is timed, whatever its number. */
static void time_it(struct conn *c)
{
	c->untimed = 0;
	c->event.untimed = 0;
	c->recv_ns = c->event.first_ns = c->event.received_ns = clock_ns();
}

/* The head of a new record, copied before it is looked at: 1 accepted, 0 answered with an error. */
static int accept_head(struct conn *c)
{
	const struct ring_record *rec = &c->ring->record;
	unsigned char head[FRAME_HEAD_MAX];
	size_t n = rec->len < sizeof head ? rec->len : sizeof head;

	begin_event(c);
	if (rec->word > c->serve->config.limits.frame) {
		frame_too_large(c, rec->word);
		return 0;
	}
	memcpy(head, rec->body, n);
	if (n && head[0] & FLAG_STAMP)
		time_it(c);
	return frame_head_accept(c, head, n, rec->len) == 0;
}

/*
 * The request's arrays: sets in private memory, closes where they stand, which
 * may change under the kernel but not harm it. They move too where the client
 * did not align them, or the gate will look twice. 0, or -1: an error was sent.
 */
static int locate(struct conn *c)
{
	const struct frame_head head = c->request.head;
	const unsigned char *body = c->ring->record.body;
	size_t sets = (size_t)head.n_sets * FRAME_SET_SIZE;
	size_t closes = (size_t)head.n_bars * sizeof(double);
	int move;

	request_locate(&c->request, &head, body);
	move = closes && head.op != OP_ECHO &&
	       (((uintptr_t)c->request.closes & 7) != 0 || c->serve->config.gate);
	if (!sets && !move)
		return 0;
	c->in.len = c->at = 0;
	if (buf_reserve(&c->in, sets + (move ? closes : 0)) < 0) {
		op_at_once(c);
		reply_error(c, FRAME_BUSY, "out of memory for the request");
		return -1;
	}
	if (sets) {
		memcpy(c->in.p, c->request.sets, sets);
		c->request.sets = c->in.p;
	}
	if (move) {
		memcpy(c->in.p + sets, c->request.closes, closes);
		c->request.closes = c->in.p + sets;
	}
	return 0;
}

/* A record: the one in hand, or the next, as far as it has come. 0: there is none; -1: the end. */
static int receive(struct conn *c)
{
	struct ring_conn *r = c->ring;
	enum ring_state s = RING_OK;
	struct err e;

	if (!r->has_record) {
		s = ring_next(&r->link.in, &r->record, &e);
		if (s == RING_WAIT)
			return 0;
		r->has_record = s == RING_OK;
		r->parsed = 0;
	}
	if (s == RING_OK)
		s = ring_there(&r->link.in, &r->record, &r->there, &e);
	if (s == RING_BAD)
		ring_violation(c, &e);
	return s == RING_BAD ? -1 : 1;
}

/* An echo is copied as far as its closes have come, and that part of the reply published. */
static void echo_on(struct conn *c)
{
	struct ring_conn *r = c->ring;
	size_t had = r->copied;

	ring_reply_part(c, r->record.body + FRAME_HEAD, r->there - FRAME_HEAD);
	/* A stamp stands in front and is known in the end. */
	if (r->copied != had && r->there < r->record.len && !(c->event.flags & FLAG_STAMP))
		ring_link_publish_part(
		    &r->link, r->record.len - FRAME_HEAD, RING_REPLY_OFFSET, (uint32_t)r->copied);
}

/* More of the accepted request may have come. 1: it is whole. */
static int go_on(struct conn *c)
{
	struct ring_conn *r = c->ring;

	if (c->request.head.op == OP_ECHO && !(c->event.flags & FLAG_DRY) && r->there >= FRAME_HEAD)
		echo_on(c);
	if (r->there < r->record.len)
		return 0;
	if (!c->untimed)
		c->recv_ns = c->event.received_ns = clock_ns();
	return 1;
}

/* The next request as far as it goes: 1 taken up, 0 there is none, or it waits for room or more. */
static int step(struct conn *c)
{
	struct ring_conn *r = c->ring;
	uint32_t before = r->has_record ? r->there : 0;
	int got = receive(c);

	if (got <= 0)
		return got < 0;
	if (r->there < FRAME_HEAD_MAX && r->there < r->record.len)
		return 0;
	if (!reserve(c, ERROR_ROOM))
		return 0;
	if (!r->parsed && !accept_head(c))
		return 1;
	r->parsed = 1;
	if (!reserve(c, reply_most(c)))
		return !r->has_record;
	if (r->record.in_parts && !go_on(c))
		return r->there != before;
	if (locate(c) == 0)
		op_run(c);
	return 1;
}

unsigned ring_turn(struct conn *c)
{
	unsigned n = 0;

	while (n < REQUESTS_A_TURN && c->state == CONN_OPEN && !c->busy && step(c))
		n++;
	if (n == 0 && c->ended && !c->busy && !c->ring->no_room && c->state == CONN_OPEN)
		c->state = CONN_LAST;
	return n;
}
