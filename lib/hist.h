/*
 * L0: a histogram of nanoseconds: fixed memory, 3 significant digits from 1 ns to
 * HIST_RANGE (73 minutes), exact count, sum, least and greatest.
 *
 * Values below 2048 have a counter each; above, each power of two is cut in
 * 1024 equal steps, so a counter is never wider than a thousandth of its value.
 */
#ifndef IPCTAX_HIST_H
#define IPCTAX_HIST_H

#include <stddef.h>
#include <stdint.h>

#define HIST_SUB_BITS 10 /* steps in a power of two: 2^10 */
#define HIST_RANGE_BITS 42
#define HIST_RANGE ((uint64_t)1 << HIST_RANGE_BITS) /* first value that is counted apart */
#define HIST_SLOTS ((size_t)(HIST_RANGE_BITS - HIST_SUB_BITS + 1) << HIST_SUB_BITS)

/* About 264 KiB: from mem_alloc or static, not on a stack. One writer. */
struct hist {
	uint64_t n;        /* values recorded, overflow and zeros included, negatives not */
	uint64_t overflow; /* at or above HIST_RANGE: in n, sum, min and max, in no slot */
	uint64_t zero;     /* equal to 0: a clock too coarse to be trusted here */
	uint64_t negative; /* below 0: recorded nowhere else; flag the run */
	uint64_t min, max; /* of n values; min is UINT64_MAX and max 0 while n is 0 */
	uint64_t sum, sum_high;
	uint64_t slot[HIST_SLOTS];
};

void hist_reset(struct hist *h);

static inline size_t hist_index(uint64_t ns)
{
	unsigned shift;

	if (ns < (uint64_t)2 << HIST_SUB_BITS)
		return (size_t)ns;
	shift = 63u - (unsigned)__builtin_clzll(ns) - HIST_SUB_BITS;
	return ((size_t)shift << HIST_SUB_BITS) + (size_t)(ns >> shift);
}

/* Records one difference of two clock readings. No allocation, no loop. */
static inline void hist_record(struct hist *h, int64_t delta_ns)
{
	uint64_t ns = (uint64_t)delta_ns;

	if (delta_ns < 0) {
		h->negative++;
		return;
	}
	h->n++;
	h->zero += ns == 0;
	h->sum += ns;
	h->sum_high += h->sum < ns;
	if (ns < h->min)
		h->min = ns;
	if (ns > h->max)
		h->max = ns;
	if (ns < HIST_RANGE)
		h->slot[hist_index(ns)]++;
	else
		h->overflow++;
}

/* Adds everything in `from` to `to`. */
void hist_merge(struct hist *to, const struct hist *from);

/* The least and greatest values that slot i counts. */
uint64_t hist_slot_low(size_t i);
uint64_t hist_slot_high(size_t i);

/* Sum over count, ns; 0 where n is 0. */
double hist_mean(const struct hist *h);

/* Standard deviation, ns, from the slots' middles; 0 where n is below 2. */
double hist_stddev(const struct hist *h);

/*
 * Whether n values support percentile p (0..100): whether order statistics
 * give it a two-sided interval of 95 % confidence, q^n <= 0.025 for q = max(p, 100-p)/100.
 * So the median needs 6 values, p99 368, p99.9 3688. 0 and 100, being exact, need one.
 */
int hist_supports(uint64_t n, double p);

/*
 * The value at percentile p: the least v with at least p/100 of all values <= v,
 * to 3 digits, rounded up to its slot's end but never above max. 0; or -1, *ns
 * unset, where n does not support it or the rank lies in the overflow.
 */
int hist_percentile(const struct hist *h, double p, uint64_t *ns);

/* The value at rank (1..n), as above; -1 outside or in the overflow. Rank n is max, always. */
int hist_at_rank(const struct hist *h, uint64_t rank, uint64_t *ns);

#endif
