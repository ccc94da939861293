/* L2 template: the kernel "vector", every bar by the definition. */
#ifndef IPCTAX_HMA_VECTOR_H
#define IPCTAX_HMA_VECTOR_H

#include "lib/hma_direct.h"
#include "lib/hma_trades.h"

/*
 * Books bars from ... to - 1 of one set; from is reach - 1 or more. The closes of a
 * block are copied once, with what its first bar reaches back to: room behind the
 * last for whole vectors, and one answer to what a close was, even if somebody is
 * writing to it.
 */
static inline void vector_stretch(const double *closes, size_t n_bars, size_t from, size_t to,
    const struct hma_set *s, struct hma_book *book, double fee, double *scratch)
{
	const size_t before = (size_t)hma_reach(s) - 1, most = hma_vector_block(n_bars, before + 1);
	double *x = hma_take(&scratch, before + most + HMA_PAD);
	double *work = hma_take(&scratch, hma_direct_room(most, before + 1));
	uint64_t *up = (uint64_t *)hma_take(&scratch, most / 64);
	uint64_t *down = (uint64_t *)hma_take(&scratch, most / 64);

	for (size_t t = from; t < to; t += most) {
		const size_t n = to - t < most ? to - t : most;

		memcpy(x, closes + (t - before), (before + n) * sizeof *x);
		memset(x + before + n, 0, HMA_PAD * sizeof *x);
		direct_signs(x, n, s, work, up, down);
		trades_book(book, up, down, n, x + before, fee, work);
	}
}

/* Sweeps one set that reaches into the series. */
static inline struct hma_result vector_set(
    const double *closes, size_t n_bars, const struct hma_set *s, double fee, double *scratch)
{
	struct hma_book book = {0, 0, 0, 0};

	vector_stretch(closes, n_bars, (size_t)hma_reach(s) - 1, n_bars, s, &book, fee, scratch);
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
