#include "lib/serve_impl.h"

#include <stdio.h>

enum frame_error state_admit(struct conn *c, struct err *e)
{
	const struct frame_head *h = &c->request.head;
	struct slots *slots = c->serve->slots;
	const struct snapshot *now;
	uint64_t bars;

	if (h->op == OP_OPEN && h->slot == FRAME_NO_SLOT)
		return FRAME_OK;
	if (h->slot >= slots_count(slots)) {
		err_set(e, STATUS_INPUT, "slot %u: there are 0 to %zu (see --slots)", h->slot,
		    slots_count(slots) - 1);
		return FRAME_BAD_REQUEST;
	}
	now = slots_peek(slots, h->slot);
	if (!now && h->op != OP_LOAD) {
		c->serve->config.stats->slot_misses++;
		err_set(e, STATUS_INPUT, "slot %u is empty: load it first", h->slot);
		return FRAME_EMPTY_SLOT;
	}
	bars = h->n_bars + (uint64_t)(h->op == OP_APPEND ? now->n_bars : 0);
	if (bars > slots_max_bars(slots)) {
		err_set(e, STATUS_INPUT,
		    "slot %u would hold %llu bars: the limit is %zu (see --max-bars)", h->slot,
		    (unsigned long long)bars, slots_max_bars(slots));
		return FRAME_BAD_REQUEST;
	}
	if (!serve_fits(c->serve, (uint64_t)h->n_bars * sizeof(double))) {
		err_set(e, STATUS_INPUT,
		    "busy: the series would exceed %llu bytes in all (see --max-memory)",
		    (unsigned long long)c->serve->config.limits.memory);
		return FRAME_BUSY;
	}
	return FRAME_OK;
}

void state_load(struct conn *c)
{
	struct serve *s = c->serve;
	const struct frame_head *h = &c->request.head;
	size_t n = (size_t)h->n_bars * sizeof(double);
	struct slab *slab = c->slab;
	unsigned char *to;

	op_at_once(c);
	if (!slab) {
		slab = slab_new(slots_max_bars(s->slots));
		to = slab ? slab_room(slab, n) : NULL;
		if (!to) {
			slab_free(slab);
			state_reply_version(c, 0);
			return;
		}
		if (n)
			memcpy(to, c->request.closes, n);
	}
	c->slab = NULL;
	state_reply_version(c, slots_load(s->slots, h->slot, slab, h->n_bars));
}

const struct snapshot *state_take(struct conn *c)
{
	c->snapshot = slots_take(c->serve->slots, c->request.head.slot);
	c->serve->config.stats->slot_hits++;
	return c->snapshot;
}

/* The closes that the gate will need. */
static int remember(struct live *l, const void *closes, size_t n)
{
	return l->keep ? buf_append(&l->history, closes, n * sizeof(double)) : 0;
}

static int check_live(struct conn *c, const struct hma_set *sets, size_t n)
{
	uint64_t limit = c->serve->config.limits.live, bytes = live_size(sets, n);
	char text[160];

	if (bytes <= limit)
		return 1;
	op_at_once(c);
	if (bytes == UINT64_MAX)
		snprintf(text, sizeof text,
		    "live state for such windows exceeds %llu bytes (see --max-live)",
		    (unsigned long long)limit);
	else
		snprintf(text, sizeof text,
		    "live state of %llu bytes exceeds %llu (see --max-live)",
		    (unsigned long long)bytes, (unsigned long long)limit);
	reply_error(c, FRAME_BAD_REQUEST, text);
	return 0;
}

void state_open(struct conn *c)
{
	const struct serve_config *config = &c->serve->config;
	const struct hma_set *sets = (const struct hma_set *)(const void *)c->request.sets;
	size_t n = c->request.head.n_sets;
	struct work *w = &c->work;

	if (!op_check_sets(c, sets, n) || !check_live(c, sets, n))
		return;
	if (c->request.head.flags & FLAG_DRY) {
		op_reply_empty(c);
		return;
	}
	c->opening = live_new(sets, n, config->fee, config->gate);
	if (!c->opening) {
		op_at_once(c);
		reply_error(c, FRAME_INTERNAL, "out of memory for the live state");
		return;
	}
	*w = (struct work){
	    .live = c->opening, .fee = config->fee, .sets = c->opening->sets, .n_sets = n};
	if (c->request.head.slot != FRAME_NO_SLOT) {
		w->closes = state_take(c)->closes;
		w->n_bars = c->snapshot->n_bars;
	}
	if (remember(c->opening, w->closes, w->n_bars) < 0)
		atomic_store(&w->no_memory, 1);
	work_prepare(w, config->threads);
	op_compute(c);
}

void state_tick(struct conn *c)
{
	const struct serve_config *config = &c->serve->config;
	struct live *l = c->live;
	struct work *w = &c->work;

	op_at_once(c);
	if (!l) {
		reply_error(c, FRAME_BAD_REQUEST, "tick before open");
		return;
	}
	if (c->request.head.flags & FLAG_DRY || l->n_sets == 0) {
		op_reply_empty(c);
		return;
	}
	*w = (struct work){.live = l,
	    .fee = config->fee,
	    .gate = config->gate,
	    .sets = l->sets,
	    .n_sets = l->n_sets,
	    .closes = (const double *)(const void *)c->request.closes,
	    .n_bars = c->request.head.n_bars};
	if (remember(l, w->closes, w->n_bars) < 0) {
		reply_error(c, FRAME_INTERNAL, "out of memory for the gate");
		return;
	}
	w->all = (const double *)(const void *)l->history.p;
	w->n_all = l->history.len / sizeof(double);
	w->pnl = reply_begin(c, 24 * l->n_sets);
	if (!w->pnl)
		return;
	w->trades = w->pnl + 8 * l->n_sets;
	w->sides = w->trades + 8 * l->n_sets;
	work_prepare(w, config->threads);
	op_compute(c);
}
