/* L0: medians, ranges and ratios with a confidence interval, from few samples. */
#ifndef IPCTAX_STAT_H
#define IPCTAX_STAT_H

#include <stddef.h>
#include <stdint.h>

struct stat_range {
	size_t n;
	double median, min, max; /* 0 where n is 0 */
};

/* Sorts x[n] (no NaN) and says what it holds; the median of an even count is the middle two's mean.
 */
struct stat_range stat_range(double *x, size_t n);

/* The median of x[n], which gets sorted; 0 where n is 0. */
double stat_median(double *x, size_t n);

/*
 * The ranks, from 1, of the sorted samples that enclose the p-quantile (0 < p < 1)
 * with at least 95 % confidence, whatever the distribution: low is the largest r with
 * P(Binomial(n, p) < r) <= 0.025, high the counterpart. 0; -1 where n is too small to have both
 * (below 6 for the median). Exact to n = 1000, the normal approximation, widened by one, beyond.
 */
int stat_ranks(uint64_t n, double p, uint64_t *low, uint64_t *high);

struct stat_ratio {
	size_t n; /* pairs; or the fewer samples of the two */
	double ratio;
	int has_interval; /* 0: too few samples; low and high are then the extremes seen */
	double low, high; /* 95 % */
};

/*
 * a over b, taken in turns: sample i of both is of the same round, so drift
 * cancels in a[i]/b[i]. The median of those, its interval by order statistics.
 * scratch holds n. n of 0, or a b of 0, gives n = 0 and ratio 0.
 */
struct stat_ratio stat_ratio_paired(const double *a, const double *b, size_t n, double *scratch);

/*
 * a over b without pairs: the ratio of medians, its interval from 2,000
 * bootstrap resamples with a fixed seed: the same input gives the same bytes.
 * Both arrays get sorted. No interval below 6 or above STAT_RESAMPLED samples.
 */
struct stat_ratio stat_ratio_apart(double *a, size_t na, double *b, size_t nb);

/* The next of a fixed sequence of 64-bit numbers (SplitMix64); for resampling, not for data. */
uint64_t stat_random(uint64_t *state);

#define STAT_RESAMPLES 2000
#define STAT_RESAMPLED 4096

#endif
