#include "lib/serve_impl.h"

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

static int check_sets(struct conn *c, const struct hma_set *sets, size_t n)
{
	size_t set;
	int64_t window;
	const char *name = bad_window(sets, n, &set, &window);
	char text[120];

	c->event.parsed_ns = clock_ns();
	if (!name)
		return 1;
	snprintf(text, sizeof text, "set %zu: %s is %lld: a window is 1 bar or more", set, name,
	    (long long)window);
	c->event.started_ns = c->event.finished_ns = c->event.parsed_ns;
	reply_error(c, FRAME_BAD_REQUEST, text);
	return 0;
}

/* A reply without a computation. */
static void at_once(struct conn *c)
{
	c->event.started_ns = c->event.finished_ns = c->event.parsed_ns = clock_ns();
}

static void reply_empty(struct conn *c)
{
	at_once(c);
	if (reply_begin(c, 0))
		reply_end(c, 0, NULL, 0);
}

static void echo(struct conn *c)
{
	size_t n = (size_t)c->request.head.n_bars * sizeof(double);
	unsigned char *p;

	at_once(c);
	if (n > COPY_MAX) {
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

/* Runs the prepared work, here or on the pool, and answers. */
static void compute(struct conn *c)
{
	struct serve *s = c->serve;

	if (s->pool && work_estimate(&c->work) > SHORT_NS) {
		c->busy = 1;
		pool_submit(s->pool, &c->work.job);
		return;
	}
	pool_run_here(&c->work.job, &s->scratch);
	op_computed(c);
}

static void sweep(struct conn *c, const double *closes, size_t n_bars)
{
	const struct serve_config *config = &c->serve->config;
	struct work *w = &c->work;

	w->kernel = config->kernel;
	w->fee = config->fee;
	w->gate = config->gate;
	w->closes = closes;
	w->n_bars = n_bars;
	w->sets = (const struct hma_set *)(const void *)c->request.sets;
	w->n_sets = c->request.head.n_sets;
	if (!check_sets(c, w->sets, w->n_sets))
		return;
	if (c->request.head.flags & FLAG_DRY || w->n_sets == 0) {
		reply_empty(c);
		return;
	}
	work_sweep(w, config->threads);
	w->pnl = reply_begin(c, 16 * w->n_sets);
	if (!w->pnl)
		return;
	w->trades = w->pnl + 8 * w->n_sets;
	w->sides = NULL;
	compute(c);
}

void op_computed(struct conn *c)
{
	struct serve *s = c->serve;
	struct work *w = &c->work;
	uint64_t differ = atomic_load(&w->differ);
	char text[120];

	c->busy = 0;
	c->event.started_ns = w->job.started_ns;
	c->event.finished_ns = w->job.finished_ns;
	if (w->gate)
		s->config.stats->gate_sets += w->n_sets;
	if (atomic_load(&w->no_memory)) {
		reply_error(c, FRAME_INTERNAL, "out of memory for the computation");
	} else if (differ) {
		s->config.stats->gate_differ++;
		s->status = STATUS_DIFFER;
		snprintf(text, sizeof text, "set %llu: %s differs from reference (see --gate)",
		    (unsigned long long)differ, hma_kernel_name(w->kernel));
		reply_error(c, FRAME_INTERNAL, text);
	} else {
		reply_end(c, (w->sides ? 24 : 16) * w->n_sets, NULL, 0);
	}
}

enum frame_error op_admit(struct conn *c, struct err *e)
{
	switch (c->request.head.op) {
	case OP_SWEEP:
	case OP_ECHO: return FRAME_OK;
	default:
		err_set(
		    e, STATUS_INPUT, "%s is not served here", frame_op_name(c->request.head.op));
		return FRAME_UNSUPPORTED;
	}
}

void op_run(struct conn *c)
{
	const struct frame_head *h = &c->request.head;

	if (h->op == OP_SWEEP)
		sweep(c, (const double *)(const void *)c->request.closes, h->n_bars);
	else if (h->flags & FLAG_DRY)
		reply_empty(c);
	else
		echo(c);
}
