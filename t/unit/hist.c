/* The histogram against sorted values: every slot's bounds, ranks, merge, sums, support. */
#include "lib/hist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hist a, b, both;
static int failed;

#define CHECK(x)                                                       \
	do {                                                           \
		if (!(x)) {                                            \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #x); \
			failed = 1;                                    \
		}                                                      \
	} while (0)

static void slots(void)
{
	uint64_t next = 0, v;
	size_t i;

	for (i = 0; i < HIST_SLOTS; i++) {
		CHECK(hist_slot_low(i) == next);
		CHECK(hist_index(hist_slot_low(i)) == i && hist_index(hist_slot_high(i)) == i);
		v = hist_slot_high(i) - hist_slot_low(i);
		CHECK(v * 1000 <= hist_slot_low(i) || v == 0);
		next = hist_slot_high(i) + 1;
	}
	CHECK(next == HIST_RANGE);
}

static int ascending(const void *x, const void *y)
{
	uint64_t p = *(const uint64_t *)x, q = *(const uint64_t *)y;

	return (p > q) - (p < q);
}

static void ranks(void)
{
	static uint64_t v[100000];
	uint64_t state = 1, got, sum = 0;
	size_t i, n = sizeof v / sizeof *v;

	hist_reset(&a);
	hist_reset(&b);
	for (i = 0; i < n; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		v[i] = (state >> 40) << (state >> 60);
		hist_record(i % 3 ? &a : &b, (int64_t)v[i]);
		sum += v[i];
	}
	hist_reset(&both);
	hist_merge(&both, &a);
	hist_merge(&both, &b);
	qsort(v, n, sizeof *v, ascending);
	CHECK(both.n == n && both.sum == sum && both.min == v[0] && both.max == v[n - 1]);
	CHECK(hist_at_rank(&both, 0, &got) == -1 && hist_at_rank(&both, n + 1, &got) == -1);
	for (i = 1; i <= n; i += 37) {
		CHECK(hist_at_rank(&both, i, &got) == 0);
		CHECK(got >= v[i - 1] && got - v[i - 1] <= v[i - 1] / 1000);
	}
	CHECK(hist_percentile(&both, 50, &got) == 0 && got - v[n / 2 - 1] <= got / 1000);
	CHECK(hist_percentile(&both, 100, &got) == 0 && got == v[n - 1]);
	CHECK(hist_percentile(&both, 0, &got) == 0 && got == v[0]);
	CHECK(hist_percentile(&both, 99.999, &got) == -1);
}

static void edges(void)
{
	uint64_t got;

	hist_reset(&a);
	CHECK(hist_percentile(&a, 50, &got) == -1 && hist_percentile(&a, 100, &got) == -1);
	CHECK(hist_mean(&a) == 0 && hist_stddev(&a) == 0);
	hist_record(&a, -5);
	hist_record(&a, 0);
	hist_record(&a, (int64_t)HIST_RANGE - 1);
	hist_record(&a, (int64_t)HIST_RANGE);
	hist_record(&a, INT64_MAX);
	CHECK(a.negative == 1 && a.zero == 1 && a.n == 4 && a.overflow == 2);
	CHECK(a.min == 0 && a.max == INT64_MAX);
	CHECK(hist_at_rank(&a, 2, &got) == 0 && got == HIST_RANGE - 1);
	CHECK(hist_at_rank(&a, 3, &got) == -1);
	CHECK(hist_at_rank(&a, 4, &got) == 0 && got == INT64_MAX);
	hist_record(&a, INT64_MAX);
	hist_record(&a, INT64_MAX);
	CHECK(a.sum_high == 1 && hist_mean(&a) > 4.6e18);
	CHECK(!hist_supports(5, 50) && hist_supports(6, 50));
	CHECK(!hist_supports(367, 99) && hist_supports(368, 99) && hist_supports(368, 1));
	CHECK(!hist_supports(3687, 99.9) && hist_supports(3688, 99.9));
	CHECK(hist_supports(1, 100) && !hist_supports(9, 101) && !hist_supports(9, -1));
}

int main(void)
{
	slots();
	ranks();
	edges();
	return failed;
}
