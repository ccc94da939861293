/* L2 template: from the signs of a block of bars to its trades. */
#ifndef IPCTAX_HMA_TRADES_H
#define IPCTAX_HMA_TRADES_H

#include "lib/hma_book.h"
#include "lib/hma_layout.h"
#include "lib/hma_vec.h"

/* The first bar that takes a side, in a book that has none yet. */
static inline void trades_open(
    struct hma_book *b, const uint64_t *up, const uint64_t *down, size_t n, const double *prices)
{
	for (size_t i = 0; i < n; i += 64) {
		const uint64_t decided = up[i / 64] | down[i / 64];

		if (decided) {
			const int bit = __builtin_ctzll(decided);

			b->side = up[i / 64] >> bit & 1 ? 1 : -1;
			b->entry = prices[i + (size_t)bit];
			return;
		}
	}
}

/*
 * Writes the prices at the bits of one word, four at a time: how many there are
 * is hard to foresee for the processor, whether more than four is not. Writes
 * up to four beyond them.
 */
static inline size_t trades_list(uint64_t flips, const double *prices, double *exits)
{
	const size_t count = (size_t)__builtin_popcountll(flips);
	const uint64_t last = (uint64_t)1 << 63;
	size_t k = 0;

	do {
		UNROLL
		for (int j = 0; j < 4; j++, k++) {
			exits[k] = prices[__builtin_ctzll(flips | last)];
			flips &= flips - 1;
		}
	} while (k < count);
	return count;
}

/*
 * Lists the prices at which the side changes into exits[]; returns how many.
 * A bar in neither word keeps the side before it: that is a carry through an
 * adder whose generate bits are `up` and whose propagate bits are the keeping
 * bars, and the carry into a bar is the side before it.
 */
static inline size_t trades_exits(int64_t side, const uint64_t *up, const uint64_t *down, size_t n,
    const double *prices, double *exits)
{
	uint64_t before = side > 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i += 64) {
		const uint64_t generate = up[i / 64], keep = ~(generate | down[i / 64]);
		const uint64_t a = generate | keep;
		const uint64_t carry = (a + generate + before) ^ a ^ generate;
		const uint64_t now = generate | (keep & carry);

		before = now >> 63;
		count += trades_list(now ^ carry, prices + i, exits + count);
	}
	return count;
}

/*
 * Books the trades of n bars: words up and down as direct_signs writes them
 * (neither bit: the side is kept), prices with HMA_PAD of room, work as
 * hma_trades_room says. The gains are independent and computed in vectors,
 * each operation as the definition has it; only their sum keeps its order.
 */
static inline void trades_book(struct hma_book *b, const uint64_t *up, const uint64_t *down,
    size_t n, const double *prices, double fee, double *work)
{
	double *entries = work, *exits = work + 1, *gains = work + n + HMA_PAD;
	size_t count;
	vec side;

	if (b->side == 0)
		trades_open(b, up, down, n, prices);
	if (b->side == 0)
		return;
	count = trades_exits(b->side, up, down, n, prices, exits);
	entries[0] = b->entry;
	for (int v = 0; v < LANES; v++)
		side[v] = (double)(v % 2 ? -b->side : b->side);
	for (size_t i = 0; i < count; i += LANES) {
		const vec entry = vec_load(entries + i), out = vec_load(exits + i);

		vec_store(gains + i, side * (out - entry) / entry * 100 - fee);
		if (LANES % 2)
			side = -side;
	}
	for (size_t i = 0; i < count; i++)
		b->pnl += gains[i];
	b->entry = entries[count];
	b->trades += (int64_t)count;
	if (count % 2)
		b->side = -b->side;
}

#endif
