/* The definition, as ipctax(7) states it: seven weighted averages, then stop and reverse. */
#include "lib/hma_book.h"
#include "lib/hma_kernels.h"

/* out[t] = sum over j = 0 ... w-1 of x[t-w+1+j] * (j+1), divided by w (w+1) / 2; NaN before w-1. */
static void wma(const double *x, size_t n, int64_t window, double *out)
{
	const size_t w = (uint64_t)window <= n ? (size_t)window : n + 1;
	const double divisor = hma_weight_sum((int64_t)w);

	for (size_t t = 0; t < n && t < w - 1; t++)
		out[t] = NAN;
	for (size_t t = w - 1; t < n; t++) {
		const double *first = x + (t - (w - 1));
		double sum = 0;

		for (int64_t j = 0; j < (int64_t)w; j++)
			sum += first[j] * (double)(j + 1);
		out[t] = sum / divisor;
	}
}

static struct hma_result one_set(
    const double *c, size_t n, const struct hma_set *s, double fee, double *scratch)
{
	double *a = scratch, *b = a + n, *d = b + n, *hma = d + n, *hma3 = b;
	struct hma_book book = {0, 0, 0, 0};

	wma(c, n, s->half, a);
	wma(c, n, s->full, b);
	for (size_t t = 0; t < n; t++)
		a[t] = hma_raw(a[t], b[t]);
	wma(a, n, s->sqrt, hma);

	wma(c, n, s->third3, a);
	wma(c, n, s->half3, b);
	wma(c, n, s->full3, d);
	for (size_t t = 0; t < n; t++)
		a[t] = hma_raw3(a[t], b[t], d[t]);
	wma(a, n, s->full3, hma3);

	for (size_t t = 0; t < n; t++)
		hma_book_bar(&book, hma[t], hma3[t], c[t], fee);
	return hma_book_result(&book);
}

void hma_reference(const double *closes, size_t n_bars, const struct hma_set *sets, size_t n_sets,
    double fee, void *scratch, struct hma_result *results)
{
	for (size_t i = 0; i < n_sets; i++)
		results[i] = one_set(closes, n_bars, &sets[i], fee, scratch);
}
