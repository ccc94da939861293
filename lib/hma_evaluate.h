/* L2 template: HMA3 - HMA at every bar of a block, from its sums: signs, and which are in doubt. */
#ifndef IPCTAX_HMA_EVALUATE_H
#define IPCTAX_HMA_EVALUATE_H

#include "lib/hma_block.h"

/* A block's work of one set; bit i of word i / 64 is the block's i-th bar. */
struct decision {
	uint64_t *up, *down, *doubt;
	uint64_t *run_up, *run_down; /* of bars decided by the definition */
	double *u, *v, *work;
	double *hma3;      /* V's part of D, a bar */
	int64_t u_window;  /* what u holds, 0: nothing yet */
	int64_t inner3[3]; /* third3, half3, full3 of what hma3 holds */
};

/* Lays out the work of a block; the scratch left over is for the definition and the trades. */
static inline void decision_init(struct decision *d, const struct block *b, double **scratch)
{
	d->u = hma_take(scratch, b->places + HMA_PAD);
	d->v = hma_take(scratch, b->places + HMA_PAD);
	d->hma3 = hma_take(scratch, b->most + HMA_PAD);
	d->up = (uint64_t *)hma_take(scratch, b->most / 64);
	d->down = (uint64_t *)hma_take(scratch, b->most / 64);
	d->doubt = (uint64_t *)hma_take(scratch, b->most / 64);
	d->run_up = (uint64_t *)hma_take(scratch, b->most / 64);
	d->run_down = (uint64_t *)hma_take(scratch, b->most / 64);
	d->work = *scratch;
}

/* A new block: nothing is there of it yet. */
static inline void decision_forget(struct decision *d)
{
	d->u_window = 0;
	d->inner3[0] = 0;
}

/*
 * out[i] = d_w WMA_w(P2) for places from ... to - 1; see hma_bound.h. Both are
 * multiples of 8, and `from` is at least w.
 */
static inline void filter_outer(
    const struct block *b, size_t from, size_t to, int64_t window, double *out)
{
	const double *p3 = b->p3, *last = b->p4_last, *before = b->p4_last - window;
	const vec w = vec_set((double)window);

	UNROLL_SOME
	for (size_t i = from; i < to; i += LANES)
		vec_store(out + i,
		    vec_fma(w, vec_load(p3 + i), vec_load(before + i) - vec_load(last + i)));
}

/* Bars whose V and whose signs are made in turn, while they are in the nearest cache. */
#define FILTER_CHUNK 256

/* V's part of D at bars from ... to - 1, from V up to the last of them. */
static inline void filter_hma3(const struct block *b, const struct hma_filter *f, size_t from,
    size_t to, const struct decision *d)
{
	const size_t lag2 = (size_t)f->set.third3 + 1, lag3 = (size_t)f->set.half3 + 1;
	const size_t lag4 = (size_t)f->set.full3 + 1;
	const double *v = d->v + b->lead;
	double *out = d->hma3;
	vec c[5];

	for (int i = 0; i < 5; i++)
		c[i] = vec_set(f->v[i]);
	UNROLL_SOME
	for (size_t i = from; i < to; i += LANES) {
		vec a = c[0] * vec_load(v + i);

		a = vec_fma(c[1], vec_load(v + i - 1), a);
		a = vec_fma(c[2], vec_load(v + i - lag2), a);
		a = vec_fma(c[3], vec_load(v + i - lag3), a);
		a = vec_fma(c[4], vec_load(v + i - lag4), a);
		vec_store(out + i, a);
	}
}

/* The coefficients of U in vectors, and how far back their places are. */
struct filter_terms {
	vec c[4];
	size_t lag2, lag3;
};

static inline void filter_terms_init(struct filter_terms *k, const struct hma_filter *f)
{
	for (int i = 0; i < 4; i++)
		k->c[i] = vec_set(f->u[i]);
	k->lag2 = (size_t)f->set.half + 1;
	k->lag3 = (size_t)f->set.full + 1;
}

/* D = HMA3 - HMA at LANES bars, u and hma3 at the first. */
static inline vec filter_difference(
    const struct filter_terms *k, const double *u, const double *hma3)
{
	vec c = k->c[0] * vec_load(u);

	c = vec_fma(k->c[1], vec_load(u - 1), c);
	c = vec_fma(k->c[2], vec_load(u - k->lag2), c);
	c = vec_fma(k->c[3], vec_load(u - k->lag3), c);
	return vec_load(hma3) + c;
}

/* Signs of bars from ... to - 1, and which are in doubt; returns whether any is. */
static inline int filter_signs(const struct block *b, const struct hma_filter *f, double bound,
    size_t from, size_t to, struct decision *d)
{
	const double *u = d->u + b->lead, *hma3 = d->hma3;
	uint64_t *up = d->up, *down = d->down, *doubts = d->doubt;
	const vec limit = vec_set(bound);
	struct filter_terms terms;
	int doubtful = 0;

	filter_terms_init(&terms, f);
	for (size_t i = from; i < to; i += 64) {
		uint64_t negative = 0, doubt = 0;
		vec least = vec_set(INFINITY);

		UNROLL
		for (unsigned k = 0; k < 64; k += LANES) {
			const vec x = filter_difference(&terms, u + i + k, hma3 + i + k);

			negative |= vec_signs((ivec)x) << k;
			least = vec_min(least, vec_abs(x));
		}
		if (vec_signs(least <= limit)) {
			for (unsigned k = 0; k < 64; k += LANES) {
				const vec x = filter_difference(&terms, u + i + k, hma3 + i + k);

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

/* Signs of all bars of the block; what the set before has left of U and V's part is used. */
static inline int filter_evaluate(
    const struct block *b, const struct hma_filter *f, double bound, struct decision *d)
{
	const struct hma_set *s = &f->set;
	const int64_t inner3[] = {s->third3, s->half3, s->full3};
	const size_t longest3 = (size_t)hma_max(s->third3, hma_max(s->half3, s->full3));
	const int fresh = memcmp(inner3, d->inner3, sizeof inner3) != 0;
	const size_t bars = hma_round_up(b->bars, 64);
	int doubtful = 0;

	if (d->u_window != s->sqrt)
		filter_outer(b, hma_round_up((size_t)s->sqrt, 8), b->places, s->sqrt, d->u);
	if (fresh)
		filter_outer(b, (b->lead - longest3 - 1) / 8 * 8, b->lead, s->full3, d->v);
	for (size_t i = 0; i < bars; i += FILTER_CHUNK) {
		const size_t end = bars - i < FILTER_CHUNK ? bars : i + FILTER_CHUNK;

		if (fresh) {
			filter_outer(b, b->lead + i, b->lead + end, s->full3, d->v);
			filter_hma3(b, f, i, end, d);
		}
		doubtful |= filter_signs(b, f, bound, i, end, d);
	}
	d->u_window = s->sqrt;
	memcpy(d->inner3, inner3, sizeof inner3);
	return doubtful;
}

#endif
