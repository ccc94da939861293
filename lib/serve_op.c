#include "lib/serve_ring.h"

#include <stdio.h>

/* The name of a window that is below 1, with its set's number; NULL: all are fine. */
static const char *bad_window(const struct hma_set *sets, size_t n, size_t *set, int64_t *window)
{
	for (size_t i = 0; i < n; i++) {
		const int64_t w[6] = {sets[i].half, sets[i].full, sets[i].sqrt, sets[i].third3,
		    sets[i].half3, sets[i].full3};

		for (int k = 0; k < 6; k++)
			if (w[k] < 1) {
				*set = i + 1;
				*window = w[k];
				return hma_set_names[k];
			}
	}
	return NULL;
}

int op_check_sets(struct conn *c, const struct hma_set *sets, size_t n)
{
	size_t set;
	int64_t window;
	const char *name = bad_window(sets, n, &set, &window);
	char text[120];

	c->event.parsed_ns = conn_clock(c);
	if (!name)
		return 1;
	snprintf(text, sizeof text, "set %zu: %s is %lld: a window is 1 bar or more", set, name,
	    (long long)window);
	c->event.started_ns = c->event.finished_ns = c->event.parsed_ns;
	reply_error(c, FRAME_BAD_REQUEST, text);
	return 0;
}

/* A reply without a computation. */
void op_at_once(struct conn *c)
{
	c->event.started_ns = c->event.finished_ns = c->event.parsed_ns = conn_clock(c);
}

void op_reply_empty(struct conn *c)
{
	op_at_once(c);
	if (reply_begin(c, 0))
		reply_end(c, 0, NULL, 0);
}

static void echo(struct conn *c)
{
	size_t n = (size_t)c->request.head.n_bars * sizeof(double);
	unsigned char *p;

	op_at_once(c);
	if (n > COPY_MAX || by_ring(c)) {
		if (reply_begin(c, 0))
			reply_end(c, 0, c->request.closes, n);
		return;
	}
	p = reply_begin(c, n);
	if (!p)
		return;
	if (n)
		memcpy(p, c->request.closes, n);
	reply_end(c, n, NULL, 0);
}

/* pool_run_here without its clock. */
static void run_untimed(struct conn *c)
{
	struct pool_job *j = &c->work.job;

	for (size_t i = 0; i < j->parts; i++)
		j->run(j, i, &c->serve->scratch);
	j->started_ns = j->finished_ns = c->event.parsed_ns;
}

/* How long a computation the loop can afford. */
static double at_hand(const struct conn *c)
{
	const struct serve *s = c->serve;

	if (s->n_conns != 1 || c->work.job.parts != 1)
		return SHORT_NS;
	return s->config.spin && s->two_processors ? SHORT_SPINNING_NS : SHORT_ALONE_NS;
}

/* Runs the prepared work, here or on the pool, and answers. */
void op_compute(struct conn *c)
{
	struct serve *s = c->serve;

	if (s->pool && work_estimate(&c->work) > at_hand(c)) {
		c->busy = c->queued = 1;
		s->computing++;
		pool_submit(s->pool, &c->work.job);
		return;
	}
	if (c->untimed)
		run_untimed(c);
	else
		pool_run_here(&c->work.job, &s->scratch);
	op_computed(c);
}

/* Closes: those of the request, or of the slot's snapshot. */
static void sweep(struct conn *c)
{
	const struct serve_config *config = &c->serve->config;
	const struct hma_set *sets = (const struct hma_set *)(const void *)c->request.sets;
	size_t n = c->request.head.n_sets;
	struct work *w = &c->work;

	if (!op_check_sets(c, sets, n))
		return;
	if (c->request.head.flags & FLAG_DRY || n == 0) {
		op_reply_empty(c);
		return;
	}
	*w = (struct work){.kernel = config->kernel,
	    .fee = config->fee,
	    .gate = config->gate,
	    .closes = (const double *)(const void *)c->request.closes,
	    .n_bars = c->request.head.n_bars,
	    .sets = sets,
	    .n_sets = n,
	    .pnl = reply_begin(c, 16 * n)};
	if (!w->pnl)
		return;
	w->trades = w->pnl + 8 * n;
	if (c->request.head.op == OP_SWEEP_SLOT) {
		w->closes = state_take(c)->closes;
		w->n_bars = c->snapshot->n_bars;
	}
	w->all = w->closes;
	w->n_all = w->n_bars;
	work_prepare(w, config->threads);
	op_compute(c);
}

static void differs(struct conn *c, uint64_t set)
{
	struct serve *s = c->serve;
	char text[120];

	s->config.stats->gate_differ++;
	if (!s->server)
		s->status = STATUS_DIFFER;
	snprintf(text, sizeof text, "set %llu: %s differs from reference (see --gate)",
	    (unsigned long long)set, c->work.live ? "live" : hma_kernel_name(c->work.kernel));
	reply_error(c, FRAME_INTERNAL, text);
}

void op_computed(struct conn *c)
{
	struct work *w = &c->work;
	uint64_t set = atomic_load(&w->differ);

	c->event.started_ns = w->job.started_ns;
	c->event.finished_ns = w->job.finished_ns;
	slots_release(c->snapshot);
	c->snapshot = NULL;
	if (w->gate)
		c->serve->config.stats->gate_sets += w->n_sets;
	if (atomic_load(&w->no_memory)) {
		reply_error(c, FRAME_INTERNAL, "out of memory for the computation");
	} else if (set) {
		differs(c, set);
	} else if (!c->opening) {
		reply_end(c, (w->sides ? 24 : 16) * w->n_sets, NULL, 0);
	} else if (reply_begin(c, 0)) {
		live_free(c->live);
		c->live = c->opening;
		c->opening = NULL;
		reply_end(c, 0, NULL, 0);
	}
	live_free(c->opening);
	c->opening = NULL;
}

static void stats(struct conn *c)
{
	struct serve *s = c->serve;
	size_t n;

	op_at_once(c);
	serve_write_stats(s, &s->text);
	c->event.finished_ns = clock_ns();
	n = s->text.len;
	s->text.len = 0;
	unsigned char *p = reply_begin(c, n);

	if (!p)
		return;
	memcpy(p, s->text.buf, n);
	reply_end(c, n, NULL, 0);
}

enum frame_error op_admit(struct conn *c, struct err *e)
{
	switch (c->request.head.op) {
	case OP_LOAD:
	case OP_SWEEP_SLOT:
	case OP_APPEND:
	case OP_OPEN: return state_admit(c, e);
	case OP_RING: return ring_admit(c, e);
	default: return FRAME_OK;
	}
}

void op_run(struct conn *c)
{
	const struct frame_head *h = &c->request.head;
	int dry = (h->flags & FLAG_DRY) != 0;

	switch (h->op) {
	case OP_SWEEP:
	case OP_SWEEP_SLOT: sweep(c); break;
	case OP_OPEN: state_open(c); break;
	case OP_TICK: state_tick(c); break;
	case OP_ECHO: dry ? op_reply_empty(c) : echo(c); break;
	case OP_LOAD: dry ? op_reply_empty(c) : state_load(c); break;
	case OP_APPEND: dry ? op_reply_empty(c) : state_append(c); break;
	case OP_STATS: dry ? op_reply_empty(c) : stats(c); break;
	case OP_RING: dry ? op_reply_empty(c) : ring_begin(c); break;
	}
}
