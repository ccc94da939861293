/*
 * L0: the one table behind both directions of num.h, and the one primitive.
 * In the spirit of published work on exact conversion with 128-bit powers of ten:
 * U. Adams, Ryu (PLDI 2018); R. Giulietti, The Schubfach way to render doubles (2020);
 * D. Lemire, Number parsing at a gigabyte per second (SPE 2021); R. Cox,
 * Floating-point printing and parsing can be simple and fast (2026).
 */
#ifndef IPCTAX_NUM_POW10_H
#define IPCTAX_NUM_POW10_H

#include <stdint.h>

#define NUM_POW10_MIN (-342)
#define NUM_POW10_MAX 324

/*
 * 10^p = (h * 2^64 - l) * 2^(num_log2_pow10(p) - 127), h and l the two words of
 * the row of p, 2^127 <= h * 2^64 - l < 2^128; rounded up, exact for 0 <= p <= 55.
 */
extern const uint64_t num_pow10[NUM_POW10_MAX - NUM_POW10_MIN + 1][2];

#define NUM_STEP_MIN (-68)
#define NUM_STEP_MAX (-4)

/* Of the binary64 that are whole multiples of 2^e, m * 2^e with 2^52 <= m < 2^53. */
struct num_step {
	uint64_t step; /* 2^(e + 64) * 10^p, exact, where 2^e * 10^p is from 0.1 to 1 */
	int64_t
	    before; /* 16 - p: so many of the 16 digits of floor(m * 2^e * 10^p) are not decimals */
};
extern const struct num_step num_steps[NUM_STEP_MAX - NUM_STEP_MIN + 1];

/* floor(log2(10^p)), for every p of the table. Shifts of negatives are arithmetic here. */
static inline int num_log2_pow10(int p)
{
	return (p * 217706) >> 16;
}

/* floor(log10(2^e)), -1074 <= e < 972. */
static inline int num_log10_pow2(int e)
{
	return (e * 315653) >> 20;
}

/* floor(log10(3/4 * 2^e)), same range. */
static inline int num_log10_3_pow2(int e)
{
	return (e * 631305 - 261663) >> 21;
}

__extension__ typedef unsigned __int128 num_u128;

/*
 * x times the table's 128 bits of a power, of which the upper 128 bits are
 * high:low, above the truth by less than one of low (and not at all where the
 * power is exact). Where the lowest bits of high that the caller will shift out are
 * not all zero, subtracting the correction cannot reach the bits that stay, nor make the
 * rest zero: only then may the second multiplication be left out.
 */
struct num_scaled {
	uint64_t high, low;
};

static inline struct num_scaled num_scale(uint64_t x, const uint64_t pow10[2], uint64_t shifted_out)
{
	num_u128 a = (num_u128)x * pow10[0];
	struct num_scaled s = {(uint64_t)(a >> 64), (uint64_t)a};

	if (__builtin_expect((s.high & shifted_out) == 0, 0)) {
		/* Floor of the difference of x*l / 2^64: rounds the product down, toward the truth.
		 */
		a -= ((num_u128)x * pow10[1] + UINT64_MAX) >> 64;
		s.high = (uint64_t)(a >> 64);
		s.low = (uint64_t)a;
	}
	return s;
}

#endif
