#include "lib/serve_impl.h"
#include "lib/mem.h"

/* Loads up to this size go through the buffer like everything else. */
#define PLACE_MIN ((uint64_t)4 << 10)

/* Room for bytes that were announced, not yet seen. */
#define PLACE_STEP ((size_t)64 << 10)

int place_begin(struct conn *c)
{
	const struct frame_head *h = &c->request.head;
	uint64_t payload = (uint64_t)h->n_bars * sizeof(double);
	int dry = (h->flags & FLAG_DRY) != 0;

	c->placed = c->to_place = 0;
	if (payload <= PLACE_MIN)
		return 0;
	c->discard = dry && (h->op == OP_ECHO || h->op == OP_LOAD || h->op == OP_APPEND);
	if (!c->discard && h->op == OP_LOAD) {
		c->slab = slab_new(slots_max_bars(c->serve->slots));
		if (!c->slab)
			return -1;
	}
	if (c->discard || c->slab) {
		c->to_place = payload;
		c->at += 4 + frame_head_size(h->op);
	}
	return 0;
}

void place_move(struct conn *c)
{
	size_t have = c->in.len - c->at;
	uint64_t left = c->to_place - c->placed;
	size_t n = left < have ? (size_t)left : have, got = n;
	unsigned char *to = NULL;

	if (n && !c->discard) {
		to = slab_room(c->slab, (size_t)c->placed + n);
		if (!to) {
			reply_error(c, FRAME_BUSY, "out of memory for the series");
			return;
		}
		memcpy(to + c->placed, c->in.p + c->at, got);
	}
	c->at += n;
	c->placed += n;
}

unsigned char *place_room(struct conn *c, size_t *n)
{
	uint64_t left = c->to_place - c->placed, step = slab_ready(c->slab) - c->placed;
	unsigned char *p;

	if (step == 0)
		step = c->placed > PLACE_STEP ? c->placed : PLACE_STEP;
	if (step > left)
		step = left;
	p = slab_room(c->slab, (size_t)(c->placed + step));
	*n = (size_t)step;
	return p ? p + c->placed : NULL;
}
