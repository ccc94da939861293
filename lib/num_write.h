/*
 * L0: numbers of the usual size written by one exact product, without a branch that depends on
 * their digits. All else is num.h's.
 */
#ifndef IPCTAX_NUM_WRITE_H
#define IPCTAX_NUM_WRITE_H

#include "lib/num_digits.h"
#include "lib/num_pow10.h"

#include <stddef.h>

/*
 * Writes n binary64 from x, of any alignment, each as num_format does with the byte `behind`
 * behind it, at dst, where NUM_MAX + 1 bytes a number are; `odd` instead of nan and infinities,
 * where it is not NULL (at most NUM_MAX bytes, no NUL is written). Returns the end.
 */
char *num_write_all(char *dst, const void *x, size_t n, char behind, const char *odd);

#define NUM_SHAPE_MIN (-4) /* 0.00001 */
#define NUM_SHAPE_MAX 15

/* By how many digits are before the point, or -k, how many zeros are behind it. */
extern const struct num_shape num_shapes[NUM_SHAPE_MAX - NUM_SHAPE_MIN + 1];

#define NUM_CUT_NOT (NUM_SHAPE_MAX + 1)

/* A number cut into what becomes text: seventeen digits, a point after the first k. */
struct num_cut {
	uint64_t eights[2], one; /* the digits by eight, eight and one */
	int64_t k;               /* NUM_CUT_NOT: it is not plain, nothing else is set */
};

/* Of v, below 10^16, and one digit more. */
static inline struct num_cut num_cut_at(uint64_t v, uint64_t one, int64_t k)
{
	uint64_t high = v / 100000000;

	return (struct num_cut){{high, v - high * 100000000}, one, k};
}

/* As text, zeros at the end left off: returns its end. Writes 24 bytes at most. */
static inline char *num_lay_out(char *dst, const struct num_cut *c)
{
	const struct num_shape *shape = num_shapes + (c->k - NUM_SHAPE_MIN);
	struct num_digits d = num_digits16(c->eights);
	unsigned shown =
	    num_digits_nonzero(d) | (((unsigned)c->one + 15) & 16) << 12 | shape->least;

	memcpy(dst, "0.000000", 8);
	dst += shape->skip;
	/* All digits where they stand behind the point, then those before it. */
	num_digits_put(dst + 1, d);
	dst[17] = (char)('0' + c->one);
	num_digits_put_point(dst, d, shape);
	return dst + 2 + (31 ^ (unsigned)__builtin_clz(shown));
}

/*
 * Cuts x, given as bits whose sign does not matter, where it is plain: between 2^-16 and 2^49 and
 * no power of two (whose neighbours are not equally far).
 *
 * The step to the next binary64 is scaled by a power of ten so that it is from 0.1 to 1: then
 * the numbers that round to x, from half a step below to half a step above, hold at
 * most one integer, which is the shortest if there is one; else the nearest tenth is, being within
 * half a step. At these exponents the scaled step is an exact multiple of 2^-50, so
 * that one product is x, its fraction in all its bits; and no end of the interval is an
 * integer, having one bit more behind the point than x.
 */
__attribute__((always_inline)) static inline void num_cut(struct num_cut *c, uint64_t bits)
{
	const uint64_t hidden = (uint64_t)1 << 52, half = (uint64_t)1 << 59;
	uint64_t m = bits & (hidden - 1), place = (bits >> 52 & 0x7ff) - (1075 + NUM_STEP_MIN);
	uint64_t v, fraction, step, tenths, one, up, few;
	num_u128 product;

	if (__builtin_expect(m == 0 || place > NUM_STEP_MAX - NUM_STEP_MIN, 0)) {
		c->k = NUM_CUT_NOT;
		return;
	}
	step = num_steps[place].step;
	product = (num_u128)(m | hidden) * step;
	v = (uint64_t)(product >> 64);
	fraction = (uint64_t)product;
	/* The digit above 60 bits: the nearest, of two the even one. */
	tenths = (fraction >> 3) * 5;
	one = (tenths + (half - 1) + (tenths >> 60 & 1)) >> 60;
	/* x and half a step: the integer above x is within reach where this passes it, the one
	 * below where less than a step remains. */
	up = fraction + (step >> 1);
	v += up < fraction;
	one &= (uint64_t)(up < step) - 1;
	/* Sixteen digits are as frequent as seventeen: no branch between them. */
	few = 0 - (uint64_t)(v < 1000000000000000);
	v += (v * 9 + one) & few;
	one &= ~few;
	*c = num_cut_at(v, one, num_steps[place].before + (int64_t)few);
}

#endif
