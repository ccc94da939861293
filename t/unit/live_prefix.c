/*
 * live_prefix: series of every kind, a few sets; after each tick live must have
 * reference's bytes for the closes so far. Silent when all do.
 */
#include "t/unit/kernel_series.h"
#include "lib/hma.h"
#include "lib/mem.h"

#include <stdio.h>

enum { BARS = 150, SETS = 6 };

static int every_prefix(enum series_kind kind, const struct hma_set *set, double fee)
{
	static double scratch[8 * BARS];
	double closes[BARS];
	struct hma_result want, got;
	uint64_t r = (uint64_t)kind;
	void *memory = mem_alloc(hma_live_size(set));
	struct hma_live *l;

	if (!memory)
		return 0;
	l = hma_live_init(memory, set, fee);
	series_fill(kind, closes, BARS, &r);
	for (size_t n = 0; n <= BARS; n++) {
		hma_live_tick(l, n ? closes + n - 1 : closes, n != 0, &got);
		hma_sweep(HMA_REFERENCE, closes, n, set, 1, fee, scratch, &want);
		if (memcmp(&got, &want, sizeof got) != 0) {
			printf("kind %d full %lld bars %zu: live %.17g %lld %lld, reference %.17g "
			       "%lld %lld\n",
			    kind, (long long)set->full, n, got.pnl, (long long)got.trades,
			    (long long)got.side, want.pnl, (long long)want.trades,
			    (long long)want.side);
			return 0;
		}
	}
	mem_free(memory);
	return 1;
}

int main(void)
{
	const struct hma_set sets[SETS] = {{1, 1, 1, 1, 1, 1}, {3, 6, 2, 1, 2, 3},
	    {12, 25, 5, 4, 6, 12}, {9, 4, 30, 20, 3, 2}, {2, 150, 1, 1, 1, 1},
	    {151, 2, 1, 1, 1, 1}};

	for (int kind = 0; kind < SERIES_KINDS; kind++)
		for (int i = 0; i < SETS; i++)
			if (!every_prefix((enum series_kind)kind, &sets[i], i % 2 ? 0.09 : 0))
				return 1;
	/* A state no memory could hold. */
	if (hma_live_size(&(struct hma_set){INT64_MAX, 1, 1, 1, 1, 1}) != 0 ||
	    hma_live_size(
		&(struct hma_set){INT64_MAX / 8, INT64_MAX / 8, INT64_MAX / 8, 1, 1, 1}) != 0) {
		puts("hma_live_size overflowed");
		return 1;
	}
	return 0;
}
