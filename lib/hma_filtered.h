/* L2 template: the kernel "filtered": a fast evaluation, the definition where that is in doubt. */
#ifndef IPCTAX_HMA_FILTERED_H
#define IPCTAX_HMA_FILTERED_H

#include "lib/hma_direct.h"
#include "lib/hma_evaluate.h"
#include "lib/hma_trades.h"
#include "lib/hma_vector.h"

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

/*
 * The run of bars in doubt from `from` on: a gap shorter than what a new run computes
 * anew is not worth one. Returns its end; *next is where the next run begins.
 */
static inline size_t run_end(
    const struct block *b, const struct decision *d, size_t reach, size_t from, size_t *next)
{
	size_t last = from;

	*next = next_doubt(b, d, from + 1);
	while (*next < b->bars && *next - last <= reach) {
		last = *next;
		*next = next_doubt(b, d, last + 1);
	}
	return last + 1;
}

/* Bars that deciding the runs from `from` on computes: what each reaches back to and rounds up. */
static inline size_t runs_cost(
    const struct block *b, const struct decision *d, size_t reach, size_t from)
{
	size_t cost = 0;

	for (size_t next; from < b->bars; from = next)
		cost += run_end(b, d, reach, from, &next) - from + reach + 64;
	return cost;
}

/*
 * Decides the bars in doubt by the definition, in runs; returns 0 and has decided none
 * where that takes longer than the vector kernel's longer blocks do.
 */
static inline int decide_doubts(
    struct block *b, const struct hma_set *s, size_t n_bars, struct decision *d)
{
	const size_t reach = (size_t)hma_reach(s), block = hma_vector_block(n_bars, reach);
	size_t from = next_doubt(b, d, 0);

	if (from == b->bars)
		return 1;
	block_count_runs(b);
	drop_flat(b, reach, d);
	from = next_doubt(b, d, from);
	if (runs_cost(b, d, reach, from) > b->bars + b->bars * reach / block)
		return 0;
	for (size_t next; from < b->bars; from = next)
		decide_run(b, s, from, run_end(b, d, reach, from, &next), d);
	return 1;
}

/* Decides and books the block's bars of one set; 0 where the vector kernel is the faster one. */
static inline int filter_set(struct block *b, size_t n_bars, const struct hma_filter *f,
    struct hma_book *book, double fee, struct decision *d)
{
	const size_t reach = (size_t)hma_reach(&f->set);
	const double bound = b->finite ? hma_filter_bound(f, b->largest, b->scale) : INFINITY;
	int doubtful = 1;

	if (b->first + b->bars < reach)
		return 1;
	/* |D| is at most 8 Q: a bound that large decides nothing. */
	if (bound < ldexp(8, b->bits))
		doubtful = filter_evaluate(b, f, bound, d);
	else
		memset(d->doubt, 0xff, hma_round_up(b->bars, 64) / 8);
	filter_mask(b, reach, d);
	if (doubtful && !decide_doubts(b, &f->set, n_bars, d))
		return 0;
	trades_book(book, d->up, d->down, b->bars, b->x + b->lead, fee, d->work);
	return 1;
}

/* Books the i-th set from the block's first bar on: whole blocks, a vector kernel's or more. */
static inline void group_stretch(struct hma_group *g, size_t i, const struct block *b,
    const double *closes, size_t n_bars, double fee, double *work)
{
	const struct hma_set *s = &g->filter[i].set;
	const size_t reach = (size_t)hma_reach(s), left = n_bars - b->first;
	const size_t want = hma_vector_block(n_bars, reach), more = b->most - 1;
	const size_t bars = (want + more) / b->most * b->most;
	const size_t from = b->first < reach - 1 ? reach - 1 : b->first;

	g->booked[i] = b->first + (bars < left ? bars : left);
	if (from < g->booked[i])
		vector_stretch(closes, n_bars, from, g->booked[i], s, &g->book[i], fee, work);
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
		g->booked[g->n] = 0;
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
			if (g->booked[i] <= t &&
			    !filter_set(&b, n_bars, &g->filter[i], &g->book[i], fee, &d))
				group_stretch(g, i, &b, closes, n_bars, fee, d.work);
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
