/* L0: the monotonic clock in integer nanoseconds. */
#ifndef IPCTAX_CLOCK_H
#define IPCTAX_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, ns. */
static inline uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Sleeps until the absolute time `ns`, then returns; signals make it return early. */
void clock_sleep_until(uint64_t ns);

/* What the clock itself costs: median ns of a call, and the smallest step above 0 it showed. */
struct clock_cost {
	uint64_t call_ns, step_ns;
};
struct clock_cost clock_measure(void);

#endif
