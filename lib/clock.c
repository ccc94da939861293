#include "lib/clock.h"

#include <stdlib.h>

#define ROUNDS 101
#define CALLS 100

void clock_sleep_until(uint64_t ns)
{
	struct timespec t = {
	    .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct clock_cost clock_measure(void)
{
	struct clock_cost c = {0, UINT64_MAX};
	uint64_t per_call[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = clock_ns(), last = start;

		for (int k = 0; k < CALLS; k++) {
			uint64_t now = clock_ns();

			if (now > last && now - last < c.step_ns)
				c.step_ns = now - last;
			last = now;
		}
		per_call[i] = (last - start) / CALLS;
	}
	qsort(per_call, ROUNDS, sizeof per_call[0], by_size);
	c.call_ns = per_call[ROUNDS / 2];
	return c;
}
