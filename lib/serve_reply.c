#include "lib/serve_ring.h"

static void begun(struct conn *c)
{
	c->in_hand = 0;
	/* On the loop a reply begins when its computation has ended. */
	if (c->queued)
		c->event.begun_ns = clock_ns();
	else
		c->event.begun_ns = c->event.finished_ns ? c->event.finished_ns : conn_clock(c);
	c->queued = 0;
	if (c->unsent++ == 0)
		c->unsent_trace = c->serve->trace.count;
	if (c->untimed)
		return;
	if (c->unsent_timed++ == 0)
		c->write_ns = c->event.begun_ns;
	c->unsent_dry += (c->event.flags & FLAG_DRY) != 0;
}

unsigned char *reply_begin(struct conn *c, size_t n)
{
	unsigned char *p;

	if (by_ring(c))
		return ring_reply_begin(c, n);
	p = c->serve->framing->begin(c, n);
	if (!p)
		reply_error(c, FRAME_INTERNAL, "out of memory for the reply");
	return p;
}

/* What a filter's exit status makes of an error it answered. */
static enum status status_of(enum frame_error code)
{
	return code <= FRAME_TOO_LARGE ? STATUS_INPUT : STATUS_FAILED;
}

/* Whether nothing behind this error can be trusted. */
static int ends_stream(const struct conn *c, enum frame_error code)
{
	return code == FRAME_TOO_LARGE || code == FRAME_BUSY ||
	       (code == FRAME_MALFORMED && !c->serve->framing->resumes);
}

static void answer_error(struct conn *c, enum frame_error code, const char *text)
{
	const struct serve_config *config = &c->serve->config;

	c->event.error = (uint8_t)code;
	serve_stats_error(config->stats, code);
	trace_add(&c->serve->trace, &c->event);
	if (!c->serve->server && status_of(code) > c->serve->status)
		c->serve->status = status_of(code);
	if (config->on_error)
		config->on_error(config->user, c->number, c->offset, code, text);
	if (ends_stream(c, code))
		c->state = CONN_LAST;
	if (by_ring(c))
		ring_reply_error(c, code, text);
	else if (c->serve->framing->error(c, code, text) < 0)
		c->state = CONN_DEAD; /* not even an error can be said */
}

void reply_error(struct conn *c, enum frame_error code, const char *text)
{
	if (by_ring(c))
		ring_reply_begun(c);
	else
		begun(c);
	answer_error(c, code, text);
}

void reply_end(struct conn *c, size_t n, const unsigned char *tail, size_t tail_len)
{
	enum frame_error code;
	struct err e;

	if (by_ring(c)) {
		ring_reply_end(c, n, tail, tail_len);
		return;
	}
	begun(c);
	code = c->serve->framing->end(c, n, tail_len, &e);
	if (code == FRAME_INTERNAL) {
		c->state = CONN_DEAD;
		return;
	}
	if (code != FRAME_OK) {
		answer_error(c, code, e.text);
		return;
	}
	if (tail_len) {
		c->tail = tail;
		c->tail_len = tail_len;
	}
	serve_stats_request(c->serve->config.stats, &c->event);
	trace_add(&c->serve->trace, &c->event);
}
