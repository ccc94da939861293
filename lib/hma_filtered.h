/* L2 template: the kernel "filtered": a fast evaluation, the definition where that is in doubt. */
#ifndef IPCTAX_HMA_FILTERED_H
#define IPCTAX_HMA_FILTERED_H

#include "lib/hma_block.h"
#include "lib/hma_direct.h"
#include "lib/hma_trades.h"

/* A block's work of one set; bit i of word i / 64 is the block's i-th bar. */
struct decision {
	uint64_t *up, *down, *doubt;
	uint64_t *run_up, *run_down; /* of bars decided by the definition */
	double *u, *v, *work;
	int64_t u_window, v_window; /* what u and v hold, 0: nothing yet */
	size_t v_from;              /* from that place on */
};

/* Lays out the work of a block; the scratch left over is for the definition and the trades. */
static inline void decision_init(struct decision *d, const struct block *b, double **scratch)
{
	d->u = hma_take(scratch, b->places + HMA_PAD);
	d->v = hma_take(scratch, b->places + HMA_PAD);
	d->up = (uint64_t *)hma_take(scratch, b->most / 64);
	d->down = (uint64_t *)hma_take(scratch, b->most / 64);
	d->doubt = (uint64_t *)hma_take(scratch, b->most / 64);
	d->run_up = (uint64_t *)hma_take(scratch, b->most / 64);
	d->run_down = (uint64_t *)hma_take(scratch, b->most / 64);
	d->work = *scratch;
}

/* A new block: u and v hold nothing of it yet. */
static inline void decision_forget(struct decision *d)
{
	d->u_window = d->v_window = 0;
	d->v_from = 0;
}

/*
 * out[i] = d_w WMA_w(P2) for places from ... places - 1; see hma_bound.h. `from` is a
 * multiple of 8, at least w.
 */
static inline void filter_outer(const struct block *b, size_t from, int64_t window, double *out)
{
	const double *p3 = b->p3, *last = b->p4_last, *before = b->p4_last - window;
	const size_t places = b->places;
	const vec w = vec_set((double)window);

	UNROLL_SOME
	for (size_t i = from; i < places; i += LANES)
		vec_store(out + i,
		    vec_fma(w, vec_load(p3 + i), vec_load(before + i) - vec_load(last + i)));
}

/* The two outer averages, unless they are there from the set before. */
static inline void filter_outers(const struct block *b, const struct hma_set *s, struct decision *d)
{
	const int64_t inner3 = hma_max(s->third3, hma_max(s->half3, s->full3));
	const size_t v_from = (b->lead - (size_t)inner3 - 1) / 8 * 8;

	if (d->u_window != s->sqrt)
		filter_outer(b, hma_round_up((size_t)s->sqrt, 8), s->sqrt, d->u);
	if (d->v_window != s->full3 || v_from < d->v_from) {
		filter_outer(b, v_from, s->full3, d->v);
		d->v_from = v_from;
	}
	d->u_window = s->sqrt;
	d->v_window = s->full3;
}

/* The coefficients in vectors, and how far back their places are. */
struct filter_terms {
	vec u[4], v[5];
	size_t u_lag[4], v_lag[5];
};

static inline void filter_terms_init(struct filter_terms *k, const struct hma_filter *f)
{
	const struct hma_set *s = &f->set;
	const int64_t inner[] = {-1, 0, s->half, s->full};
	const int64_t inner3[] = {-1, 0, s->third3, s->half3, s->full3};

	for (int i = 0; i < 4; i++) {
		k->u[i] = vec_set(f->u[i]);
		k->u_lag[i] = (size_t)(inner[i] + 1);
	}
	for (int i = 0; i < 5; i++) {
		k->v[i] = vec_set(f->v[i]);
		k->v_lag[i] = (size_t)(inner3[i] + 1);
	}
}

/* D = HMA3 - HMA at LANES bars from those places of u and v: two chains of sums, then theirs. */
static inline vec filter_difference(const struct filter_terms *k, const double *u, const double *v)
{
	vec a = k->v[0] * vec_load(v), c = k->u[0] * vec_load(u);

	a = vec_fma(k->v[1], vec_load(v - 1), a);
	c = vec_fma(k->u[1], vec_load(u - 1), c);
	a = vec_fma(k->v[2], vec_load(v - k->v_lag[2]), a);
	c = vec_fma(k->u[2], vec_load(u - k->u_lag[2]), c);
	a = vec_fma(k->v[3], vec_load(v - k->v_lag[3]), a);
	c = vec_fma(k->u[3], vec_load(u - k->u_lag[3]), c);
	a = vec_fma(k->v[4], vec_load(v - k->v_lag[4]), a);
	return a + c;
}

/* Signs of all bars of the block, and which are in doubt; returns whether any is. */
static inline int filter_signs(
    const struct block *b, const struct hma_filter *f, double bound, struct decision *d)
{
	const double *u = d->u + b->lead, *v = d->v + b->lead;
	uint64_t *up = d->up, *down = d->down, *doubts = d->doubt;
	const vec limit = vec_set(bound);
	struct filter_terms terms;
	int doubtful = 0;

	filter_terms_init(&terms, f);
	for (size_t i = 0; i < b->bars; i += 64, u += 64, v += 64) {
		uint64_t negative = 0, doubt = 0;
		vec least = vec_set(INFINITY);

		UNROLL
		for (unsigned k = 0; k < 64; k += LANES) {
			const vec x = filter_difference(&terms, u + k, v + k);

			negative |= vec_signs((ivec)x) << k;
			least = vec_min(least, vec_abs(x));
		}
		if (vec_signs(least <= limit)) {
			for (unsigned k = 0; k < 64; k += LANES) {
				const vec x = filter_difference(&terms, u + k, v + k);

				doubt |= vec_signs(vec_abs(x) <= limit) << k;
			}
			doubtful = 1;
		}
		up[i / 64] = ~negative;
		down[i / 64] = negative;
		doubts[i / 64] = doubt;
	}
	return doubtful;
}

/* Clears what lies before the set's first bar with both averages and behind the last. */
static inline void filter_mask(const struct block *b, size_t reach, struct decision *d)
{
	const size_t skip = b->first < reach - 1 ? reach - 1 - b->first : 0;

	if (skip == 0 && b->bars % 64 == 0)
		return;
	for (size_t i = 0; i < b->bars; i += 64) {
		uint64_t valid = ~(uint64_t)0;

		if (skip > i)
			valid = skip - i < 64 ? valid << (skip - i) : 0;
		if (b->bars - i < 64)
			valid &= ((uint64_t)1 << (b->bars - i)) - 1;
		d->up[i / 64] &= valid;
		d->down[i / 64] &= valid;
		d->doubt[i / 64] &= valid;
	}
}

/* The next bar in doubt from i on; b->bars where there is none. */
static inline size_t next_doubt(const struct block *b, const struct decision *d, size_t i)
{
	while (i < b->bars) {
		const uint64_t rest = d->doubt[i / 64] >> i % 64;

		if (rest)
			return i + (size_t)__builtin_ctzll(rest);
		i = (i / 64 + 1) * 64;
	}
	return b->bars;
}

/*
 * A bar whose whole reach, and that of the bar before, is one price has the
 * averages of the bar before, bit for bit: it keeps the side.
 */
static inline void drop_flat(const struct block *b, size_t reach, struct decision *d)
{
	for (size_t i = next_doubt(b, d, 0); i < b->bars; i = next_doubt(b, d, i + 1)) {
		const uint64_t bit = (uint64_t)1 << i % 64;

		if (b->runs[b->lead + i] > reach && b->first + i >= reach) {
			d->up[i / 64] &= ~bit;
			d->down[i / 64] &= ~bit;
			d->doubt[i / 64] &= ~bit;
		}
	}
}

/* Decides the bars in doubt from `from` to `to` by the definition, in one go. */
static inline void decide_run(
    const struct block *b, const struct hma_set *s, size_t from, size_t to, struct decision *d)
{
	const size_t before = (size_t)hma_reach(s) - 1;

	direct_signs(b->x + b->lead + from - before, to - from, s, d->work, d->run_up, d->run_down);
	for (size_t i = from; i < to; i = next_doubt(b, d, i + 1)) {
		const uint64_t bit = (uint64_t)1 << i % 64;
		const size_t at = i - from;

		d->up[i / 64] &= ~bit;
		d->down[i / 64] &= ~bit;
		d->up[i / 64] |= (d->run_up[at / 64] >> at % 64 & 1) << i % 64;
		d->down[i / 64] |= (d->run_down[at / 64] >> at % 64 & 1) << i % 64;
	}
}

/* Bars in doubt, in runs: a gap shorter than what a new run computes anew is not worth one. */
static inline void decide_doubts(struct block *b, const struct hma_set *s, struct decision *d)
{
	const size_t reach = (size_t)hma_reach(s), gap = reach;
	size_t from = next_doubt(b, d, 0);

	if (from == b->bars)
		return;
	block_count_runs(b);
	drop_flat(b, reach, d);
	from = next_doubt(b, d, from);
	while (from < b->bars) {
		size_t last = from, next = next_doubt(b, d, from + 1);

		while (next < b->bars && next - last <= gap) {
			last = next;
			next = next_doubt(b, d, next + 1);
		}
		decide_run(b, s, from, last + 1, d);
		from = next;
	}
}

static inline void filter_set(struct block *b, const struct hma_filter *f, struct hma_book *book,
    double fee, struct decision *d)
{
	const size_t reach = (size_t)hma_reach(&f->set);
	const double bound = b->finite ? hma_filter_bound(f, b->largest, b->scale) : INFINITY;

	int doubtful = 1;

	if (b->first + b->bars < reach)
		return;
	/* |D| is at most 8 Q: a bound that large decides nothing. */
	if (bound < ldexp(8, b->bits)) {
		filter_outers(b, &f->set, d);
		doubtful = filter_signs(b, f, bound, d);
	} else {
		memset(d->doubt, 0xff, hma_round_up(b->bars, 64) / 8);
	}
	filter_mask(b, reach, d);
	if (doubtful)
		decide_doubts(b, &f->set, d);
	trades_book(book, d->up, d->down, b->bars, b->x + b->lead, fee, d->work);
}

/* Takes up to HMA_GROUP sets that reach into the series; returns how many sets were looked at. */
static inline size_t group_fill(struct hma_group *g, size_t n_bars, const struct hma_set *sets,
    size_t n_sets, struct hma_result *results, size_t *reach)
{
	size_t i;

	g->n = 0;
	*reach = 1;
	for (i = 0; i < n_sets && g->n < HMA_GROUP; i++) {
		if (!hma_reaches(&sets[i], n_bars)) {
			results[i] = (struct hma_result){0, 0, 0};
			continue;
		}
		g->filter[g->n].set = sets[i];
		g->book[g->n] = (struct hma_book){0, 0, 0, 0};
		g->result[g->n++] = &results[i];
		if ((size_t)hma_reach(&sets[i]) > *reach)
			*reach = (size_t)hma_reach(&sets[i]);
	}
	return i;
}

static inline void group_sweep(struct hma_group *g, const double *closes, size_t n_bars,
    size_t reach, double fee, double *scratch)
{
	struct block b;
	struct decision d;

	block_init(&b, n_bars, reach, &scratch);
	decision_init(&d, &b, &scratch);
	for (size_t i = 0; i < g->n; i++)
		hma_filter_init(&g->filter[i], &g->filter[i].set, b.half, b.bits);
	for (size_t t = 0; t < n_bars; t += b.most) {
		block_load(&b, closes, n_bars, t);
		decision_forget(&d);
		for (size_t i = 0; i < g->n; i++)
			filter_set(&b, &g->filter[i], &g->book[i], fee, &d);
	}
	for (size_t i = 0; i < g->n; i++)
		*g->result[i] = hma_book_result(&g->book[i]);
}

static inline void filtered_sweep(const double *closes, size_t n_bars, const struct hma_set *sets,
    size_t n_sets, double fee, void *scratch, struct hma_result *results)
{
	struct hma_group *g = scratch;
	double *rest = (double *)scratch + HMA_GROUP_ROOM;

	for (size_t done = 0; done < n_sets;) {
		size_t reach, filled;

		filled = group_fill(g, n_bars, sets + done, n_sets - done, results + done, &reach);
		if (g->n > 0)
			group_sweep(g, closes, n_bars, reach, fee, rest);
		done += filled;
	}
}

#endif
