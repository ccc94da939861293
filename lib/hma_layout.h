/* L2: how far back a bar looks, and how the fast kernels lay out their scratch. */
#ifndef IPCTAX_HMA_LAYOUT_H
#define IPCTAX_HMA_LAYOUT_H

#include "lib/hma.h"
#include "lib/hma_book.h"
#include "lib/hma_bound.h"

#include <stddef.h>
#include <stdint.h>

/* Doubles of room behind an array that vectors may read and write: a word of bars. */
#define HMA_PAD 64

static inline int64_t hma_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Bars that decide one bar, itself included: the first with both averages is reach - 1. */
static inline int64_t hma_reach(const struct hma_set *s)
{
	const int64_t closes = hma_max(s->half, s->full) - 1 + s->sqrt;
	const int64_t closes3 = hma_max(s->third3, hma_max(s->half3, s->full3)) - 1 + s->full3;

	return hma_max(closes, closes3);
}

/* Whether any bar of the series has both averages; written so that nothing overflows. */
static inline int hma_reaches(const struct hma_set *s, size_t n_bars)
{
	const uint64_t n = n_bars;

	return (uint64_t)s->half <= n && (uint64_t)s->full <= n && (uint64_t)s->sqrt <= n &&
	       (uint64_t)s->third3 <= n && (uint64_t)s->half3 <= n && (uint64_t)s->full3 <= n &&
	       (uint64_t)hma_reach(s) <= n;
}

static inline size_t hma_round_up(size_t n, size_t step)
{
	return (n + step - 1) / step * step;
}

/* Doubles of work that deciding n bars by the definition takes. */
static inline size_t hma_direct_room(size_t n, size_t reach)
{
	return 5 * (n + reach + HMA_PAD);
}

/* Doubles of work that booking the trades of n bars takes: a price and a gain each. */
static inline size_t hma_trades_room(size_t n)
{
	return 2 * (n + HMA_PAD);
}

/* Takes the next n doubles off the scratch, aligned to a cache line. */
static inline double *hma_take(double **scratch, size_t n)
{
	double *p = *scratch;

	*scratch += hma_round_up(n, 8);
	return p;
}

/* Bars the vector kernel decides at a time: long against the reach, which is computed anew. */
static inline size_t hma_vector_block(size_t n_bars, size_t reach)
{
	const size_t most = hma_round_up(n_bars, 64), want = hma_round_up(4 * reach, 64);
	const size_t block = want < 2048 ? 2048 : want;

	return block < most ? block : most;
}

/* Doubles of scratch of the vector kernel; see vector_stretch. */
static inline size_t hma_vector_room(size_t n_bars, size_t max_window)
{
	const size_t reach = 2 * max_window < n_bars ? 2 * max_window : n_bars;
	const size_t most = hma_vector_block(n_bars, reach);

	return hma_direct_room(most, reach) + reach + most + HMA_PAD + 2 * (most / 64) + 64;
}

/* Sets that filtered takes through a block together. */
#define HMA_GROUP 128

/*
 * Bars filtered decides at a time: long against the reach, which is computed anew,
 * but not so long that the sums of a block outgrow the cache or their 64 bits. Never
 * falls as the reach grows, so that scratch made for a longer one is enough.
 */
static inline size_t hma_filter_block(size_t n_bars, size_t reach)
{
	const size_t most = hma_round_up(n_bars, 64), thrice = 3 * reach < 8192 ? 3 * reach : 8192;
	const size_t want = thrice < 1280 ? 1280 : thrice > reach ? thrice : reach;

	return hma_round_up(want, 64) < most ? hma_round_up(want, 64) : most;
}

/*
 * Places before a block's first bar: all it reaches back to through both averages (and
 * three sums), and up to a cache line more, so that arrays are written in whole lines.
 */
static inline size_t hma_filter_lead(size_t reach)
{
	return hma_round_up(reach + 14, 8);
}

/* The state of a group of sets on its way through the blocks. */
struct hma_group {
	size_t n;
	struct hma_filter filter[HMA_GROUP];
	struct hma_book book[HMA_GROUP];
	size_t booked[HMA_GROUP]; /* bars; a block that begins before has nothing left to do */
	struct hma_result *result[HMA_GROUP];
};

#define HMA_GROUP_ROOM ((sizeof(struct hma_group) + 63) / 64 * (64 / sizeof(double)))

/* Doubles of scratch of the filtered kernel; see group_sweep. */
static inline size_t hma_filter_room(size_t n_bars, size_t max_window)
{
	const size_t reach = 2 * max_window < n_bars ? 2 * max_window : n_bars;
	const size_t most = hma_filter_block(n_bars, reach), lead = hma_filter_lead(reach);
	const size_t direct = hma_direct_room(most, reach);
	const size_t vector = hma_vector_room(n_bars, max_window);

	return HMA_GROUP_ROOM + 8 * hma_round_up(lead + most + HMA_PAD, 8) +
	       5 * hma_round_up(most / 64, 8) + (direct > vector ? direct : vector);
}

#endif
