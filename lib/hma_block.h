/* L2 template: a block of closes, its origin and scale, and its repeated sums. */
#ifndef IPCTAX_HMA_BLOCK_H
#define IPCTAX_HMA_BLOCK_H

#include "lib/hma_bound.h"
#include "lib/hma_layout.h"
#include "lib/hma_vec.h"

#include <math.h>

/* Bar t lies at x[lead + t - first]; arrays have `places` places and HMA_PAD of room. */
struct block {
	size_t lead, most, places;     /* lead + most = places */
	size_t first, bars;            /* the bars to decide, at most `most` */
	size_t half;                   /* H: no place is further from the centre */
	int bits;                      /* b */
	int finite;                    /* sums are there; 0: not for these closes */
	int counted;                   /* so are runs */
	double largest, origin, scale; /* X, o, S */
	double *x;                     /* closes */
	double *p3, *p4_last;          /* sums, rounded once: P3[i], and P4[i - 1] at i */
	int64_t *y;                    /* scaled closes */
	uint32_t *runs;                /* of equal closes up to here, counted within the block */
};

/* Lays out blocks for n_bars bars of sets that reach at most so far. */
static inline void block_init(struct block *b, size_t n_bars, size_t reach, double **scratch)
{
	b->lead = hma_filter_lead(reach);
	b->most = hma_filter_block(n_bars, reach);
	b->places = b->lead + b->most;
	b->half = b->places - b->places / 2;
	b->bits = hma_bound_bits(b->half);
	b->x = hma_take(scratch, b->places + HMA_PAD);
	b->p3 = hma_take(scratch, b->places + HMA_PAD);
	b->p4_last = hma_take(scratch, b->places + HMA_PAD);
	b->y = (int64_t *)hma_take(scratch, b->places + HMA_PAD);
	b->runs = (uint32_t *)hma_take(scratch, b->places + HMA_PAD);
}

/* Copies the closes once; before the series its first stands, behind it its last. */
static inline void block_copy(struct block *b, const double *closes, size_t n_bars)
{
	const size_t before = b->first < b->lead ? b->lead - b->first : 0;
	const size_t there = n_bars + b->lead - b->first - before;
	const size_t room = b->places + HMA_PAD,
		     end = before + there < room ? before + there : room;

	memcpy(
	    b->x + before, closes + (b->first + before - b->lead), (end - before) * sizeof *b->x);
	for (size_t i = 0; i < before; i++)
		b->x[i] = b->x[before];
	for (size_t i = end; i < room; i++)
		b->x[i] = b->x[end - 1];
}

/* The extremes of the closes; 0 where one is not finite. */
static inline int block_range(const struct block *b, double *least, double *most)
{
	/* Two of each, so that they need not wait for each other. */
	vec low[2], high[2], bad[2];
	const double *x = b->x;

	for (int k = 0; k < 2; k++) {
		low[k] = high[k] = vec_load(x);
		bad[k] = (vec){0};
	}
	for (size_t i = 0; i < b->places; i += 2 * LANES) {
		UNROLL
		for (int k = 0; k < 2; k++) {
			const vec v = vec_load(x + i + k * LANES);

			low[k] = vec_min(low[k], v);
			high[k] = vec_max(high[k], v);
			bad[k] += v - v;
		}
	}
	low[0] = vec_min(low[0], low[1]);
	high[0] = vec_max(high[0], high[1]);
	bad[0] += bad[1];
	*least = low[0][0];
	*most = high[0][0];
	for (int i = 0; i < LANES; i++) {
		*least = low[0][i] < *least ? low[0][i] : *least;
		*most = high[0][i] > *most ? high[0][i] : *most;
		if (!(bad[0][i] == 0))
			return 0;
	}
	return 1;
}

/* y = rint((x - o) S 2^16): adding 1.5 2^52 rounds to an integer and leaves it in the low bits. */
static inline void block_quantise(const struct block *b)
{
	const vec magic = vec_set(0x1.8p52), origin = vec_set(b->origin);
	const vec scale = vec_set(ldexp(b->scale, HMA_FRACTION_BITS));
	const double *x = b->x;
	int64_t *out = b->y;

	for (size_t i = 0; i < b->places; i += LANES) {
		const ivec y = (ivec)((vec_load(x + i) - origin) * scale + magic) - (ivec)magic;

		memcpy(out + i, &y, sizeof y);
	}
}

/* Chooses origin and scale, and makes y; 0 where the closes do not lend themselves. */
static inline int block_scale(struct block *b)
{
	double least, most, spread;
	int exponent;

	if (b->bits == 0 || !block_range(b, &least, &most))
		return 0;
	b->largest = fmax(fabs(least), fabs(most));
	if (b->largest < 0x1p-900 || b->largest > 0x1p900)
		return 0;
	b->origin = least + (most - least) / 2;
	spread = fmax(most - b->origin, b->origin - least);
	if (spread == 0)
		return 0;
	frexp(spread, &exponent);
	if (b->bits - exponent + HMA_FRACTION_BITS > 1000)
		return 0;
	b->scale = ldexp(1, b->bits - exponent);
	block_quantise(b);
	return 1;
}

/* P1 from the sum of y: to the nearest integer. */
static inline int64_t block_p1(int64_t sum)
{
	return (sum + (1 << (HMA_FRACTION_BITS - 1))) >> HMA_FRACTION_BITS;
}

/* P3 and P4, from the centre, where all sums are 0, to both ends. */
static inline void block_sum(struct block *b)
{
	const size_t centre = b->places / 2, places = b->places;
	const int64_t *y = b->y;
	double *s3 = b->p3, *s4 = b->p4_last + 1;
	int64_t sum = 0, p2 = 0, p3 = 0, p4 = 0;

	/* The place before the first is not reached, but read with a vector of others. */
	b->p4_last[0] = 0;
	s3[centre] = s4[centre] = 0;
	for (size_t i = centre + 1; i < places; i++) {
		sum += y[i];
		p2 += block_p1(sum);
		p3 += p2;
		p4 += p3;
		s3[i] = (double)p3;
		s4[i] = (double)p4;
	}
	sum = p2 = p3 = p4 = 0;
	for (size_t i = centre; i > 0; i--) {
		p4 -= p3;
		p3 -= p2;
		p2 -= block_p1(sum);
		sum -= y[i];
		s3[i - 1] = (double)p3;
		s4[i - 1] = (double)p4;
	}
}

/* Takes the block that begins at bar `first`. */
static inline void block_load(struct block *b, const double *closes, size_t n_bars, size_t first)
{
	b->first = first;
	b->bars = n_bars - first < b->most ? n_bars - first : b->most;
	b->counted = 0;
	block_copy(b, closes, n_bars);
	b->finite = block_scale(b);
	if (b->finite)
		block_sum(b);
}

/* Counts runs[i]: how many closes up to place i are the same, bit for bit. */
static inline void block_count_runs(struct block *b)
{
	if (b->counted)
		return;
	b->counted = 1;
	b->runs[0] = 1;
	for (size_t i = 1; i < b->places; i++)
		b->runs[i] =
		    memcmp(&b->x[i], &b->x[i - 1], sizeof *b->x) == 0 ? b->runs[i - 1] + 1 : 1;
}

#endif
