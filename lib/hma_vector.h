/* L2 template: the kernel "vector", every bar by the definition. */
#ifndef IPCTAX_HMA_VECTOR_H
#define IPCTAX_HMA_VECTOR_H

#include "lib/hma_direct.h"
#include "lib/hma_trades.h"

/*
 * Sweeps one set. The closes of a block are copied once, with what its first
 * bar reaches back to: room behind the last for whole vectors, and one answer
 * to what a close was, even if somebody is writing to it.
 */
static inline struct hma_result vector_set(
    const double *closes, size_t n_bars, const struct hma_set *s, double fee, double *scratch)
{
	const size_t before = (size_t)hma_reach(s) - 1, most = hma_vector_block(n_bars, before + 1);
	double *x = hma_take(&scratch, before + most + HMA_PAD);
	double *work = hma_take(&scratch, hma_direct_room(most, before + 1));
	uint64_t *up = (uint64_t *)hma_take(&scratch, most / 64);
	uint64_t *down = (uint64_t *)hma_take(&scratch, most / 64);
	struct hma_book book = {0, 0, 0, 0};

	for (size_t t = before; t < n_bars; t += most) {
		const size_t n = n_bars - t < most ? n_bars - t : most;

		memcpy(x, closes + (t - before), (before + n) * sizeof *x);
		memset(x + before + n, 0, HMA_PAD * sizeof *x);
		direct_signs(x, n, s, work, up, down);
		trades_book(&book, up, down, n, x + before, fee, work);
	}
	return hma_book_result(&book);
}

static inline void vector_sweep(const double *closes, size_t n_bars, const struct hma_set *sets,
    size_t n_sets, double fee, void *scratch, struct hma_result *results)
{
	for (size_t i = 0; i < n_sets; i++) {
		if (hma_reaches(&sets[i], n_bars))
			results[i] = vector_set(closes, n_bars, &sets[i], fee, scratch);
		else
			results[i] = (struct hma_result){0, 0, 0};
	}
}

#endif
