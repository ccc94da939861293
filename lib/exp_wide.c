#include "lib/exp.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/*
 * e^x by integers alone: x = k ln2 + r, 0 <= r < ln2, and Taylor's series in
 * fixed point. The error is below 2^-200, while no binary64 but 0 has an e^x
 * closer than 2^-158 (relative) to a number of up to 54 bits, where roundings turn
 * (V. Lefevre, J.-M. Muller: Worst cases for correct rounding of the
 * elementary functions in double precision, ARITH-15, 2001).
 */

#define LIMBS 8 /* of 32 bits, highest first: one integer, seven fraction */
#define FRACTION_BITS (32 * (LIMBS - 1))

struct wide {
	uint32_t limb[LIMBS];
};

static const struct wide ln2 = {
    {0, 0xb17217f7, 0xd1cf79ab, 0xc9e3b398, 0x03f2f6af, 0x40f34326, 0x7298b62d, 0x8a0d175b}};

static struct wide add(struct wide a, const struct wide *b)
{
	uint64_t carry = 0;

	for (int i = LIMBS; i-- > 0; carry >>= 32) {
		carry += (uint64_t)a.limb[i] + b->limb[i];
		a.limb[i] = (uint32_t)carry;
	}
	return a;
}

/* a - b modulo 2^32: below zero shows in the sign. */
static struct wide subtract(struct wide a, const struct wide *b)
{
	uint64_t borrow = 0;

	for (int i = LIMBS; i-- > 0;) {
		uint64_t d = (uint64_t)a.limb[i] - b->limb[i] - borrow;

		a.limb[i] = (uint32_t)d;
		borrow = d >> 63;
	}
	return a;
}

static int negative(const struct wide *a)
{
	return a->limb[0] >> 31;
}

static struct wide times_small(struct wide a, uint32_t m)
{
	uint64_t carry = 0;

	for (int i = LIMBS; i-- > 0; carry >>= 32) {
		carry += (uint64_t)a.limb[i] * m;
		a.limb[i] = (uint32_t)carry;
	}
	return a;
}

static struct wide divide_small(struct wide a, uint32_t d)
{
	uint64_t rest = 0;

	for (int i = 0; i < LIMBS; i++) {
		rest = rest << 32 | a.limb[i];
		a.limb[i] = (uint32_t)(rest / d);
		rest %= d;
	}
	return a;
}

/* a * b, cut; both at least 0 and the product below 2^32. */
static struct wide multiply(const struct wide *a, const struct wide *b)
{
	uint32_t product[2 * LIMBS] = {0}; /* product[0] stays 0 */
	struct wide r;

	for (int i = LIMBS; i-- > 0;) {
		uint64_t carry = 0;

		for (int j = LIMBS; j-- > 0; carry >>= 32) {
			carry += (uint64_t)a->limb[i] * b->limb[j] + product[i + j + 1];
			product[i + j + 1] = (uint32_t)carry;
		}
		product[i] = (uint32_t)carry;
	}
	memcpy(r.limb, product + 1, sizeof r.limb);
	return r;
}

/* |x| exactly; 2^-54 <= |x| < 2^10, so that no bit lies below the fraction. */
static struct wide from_double(double x)
{
	uint64_t bits, m;
	struct wide r = {{0}};
	int at, limb;

	memcpy(&bits, &x, sizeof bits);
	m = (bits & 0xfffffffffffff) | 0x10000000000000;
	at = (int)(bits >> 52 & 2047) - 1075 + FRACTION_BITS; /* of the lowest bit of m */
	limb = LIMBS - 1 - at / 32;
	at %= 32;
	r.limb[limb] = (uint32_t)(m << at);
	r.limb[limb - 1] = (uint32_t)(m << at >> 32);
	if (at && limb > 1)
		r.limb[limb - 2] = (uint32_t)(m >> 32 >> (32 - at));
	return r;
}

/* r in 0 ... ln2 and k with x = k ln2 + r. */
static struct wide reduce(double x, int *k)
{
	struct wide a = from_double(x), b, r;

	*k = (int)(x * 0x1.71547652b82fep+0) - (x < 0); /* the floor, or one beside it */
	b = times_small(ln2, (uint32_t)(*k < 0 ? -*k : *k));
	r = x < 0 ? subtract(b, &a) : subtract(a, &b);
	if (negative(&r)) {
		r = add(r, &ln2);
		--*k;
	}
	a = subtract(r, &ln2);
	if (!negative(&a)) {
		r = a;
		++*k;
	}
	return r;
}

double exp_wide(double x)
{
	struct wide y = {{1}}, r;
	uint64_t high, bits;
	int k, kept;

	if (x > -0x1p-54 && x < 0x1p-54)
		return 1.0;
	if (x > 710.0 || x < -746.0)
		x = x < 0 ? -746.0 : 710.0;
	r = reduce(x, &k);
	/* Horner from 1/48!: what is cut is below 0.7^49/49! < 2^-230. */
	for (uint32_t n = 48; n; n--) {
		y = divide_small(multiply(&r, &y), n);
		y.limb[0]++;
	}
	/* y is in 1 ... 2, its first bit the lowest of the integer limb. */
	high = (uint64_t)1 << 63 | (uint64_t)y.limb[1] << 31 | y.limb[2] >> 1;
	kept = k < -1022 ? 1075 + k : 53;
	if (k > 1023)
		return HUGE_VAL;
	if (kept < 0)
		return 0.0;
	/* Never a tie, since e^x is irrational. A carry moves on into the exponent, as it should.
	 */
	bits = ((high >> (63 - kept)) + 1) >> 1;
	if (k >= -1022)
		bits += (uint64_t)(k + 1022) << 52;
	memcpy(&x, &bits, sizeof x);
	return x;
}
