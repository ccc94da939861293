#include "lib/serve_impl.h"

#include <errno.h>
#include <stdio.h>

/* Copied in one turn of the loop: a few tenths of a millisecond. */
#define SLICE ((size_t)1 << 20)

/* So often may other appends to the slot come first; then it is copied at once. */
#define STARTS 3

void state_reply_version(struct conn *c, uint64_t version)
{
	unsigned char *p;

	c->event.finished_ns = conn_clock(c);
	if (!version) {
		reply_error(c, FRAME_INTERNAL, "out of memory for the series");
		return;
	}
	p = reply_begin(c, sizeof version);
	if (!p)
		return;
	put_u64(p, version);
	reply_end(c, sizeof version, NULL, 0);
}

static void reply_appended(struct conn *c, uint64_t version)
{
	char text[120];

	if (!version && errno == EFBIG) { /* another connection's append came first */
		snprintf(text, sizeof text, "slot %u would exceed %zu bars (see --max-bars)",
		    c->request.head.slot, slots_max_bars(c->serve->slots));
		reply_error(c, FRAME_BAD_REQUEST, text);
		return;
	}
	state_reply_version(c, version);
}

/* The slot may have changed since the last slice: then what was copied lies in the wrong place. */
static void start_again(struct conn *c, uint64_t version)
{
	if (c->copy_onto == version)
		return;
	c->copy_onto = version;
	c->copied = 0;
	c->copy_starts++;
}

void append_slice(struct conn *c)
{
	struct serve *s = c->serve;
	const struct frame_head *h = &c->request.head;
	size_t n = (size_t)h->n_bars * sizeof(double), step;
	unsigned char *tail;

	if (s->copier && s->copier != c)
		return; /* one at a time: two would write in the same place */
	s->copier = c;
	start_again(c, slots_peek(s->slots, h->slot)->version);
	tail = slots_tail(s->slots, h->slot, h->n_bars);
	if (tail) {
		step = n - c->copied > SLICE && c->copy_starts <= STARTS ? SLICE : n - c->copied;
		memcpy(tail + c->copied, c->request.closes + c->copied, step);
		c->copied += step;
		if (c->copied < n)
			return;
	}
	s->copier = NULL;
	c->copying = c->busy = 0;
	reply_appended(c, tail ? slots_extend(s->slots, h->slot, h->n_bars) : 0);
}

void state_append(struct conn *c)
{
	struct serve *s = c->serve;
	const struct frame_head *h = &c->request.head;

	op_at_once(c);
	if ((size_t)h->n_bars * sizeof(double) <= SLICE || !s->server || c->ring) {
		reply_appended(c, slots_append(s->slots, h->slot, c->request.closes, h->n_bars));
		return;
	}
	c->copying = c->busy = 1;
	c->copy_onto = 0;
	c->copy_starts = 0;
	conn_ready(c);
}
