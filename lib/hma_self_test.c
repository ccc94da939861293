#include "lib/hma.h"
#include "lib/hma_exact.h"

#include <math.h>
#include <string.h>

enum { BARS = 320, SETS = 4, MAX_WINDOW = 40, ROOM = 12288 };

/* A walk with a flat stretch; a wild one has a step of a million, a last digit to and fro, a hole.
 */
static void make_series(double *c, int wild)
{
	uint32_t state = 1;

	c[0] = 100;
	for (int i = 1; i < BARS; i++) {
		state = state * 1664525u + 1013904223u;
		c[i] = c[i - 1] + ((double)(state >> 8) - 0x1p23) * 0x1p-25;
		if (i >= 80 && i < 150)
			c[i] = c[i - 1];
		if (wild && (i == 180 || i == 181))
			c[i] = i == 180 ? c[i - 1] * 1e6 : c[i - 2];
		if (wild && i >= 220 && i < 250)
			c[i] = 100 + i % 2 * 0x1p-46;
	}
	if (wild)
		c[BARS - 30] = NAN;
}

int hma_self_test(enum hma_kernel k)
{
	const struct hma_set sets[SETS] = {{1, 2, 1, 1, 1, 2}, {3, 6, 2, 1, 2, 3},
	    {10, 20, 4, 3, 5, 10}, {20, MAX_WINDOW, 6, 7, 10, 20}};
	_Alignas(64) double scratch[ROOM];
	struct hma_result want[SETS], got[SETS];
	double closes[BARS];

	if (hma_scratch_size(k, BARS, MAX_WINDOW) > sizeof scratch ||
	    hma_scratch_size(HMA_REFERENCE, BARS, MAX_WINDOW) > sizeof scratch)
		return -1;
	for (int wild = 0; wild <= 1; wild++) {
		make_series(closes, wild);
		hma_sweep(HMA_REFERENCE, closes, BARS, sets, SETS, 0.09, scratch, want);
		hma_sweep(k, closes, BARS, sets, SETS, 0.09, scratch, got);
		if (memcmp(want, got, sizeof want) != 0)
			return -1;
	}
	return 0;
}
