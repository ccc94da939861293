/* Medians and intervals against values known from tables of the binomial distribution. */
#include "lib/stat.h"

#include <stdio.h>

static int failed;

#define CHECK(x)                                                       \
	do {                                                           \
		if (!(x)) {                                            \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #x); \
			failed = 1;                                    \
		}                                                      \
	} while (0)

static void medians(void)
{
	double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};

	CHECK(stat_median(odd, 3) == 3 && stat_median(even, 4) == 2.5 && stat_median(one, 1) == 7);
	CHECK(stat_median(one, 0) == 0);
	CHECK(stat_range(even, 4).min == 1 && stat_range(even, 4).max == 4);
}

static void ranks(void)
{
	uint64_t lo = 0, hi = 0;

	CHECK(stat_ranks(5, 0.5, &lo, &hi) == -1 && stat_ranks(0, 0.5, &lo, &hi) == -1);
	CHECK(stat_ranks(6, 0.5, &lo, &hi) == 0 && lo == 1 && hi == 6);
	CHECK(stat_ranks(9, 0.5, &lo, &hi) == 0 && lo == 2 && hi == 8);
	CHECK(stat_ranks(20, 0.5, &lo, &hi) == 0 && lo == 6 && hi == 15);
	CHECK(stat_ranks(100, 0.5, &lo, &hi) == 0 && lo == 40 && hi == 61);
	CHECK(stat_ranks(1000, 0.5, &lo, &hi) == 0 && lo == 469 && hi == 532);
	CHECK(stat_ranks(1000000, 0.5, &lo, &hi) == 0 && lo > 499000 && lo < 499025 && hi > 500975);
	CHECK(stat_ranks(367, 0.99, &lo, &hi) == -1 && stat_ranks(368, 0.99, &lo, &hi) == 0);
	CHECK(hi == 368);
}

static void ratios(void)
{
	double a[9], b[9], s[9];
	struct stat_ratio r, again;
	int i;

	for (i = 0; i < 9; i++) {
		b[i] = 100 * (i + 1); /* drifts ninefold; the pairs do not care */
		a[i] = b[i] * (2 + 0.001 * i);
	}
	r = stat_ratio_paired(a, b, 9, s);
	CHECK(r.n == 9 && r.has_interval && r.ratio > 2.0039 && r.ratio < 2.0041);
	CHECK(r.low > 2.0009 && r.low < 2.0011 && r.high > 2.0069 && r.high < 2.0071);
	r = stat_ratio_paired(a, b, 3, s);
	CHECK(r.n == 3 && !r.has_interval && r.low == 2 && r.high > 2.0019);
	b[2] = 0;
	CHECK(stat_ratio_paired(a, b, 9, s).n == 0 && stat_ratio_paired(a, b, 0, s).n == 0);
	for (i = 0; i < 9; i++) {
		a[i] = 300 + i;
		b[i] = 100 + i;
	}
	r = stat_ratio_apart(a, 9, b, 9);
	again = stat_ratio_apart(a, 9, b, 9);
	CHECK(r.n == 9 && r.has_interval && r.ratio == 304.0 / 104);
	CHECK(r.low < r.ratio && r.ratio < r.high && r.low > 2.8 && r.high < 3.1);
	CHECK(r.low == again.low && r.high == again.high);
	CHECK(!stat_ratio_apart(a, 5, b, 9).has_interval && stat_ratio_apart(a, 0, b, 9).n == 0);
}

int main(void)
{
	medians();
	ranks();
	ratios();
	return failed;
}
