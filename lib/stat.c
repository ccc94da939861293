#include "lib/stat.h"

#include <math.h>
#include <stdlib.h>

#define TAIL 0.025 /* on either side of a 95 % interval */

static int ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double middle(const double *sorted, size_t n)
{
	if (n == 0)
		return 0;
	return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

struct stat_range stat_range(double *x, size_t n)
{
	struct stat_range r = {.n = n};

	if (n == 0)
		return r;
	qsort(x, n, sizeof *x, ascending);
	r.median = middle(x, n);
	r.min = x[0];
	r.max = x[n - 1];
	return r;
}

double stat_median(double *x, size_t n)
{
	return stat_range(x, n).median;
}

/* The largest r with P(Binomial(n, p) < r) <= TAIL; 0: none. */
static uint64_t lower_rank(uint64_t n, double p)
{
	double term, below = 0;
	uint64_t r = 0;

	if (n > 1000) {
		double x = (double)n * p - 1.959963984540054 * sqrt((double)n * p * (1 - p)) - 1;

		return x < 1 ? 0 : (uint64_t)x;
	}
	/* Upwards from k = 0; (1-p)^n underflows only where the sum stays 0 for long anyway. */
	term = (double)n * log1p(-p);
	while (r < n) {
		below += exp(term);
		if (below > TAIL)
			break;
		term += log((double)(n - r) / (double)(r + 1)) + log(p) - log1p(-p);
		r++;
	}
	return r;
}

int stat_ranks(uint64_t n, double p, uint64_t *low, uint64_t *high)
{
	uint64_t from, to;

	if (n == 0 || !(p > 0 && p < 1))
		return -1;
	from = lower_rank(n, p);
	to = lower_rank(n, 1 - p);
	if (from < 1 || to < 1)
		return -1;
	*low = from;
	*high = n + 1 - to;
	return 0;
}

struct stat_ratio stat_ratio_paired(const double *a, const double *b, size_t n, double *scratch)
{
	struct stat_ratio r = {0};
	uint64_t low, high;
	size_t i;

	for (i = 0; i < n; i++) {
		if (b[i] == 0)
			return r;
		scratch[i] = a[i] / b[i];
	}
	if (n == 0)
		return r;
	r.n = n;
	r.ratio = stat_median(scratch, n);
	r.has_interval = stat_ranks(n, 0.5, &low, &high) == 0;
	r.low = scratch[r.has_interval ? low - 1 : 0];
	r.high = scratch[r.has_interval ? high - 1 : n - 1];
	return r;
}

uint64_t stat_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* The (lower) median of n draws with replacement, by counting how often each was drawn. */
static double resample(const double *sorted, size_t n, unsigned *count, uint64_t *state)
{
	size_t i, seen = 0, half = (n - 1) / 2;

	for (i = 0; i < n; i++)
		count[i] = 0;
	for (i = 0; i < n; i++)
		count[stat_random(state) % n]++;
	for (i = 0; i + 1 < n; i++) {
		seen += count[i];
		if (seen > half)
			break;
	}
	return sorted[i];
}

struct stat_ratio stat_ratio_apart(double *a, size_t na, double *b, size_t nb)
{
	struct stat_ratio r = {0};
	double of[STAT_RESAMPLES];
	unsigned count[STAT_RESAMPLED];
	uint64_t state = 1;
	size_t i, n = 0;
	struct stat_range ra = stat_range(a, na), rb = stat_range(b, nb);

	if (na == 0 || nb == 0 || rb.median == 0)
		return r;
	r.n = na < nb ? na : nb;
	r.ratio = ra.median / rb.median;
	r.low = rb.max == 0 ? r.ratio : ra.min / rb.max;
	r.high = rb.min == 0 ? r.ratio : ra.max / rb.min;
	if (r.n < 6 || na > STAT_RESAMPLED || nb > STAT_RESAMPLED)
		return r;
	for (i = 0; i < STAT_RESAMPLES; i++) {
		double x = resample(a, na, count, &state), y = resample(b, nb, count, &state);

		if (y != 0)
			of[n++] = x / y;
	}
	qsort(of, n, sizeof *of, ascending);
	r.has_interval = 1;
	r.low = of[(size_t)(TAIL * (double)n)];
	r.high = of[(size_t)((1 - TAIL) * (double)(n - 1))];
	return r;
}
