#include "lib/serve_ring.h"
#include "lib/mem.h"

#include <errno.h>

#define FIRST_IN ((size_t)4 << 10) /* of a connection that has sent nothing yet */
#define STEP_IN ((size_t)64 << 10) /* room for bytes that were announced, not yet seen */
#define TURN_NS 200000             /* then the others get theirs */

struct conn *conn_new(struct serve *s)
{
	struct conn *c = mem_alloc(sizeof *c);

	if (!c)
		return NULL;
	memset(c, 0, sizeof *c);
	c->source = SOURCE_CONN;
	c->serve = s;
	c->since_ns = clock_ns();
	c->id = ++s->next_id;
	c->next = s->conns;
	if (c->next)
		c->next->previous = c;
	s->conns = c;
	s->n_conns++;
	c->transport = &c->stream;
	return c;
}

void conn_free(struct conn *c)
{
	struct serve *s = c->serve;

	if (c->next)
		c->next->previous = c->previous;
	if (c->previous)
		c->previous->next = c->next;
	else
		s->conns = c->next;
	s->n_conns--;
	s->lingering -= c->lingers;
	c->transport->ops->close(c->transport);
	ring_end(c);
	live_free(c->live);
	slab_free(c->slab);
	codec_json_request_free(&c->json);
	buf_free(&c->columns);
	buf_free(&c->in);
	buf_free(&c->out);
	mem_free(c);
}

void conn_ready(struct conn *c)
{
	struct serve *s = c->serve;

	if (c->ready)
		return;
	c->ready = 1;
	c->next_ready = NULL;
	if (s->ready_first)
		s->ready_last->next_ready = c;
	else
		s->ready_first = c;
	s->ready_last = c;
}

static void fail(struct conn *c, const char *name, const char *what)
{
	c->state = CONN_DEAD;
	if (c->transport->blocking)
		err_errno(&c->serve->failure, "%s: %s", name, what);
	else
		c->serve->config.stats->resets++;
}

/* Where a frame begins in the buffer so that its arrays lie aligned: known when its head is. */
static size_t in_start(const struct conn *c)
{
	return c->head_known ? 64 - 4 - frame_head_size(c->request.head.op) : IN_START;
}

/*
 * Room for the bytes to come. Memory grows with what has arrived: a frame that is
 * announced gets 64 KiB, then, when no such step fits any more, as much again as is
 * already there; so never more than twice what came and a step.
 */
static int make_room(struct conn *c)
{
	size_t have = c->in.len - c->at, step = FIRST_IN;
	uint64_t want = c->serve->framing->wanted(c);
	size_t start = in_start(c);

	if (have == 0) {
		c->at = c->in.len = c->in.cap ? start : 0;
	} else if (c->at > start) {
		memmove(c->in.p + start, c->in.p + c->at, have);
		c->at = start;
		c->in.len = start + have;
	}
	if (want > have) {
		step = have > STEP_IN ? have : STEP_IN;
		step = want - have < step ? (size_t)(want - have) : step;
		if ((step < STEP_IN ? step : STEP_IN) <= c->in.cap - c->in.len)
			return 0;
	} else if (c->in.cap > c->in.len) {
		return 0;
	}
	if (step <= c->in.cap - c->in.len)
		return 0;
	if (c->in.cap == 0)
		step += IN_START;
	if (!serve_fits(c->serve, step)) {
		errno = ENOMEM;
		return -1;
	}
	if (buf_reserve(&c->in, step) < 0)
		return -1;
	if (c->in.len == 0)
		c->at = c->in.len = IN_START;
	return 0;
}

/* Whether the bytes to come go to a slab. */
static int placing(const struct conn *c)
{
	return c->slab && c->placed < c->to_place;
}

/* Where to receive, at most *n bytes: the buffer, or where the body in hand goes; NULL: no memory.
 */
static unsigned char *room(struct conn *c, size_t *n)
{
	if (placing(c))
		return place_room(c, n);
	if (make_room(c) < 0)
		return NULL;
	*n = c->in.cap - c->in.len;
	return c->in.p + c->in.len;
}

static void take(struct conn *c, size_t n)
{
	c->serve->config.stats->bytes_in += n;
	if (placing(c))
		c->placed += n;
	else
		c->in.len += n;
}

/* Takes what is there, once; 1 when something came (the end included), 0 when not. */
static int receive(struct conn *c)
{
	size_t n;
	unsigned char *p = room(c, &n);
	ssize_t got;

	if (!p) {
		reply_error(c, FRAME_BUSY, "out of memory for the request");
		return 1;
	}
	got = c->transport->ops->recv(c->transport, p, n);
	if (got < 0) {
		if (errno != EAGAIN)
			fail(c, "<stdin>", "read");
		return 0;
	}
	c->serve->now_ns = c->recv_ns = clock_ns();
	if (got == 0)
		c->ended = 1;
	take(c, (size_t)got);
	return 1;
}

static void sent_all(struct conn *c)
{
	struct serve_stats *stats = c->serve->config.stats;
	uint64_t now = c->unsent_timed ? clock_ns() : c->recv_ns;
	int64_t took = (int64_t)(now - c->write_ns);

	for (unsigned i = 0; i < c->unsent_timed; i++)
		hist_record(
		    i < c->unsent_dry ? &stats->dry_stage[STAGE_WRITE] : &stats->stage[STAGE_WRITE],
		    took);
	trace_sent(&c->serve->trace, c->unsent_trace, c->id, now);
	c->unsent = c->unsent_timed = c->unsent_dry = 0;
	c->since_ns = now;
	c->out.len = c->out_at = 0;
}

/* Sends what it can; 1 all sent, 0 the peer must read first (or is gone). */
static int flush(struct conn *c)
{
	if (!c->unsent)
		return 1;
	while (c->out_at < c->out.len || c->tail_len) {
		struct iovec v[2] = {{c->out.p + c->out_at, c->out.len - c->out_at},
		    {(void *)(uintptr_t)c->tail, c->tail_len}};
		int skip = v[0].iov_len == 0;
		ssize_t put =
		    c->transport->ops->send(c->transport, v + skip, c->tail_len && !skip ? 2 : 1);
		size_t n;

		if (put < 0) {
			if (errno != EAGAIN)
				fail(c,
				    c->serve->config.output ? c->serve->config.output : "<stdout>",
				    "write");
			return 0;
		}
		c->serve->config.stats->bytes_out += (uint64_t)put;
		n = (size_t)put < v[0].iov_len ? (size_t)put : v[0].iov_len;
		c->out_at += n;
		if ((size_t)put > n) {
			c->tail += (size_t)put - n;
			c->tail_len -= (size_t)put - n;
		}
	}
	c->tail = NULL;
	sent_all(c);
	return 1;
}

/* Answers what is there, as long as the replies fit and its turn lasts; 1: there may be more. */
static int answer(struct conn *c, uint64_t until)
{
	while (c->state == CONN_OPEN && !c->busy && !c->tail_len && c->out.len < OUT_HIGH) {
		if (!c->serve->framing->step(c)) {
			if (c->ended)
				c->serve->framing->ended(c);
			return 0;
		}
		if (until && c->event.begun_ns > until)
			return 1;
	}
	return c->state == CONN_OPEN && !c->busy;
}

/* All is said: the end, with the peer's unread bytes still to be taken where it was cut off. */
static void wind_up(struct conn *c)
{
	if (c->ended || c->serve->stop_ns || c->transport->blocking) {
		c->state = CONN_DEAD;
		return;
	}
	c->transport->ops->end_output(c->transport);
	c->state = CONN_LINGER;
	c->serve->lingering++;
	c->lingers = 1;
	c->since_ns = clock_ns();
	buf_free(&c->out);
	c->to_place = 0;
	c->head_known = 0;
}

static void linger(struct conn *c)
{
	c->at = c->in.len = 0;
	if (c->in.cap == 0 && buf_reserve(&c->in, FIRST_IN) < 0)
		c->state = CONN_DEAD;
	else if (receive(c) && c->ended)
		c->state = CONN_DEAD;
}

void conn_turn(struct conn *c, int readable)
{
	/* With nothing left to answer its time runs from what is received first: one clock less. */
	uint64_t until = readable && c->at == c->in.len ? 0 : clock_ns() + TURN_NS;

	if (c->state == CONN_LINGER && readable)
		linger(c);
	if (c->ring && c->state == CONN_OPEN) {
		if (readable)
			ring_hung_up(c);
		rings_enlist(c->ring);
		ring_turn(c);
		if (c->state == CONN_OPEN)
			return; /* the loop polls it */
	}
	while (c->state <= CONN_LAST && !c->busy) {
		int more;

		if (c->ring && c->state == CONN_OPEN)
			return; /* set up just now */
		more = answer(c, until);

		if (!flush(c) || c->busy)
			return;
		if (c->state == CONN_LAST) {
			wind_up(c);
		} else if (more) {
			if (clock_ns() > until) {
				conn_ready(c);
				return;
			}
		} else if (readable) {
			readable = c->transport->blocking;
			if (receive(c) && !until)
				until = c->recv_ns + TURN_NS;
		} else {
			return;
		}
	}
}
