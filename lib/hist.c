#include "lib/hist.h"

#include <math.h>
#include <string.h>

void hist_reset(struct hist *h)
{
	memset(h, 0, sizeof *h);
	h->min = UINT64_MAX;
}

void hist_merge(struct hist *to, const struct hist *from)
{
	size_t i;

	to->n += from->n;
	to->overflow += from->overflow;
	to->zero += from->zero;
	to->negative += from->negative;
	to->sum += from->sum;
	to->sum_high += from->sum_high + (to->sum < from->sum);
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	for (i = 0; i < HIST_SLOTS; i++)
		to->slot[i] += from->slot[i];
}

/* How far slot i's values were shifted right, and what was left: the inverse of hist_index. */
static unsigned slot_shift(size_t i)
{
	return i < (size_t)2 << HIST_SUB_BITS ? 0 : (unsigned)(i >> HIST_SUB_BITS) - 1;
}

uint64_t hist_slot_low(size_t i)
{
	unsigned shift = slot_shift(i);

	return (uint64_t)(i - ((size_t)shift << HIST_SUB_BITS)) << shift;
}

uint64_t hist_slot_high(size_t i)
{
	return hist_slot_low(i) + (((uint64_t)1 << slot_shift(i)) - 1);
}

double hist_mean(const struct hist *h)
{
	return h->n ? ((double)h->sum_high * 0x1p64 + (double)h->sum) / (double)h->n : 0;
}

double hist_stddev(const struct hist *h)
{
	double mean = hist_mean(h), squares = 0, d;
	size_t i;

	if (h->n < 2)
		return 0;
	for (i = 0; i < HIST_SLOTS; i++) {
		if (!h->slot[i])
			continue;
		d = 0.5 * ((double)hist_slot_low(i) + (double)hist_slot_high(i)) - mean;
		squares += d * d * (double)h->slot[i];
	}
	return sqrt(squares / (double)(h->n - 1));
}

int hist_supports(uint64_t n, double p)
{
	double q = (p > 50 ? p : 100 - p) / 100;

	if (n == 0 || !(p >= 0 && p <= 100))
		return 0;
	return q >= 1 || (double)n * log(q) <= log(0.025);
}

int hist_at_rank(const struct hist *h, uint64_t rank, uint64_t *ns)
{
	uint64_t seen = 0, high;
	size_t i;

	if (rank < 1 || rank > h->n)
		return -1;
	if (rank == h->n) {
		*ns = h->max;
		return 0;
	}
	for (i = 0; i < HIST_SLOTS; i++) {
		seen += h->slot[i];
		if (seen < rank)
			continue;
		high = hist_slot_high(i);
		*ns = high < h->max ? high : h->max;
		return 0;
	}
	return -1;
}

int hist_percentile(const struct hist *h, double p, uint64_t *ns)
{
	double rank;

	if (!hist_supports(h->n, p))
		return -1;
	if (p == 0) {
		*ns = h->min;
		return 0;
	}
	rank = ceil(p / 100 * (double)h->n);
	return hist_at_rank(h, rank < 1 ? 1 : rank >= (double)h->n ? h->n : (uint64_t)rank, ns);
}
