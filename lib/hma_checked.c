/*
 * The definition once more, every access to an array checked against its
 * length: the twin that tells what safe indexing costs. An index outside would
 * be a bug in this file, so the check ends the process, as such languages do.
 */
#include "lib/hma_book.h"
#include "lib/hma_kernels.h"

struct array {
	double *p;
	size_t n;
};

static inline double *at(struct array a, size_t i)
{
	if (i >= a.n)
		__builtin_trap();
	return &a.p[i];
}

static void wma(struct array x, int64_t window, struct array out)
{
	const size_t w = (uint64_t)window <= x.n ? (size_t)window : x.n + 1;
	const double divisor = hma_weight_sum((int64_t)w);

	for (size_t t = 0; t < x.n && t < w - 1; t++)
		*at(out, t) = NAN;
	for (size_t t = w - 1; t < x.n; t++) {
		double sum = 0;

		for (size_t j = 0; j < w; j++)
			sum += *at(x, t - (w - 1) + j) * (double)(int64_t)(j + 1);
		*at(out, t) = sum / divisor;
	}
}

static struct hma_result one_set(
    const double *closes, size_t n, const struct hma_set *s, double fee, double *scratch)
{
	/* The closes are only read; the cast lets one type serve both. */
	const struct array c = {(double *)(uintptr_t)closes, n};
	const struct array a = {scratch, n}, b = {scratch + n, n}, d = {scratch + 2 * n, n},
			   hma = {scratch + 3 * n, n}, hma3 = b;
	struct hma_book book = {0, 0, 0, 0};

	wma(c, s->half, a);
	wma(c, s->full, b);
	for (size_t t = 0; t < n; t++)
		*at(a, t) = hma_raw(*at(a, t), *at(b, t));
	wma(a, s->sqrt, hma);

	wma(c, s->third3, a);
	wma(c, s->half3, b);
	wma(c, s->full3, d);
	for (size_t t = 0; t < n; t++)
		*at(a, t) = hma_raw3(*at(a, t), *at(b, t), *at(d, t));
	wma(a, s->full3, hma3);

	for (size_t t = 0; t < n; t++)
		hma_book_bar(&book, *at(hma, t), *at(hma3, t), *at(c, t), fee);
	return hma_book_result(&book);
}

void hma_checked(const double *closes, size_t n_bars, const struct hma_set *sets, size_t n_sets,
    double fee, void *scratch, struct hma_result *results)
{
	for (size_t i = 0; i < n_sets; i++)
		results[i] = one_set(closes, n_bars, &sets[i], fee, scratch);
}
