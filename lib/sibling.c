#include "lib/sibling.h"
#include "lib/clock.h"
#include "lib/stat.h"

#include <sched.h>
#include <stdint.h>

/* Loops of microseconds, in pairs: an interrupt spoils one, a change of clock none. */
#define STEPS 1000
#define TRIES 5

/* An addition that the compiler can neither drop nor join with the next. */
#define ADD(x)                                  \
	do {                                    \
		(x) += (x);                     \
		__asm__ volatile("" : "+r"(x)); \
	} while (0)

static uint64_t one_chain(void)
{
	uint64_t start = clock_ns(), a = 1;

	for (int i = 0; i < STEPS; i++) {
		ADD(a);
		ADD(a);
		ADD(a);
		ADD(a);
		ADD(a);
		ADD(a);
		ADD(a);
		ADD(a);
	}
	return clock_ns() - start;
}

#define ADD_FOUR()      \
	do {            \
		ADD(a); \
		ADD(b); \
		ADD(c); \
		ADD(d); \
	} while (0)

static uint64_t four_chains(void)
{
	uint64_t start = clock_ns(), a = 1, b = 1, c = 1, d = 1;

	for (int i = 0; i < STEPS; i++) {
		ADD_FOUR();
		ADD_FOUR();
		ADD_FOUR();
		ADD_FOUR();
		ADD_FOUR();
		ADD_FOUR();
		ADD_FOUR();
		ADD_FOUR();
	}
	return clock_ns() - start;
}

double sibling_pressure(void)
{
	double x[TRIES];

	for (int i = 0; i < TRIES; i++) {
		uint64_t one = one_chain(), four = four_chains();

		x[i] = one ? (double)four / (double)one : 1;
	}
	return stat_median(x, TRIES);
}

static int go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof set, &set);
}

double sibling_pressure_both(void)
{
	double here = sibling_pressure(), there = 0;
	int cpu = sched_getcpu(), other = 0;
	cpu_set_t set;

	if (cpu < 0 || sched_getaffinity(0, sizeof set, &set) < 0 || CPU_COUNT(&set) != 2)
		return here;
	while (other == cpu || !CPU_ISSET(other, &set))
		other++;
	if (go_to(other) == 0)
		there = sibling_pressure();
	/* Back first, then free: freed over there it would stay there. */
	go_to(cpu);
	sched_setaffinity(0, sizeof set, &set);
	return here > there ? here : there;
}
