#include "lib/serve_impl.h"

/* Bytes before the payload: the length word, and the stamps where they were asked for. */
static size_t lead(const struct conn *c)
{
	return 4 + (c->event.flags & FLAG_STAMP ? FRAME_STAMP_SIZE : 0);
}

static void begun(struct conn *c)
{
	c->in_hand = 0;
	c->event.begun_ns = clock_ns();
	if (c->unsent++ == 0) {
		c->write_ns = c->event.begun_ns;
		c->unsent_trace = c->serve->trace.count;
	}
	c->unsent_dry += (c->event.flags & FLAG_DRY) != 0;
}

unsigned char *reply_begin(struct conn *c, size_t n)
{
	size_t head = lead(c);

	if (buf_reserve(&c->out, head + n) == 0)
		return c->out.p + c->out.len + head;
	reply_error(c, FRAME_INTERNAL, "out of memory for the reply");
	return NULL;
}

void reply_end(struct conn *c, size_t n, const unsigned char *tail, size_t tail_len)
{
	unsigned char *p = c->out.p + c->out.len;
	size_t head = lead(c);

	begun(c);
	put_u32(p, (uint32_t)(head - 4 + n + tail_len));
	if (head > 4) {
		put_u64(p + 4, c->event.received_ns);
		put_u64(p + 12, c->event.started_ns);
		put_u64(p + 20, c->event.finished_ns);
		put_u64(p + 28, c->event.begun_ns);
	}
	c->out.len += head + n;
	if (tail_len) {
		c->tail = tail;
		c->tail_len = tail_len;
	}
	serve_stats_request(c->serve->config.stats, &c->event);
	trace_add(&c->serve->trace, &c->event);
}

/* What a filter's exit status makes of an error it answered. */
static enum status status_of(enum frame_error code)
{
	return code <= FRAME_TOO_LARGE ? STATUS_INPUT : STATUS_FAILED;
}

void reply_error(struct conn *c, enum frame_error code, const char *text)
{
	const struct serve_config *config = &c->serve->config;
	size_t n = strlen(text);
	unsigned char head[8];

	begun(c);
	c->event.error = (uint8_t)code;
	serve_stats_error(config->stats, code);
	trace_add(&c->serve->trace, &c->event);
	if (status_of(code) > c->serve->status)
		c->serve->status = status_of(code);
	if (config->on_error)
		config->on_error(config->user, c->number, c->offset, code, text);
	put_u32(head, FRAME_ERROR_BIT | (uint32_t)(4 + n));
	put_u32(head + 4, code);
	if (buf_reserve(&c->out, sizeof head + n) < 0) {
		c->state = CONN_DEAD; /* not even an error can be said */
		return;
	}
	buf_append(&c->out, head, sizeof head);
	buf_append(&c->out, text, n);
	if (code == FRAME_MALFORMED || code == FRAME_TOO_LARGE || code == FRAME_BUSY)
		c->state = CONN_LAST;
}
