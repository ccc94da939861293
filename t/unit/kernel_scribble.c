/*
 * kernel_scribble: a thread writes any bits into the closes while every kernel sweeps
 * them. The result is some result; what counts is that it comes, from within
 * bounds (run it instrumented too), and that it is not absurd.
 */
#include "t/unit/kernel_series.h"
#include "lib/hma.h"
#include "lib/mem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { BARS = 2500, SETS = 3, ROUNDS = 20 };

static double *closes;
static atomic_int done;

static void *scribble(void *unused)
{
	uint64_t r = 1;

	(void)unused;
	for (size_t i = 0; !atomic_load_explicit(&done, memory_order_relaxed); i++) {
		const uint64_t bits = draw(&r);
		double x = 100 + (double)(bits >> 40) * 0x1p-24;

		if (i % 1000 == 0)
			memcpy(&x, &bits, sizeof x);
		*(volatile double *)&closes[bits % BARS] = x;
	}
	return NULL;
}

static int sane(enum hma_kernel k, const struct hma_set *sets, void *scratch)
{
	struct hma_result rows[SETS];

	hma_sweep(k, closes, BARS, sets, SETS, 0.09, scratch, rows);
	for (int i = 0; i < SETS; i++)
		if (rows[i].trades < 0 || rows[i].trades >= BARS || rows[i].side < -1 ||
		    rows[i].side > 1)
			return 0;
	return 1;
}

int main(void)
{
	static const char *const isas[] = {"scalar", "sse2", "avx2", "neon"};
	const struct hma_set sets[SETS] = {
	    {3, 6, 2, 1, 2, 3}, {12, 25, 5, 4, 6, 12}, {50, 100, 10, 17, 25, 50}};
	uint64_t r = 2;
	pthread_t t;

	closes = mem_alloc(BARS * sizeof *closes);
	if (!closes)
		return 1;
	series_fill(WALK, closes, BARS, &r);
	if (pthread_create(&t, NULL, scribble, NULL) != 0)
		return 1;
	for (int k = 0; k <= HMA_FILTERED; k++)
		for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
			void *scratch = mem_alloc(hma_scratch_size((enum hma_kernel)k, BARS, 100));

			if (!scratch)
				return 1;
			for (int round = 0; round < ROUNDS && hma_isa_force(isas[i]) == 0; round++)
				if (!sane((enum hma_kernel)k, sets, scratch)) {
					printf("%s %s: absurd\n", isas[i],
					    hma_kernel_name((enum hma_kernel)k));
					return 1;
				}
			mem_free(scratch);
		}
	atomic_store(&done, 1);
	pthread_join(t, NULL);
	mem_free(closes);
	return 0;
}
