/* L1: how far apart two processors are: the round trip of a cache line between them. */
#ifndef IPCTAX_WITNESS_H
#define IPCTAX_WITNESS_H

#include "lib/err.h"

#include <stdint.h>

/*
 * Two processors of one virtual machine are at times threads of one core,
 * at times cores apart, and the host changes that within a run. What depends
 * on cache lines that cross is comparable only where a witness before and
 * after says that the processors stayed where they were.
 */
struct witness {
	int cpu[2];
	uint32_t n;            /* round trips behind each figure */
	uint64_t one_line_ns;  /* median: one line that both write in turn */
	uint64_t two_lines_ns; /* median: a line each way, as in a pair of rings */
};

/*
 * Round trips at or below this (two lines, medians that include one clock
 * reading) are called near. Virtual processors here: near 63 to 180 ns, far
 * from 400 on; t/unit/bench_ring.c prints both.
 */
#define WITNESS_NEAR_NS 250u

enum witness_place { WITNESS_NEAR, WITNESS_FAR };

/*
 * Bounces lines between threads of its own, pinned to cpu_a and cpu_b, n round
 * trips of each kind (at most 65536), each timed alone with one reading of the
 * clock, as a load generator times its calls. Takes well below 100 ms for n =
 * 10000; gives up after 2 s. 0, or -1 with *e: one processor, one that is not
 * allowed, or one so busy that there was no time.
 */
int witness_measure(struct witness *w, int cpu_a, int cpu_b, uint32_t n, struct err *e);

enum witness_place witness_place(const struct witness *w);

/* "near" or "far". */
const char *witness_place_name(enum witness_place place);

/* Whether the processors moved between two witnesses: the place, or the two-line median by half. */
int witness_moved(const struct witness *before, const struct witness *after);

#endif
