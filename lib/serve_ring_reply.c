#include "lib/serve_ring.h"

static size_t stamps(const struct conn *c)
{
	return c->event.flags & FLAG_STAMP ? FRAME_STAMP_SIZE : 0;
}

unsigned char *ring_reply_begin(struct conn *c, size_t n)
{
	if (stamps(c) + n <= c->ring->reserved)
		return c->ring->reply + stamps(c);
	reply_error(c, FRAME_INTERNAL, "the reply does not fit the ring: ask for a larger ring");
	return NULL;
}

/* The reply is complete: it goes, and the request's place in the ring is the client's again. */
static void publish(struct conn *c, uint32_t word)
{
	struct ring_conn *r = c->ring;

	if (r->link.out.in_parts)
		ring_link_publish_part(&r->link, word, RING_REPLY_OFFSET, word);
	else
		ring_link_publish(&r->link, word, RING_REPLY_OFFSET);
	ring_link_release(&r->link, r->record.end);
	r->has_record = 0;
	r->reserved = 0;
	r->copied = 0;
	ring_tidy(&r->link.out);
	c->serve->config.stats->bytes_out += 4 + (uint64_t)(word & ~FRAME_ERROR_BIT);
}

void ring_reply_begun(struct conn *c)
{
	c->in_hand = 0;
	c->since_ns = c->event.begun_ns = conn_clock(c);
	c->event.written_ns = c->event.begun_ns; /* written where it is read */
}

void ring_reply_part(struct conn *c, const unsigned char *p, size_t n)
{
	struct ring_conn *r = c->ring;
	size_t to = RING_REPLY_OFFSET + stamps(c) + r->copied;

	if (n <= r->copied)
		return;
	ring_put(&r->link.out, (uint32_t)to, p + r->copied, n - r->copied);
	r->copied = n;
}

void ring_reply_end(struct conn *c, size_t n, const unsigned char *tail, size_t tail_len)
{
	size_t head = stamps(c);
	unsigned char *p = c->ring->reply;

	ring_reply_begun(c);
	ring_reply_part(c, tail, tail_len);
	if (head) {
		put_u64(p, c->event.received_ns);
		put_u64(p + 8, c->event.started_ns);
		put_u64(p + 16, c->event.finished_ns);
		put_u64(p + 24, c->event.begun_ns);
	}
	publish(c, (uint32_t)(head + n + tail_len));
	serve_stats_request(c->serve->config.stats, &c->event);
	trace_add(&c->serve->trace, &c->event);
}

void ring_reply_error(struct conn *c, enum frame_error code, const char *text)
{
	size_t n = strlen(text);

	put_u32(c->ring->reply, code);
	memcpy(c->ring->reply + 4, text, n);
	publish(c, FRAME_ERROR_BIT | (uint32_t)(4 + n));
}
