/* L2: stop and reverse, the second half of the definition; shared by all kernels. */
#ifndef IPCTAX_HMA_BOOK_H
#define IPCTAX_HMA_BOOK_H

#include "lib/hma.h"
#include "lib/hma_exact.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The position after some bars, and what was earned so far. */
struct hma_book {
	double pnl, entry;
	int64_t trades, side;
};

/* w (w + 1) / 2, the divisor of a weighted moving average; exact below 2^53, else rounded once. */
static inline double hma_weight_sum(int64_t w)
{
	return (double)(w % 2 ? (w + 1) / 2 * w : w / 2 * (w + 1));
}

/* 2 WMA_half - WMA_full, the input of HMA's last average. */
static inline double hma_raw(double half, double full)
{
	return 2 * half - full;
}

/* 3 WMA_third - WMA_p2 - WMA_p, the input of HMA3's. */
static inline double hma_raw3(double third, double half, double full)
{
	return 3 * third - half - full;
}

/* Takes `side` (1 or -1) at `price`: opens, changes sides and books the trade, or keeps. */
static inline void hma_book_side(struct hma_book *b, int64_t side, double price, double fee)
{
	if (side == b->side)
		return;
	if (b->side != 0) {
		b->pnl += (double)b->side * (price - b->entry) / b->entry * 100 - fee;
		b->trades++;
	}
	b->side = side;
	b->entry = price;
}

/* One bar: comparisons with a NaN are false, so a bar without both averages is skipped. */
static inline void hma_book_bar(
    struct hma_book *b, double hma, double hma3, double price, double fee)
{
	if (hma3 > hma)
		hma_book_side(b, 1, price, fee);
	else if (hma3 < hma)
		hma_book_side(b, -1, price, fee);
}

/* What is told outside: a NaN has one payload, 0x7ff8000000000000. */
static inline struct hma_result hma_book_result(const struct hma_book *b)
{
	const uint64_t bits = 0x7ff8000000000000;
	struct hma_result r = {b->pnl, b->trades, b->side};

	if (isnan(b->pnl))
		memcpy(&r.pnl, &bits, sizeof r.pnl);
	return r;
}

#endif
