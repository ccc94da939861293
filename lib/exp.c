#include "lib/exp.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#if defined __FAST_MATH__ || FLT_EVAL_METHOD != 0
#error "each operation must be rounded once, to binary64"
#endif

/*
 * Fast path: x = k ln2/64 + r, |r| < 0.0055; 2^(j/64) (j = k mod 64) from the
 * table times a polynomial in r, in double-double, then the exponent. Ziv's
 * rounding test tells whether the error bound can have mattered; where it can,
 * or where bits are lost to a subnormal, the wide evaluation decides.
 */

struct dd {
	double hi, lo; /* hi + lo, unevaluated */
};

/* Knuth: the sum exactly. */
static struct dd two_sum(double a, double b)
{
	double s = a + b, t = s - a;

	return (struct dd){s, (a - (s - t)) + (b - t)};
}

/* Dekker: the same where |a| >= |b| or a is 0. */
static struct dd fast_two_sum(double a, double b)
{
	double s = a + b;

	return (struct dd){s, b - (s - a)};
}

/* Veltkamp: the upper 26 bits and the rest. */
static struct dd split(double a)
{
	double t = a * 0x1.0000002p+27, hi = t - (t - a);

	return (struct dd){hi, a - hi};
}

/* Dekker: the product exactly, no FMA needed. */
static struct dd two_product(double a, double b)
{
	double p = a * b;
	struct dd x = split(a), y = split(b);

	return (struct dd){p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

static double from_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* 2^e for -1022 <= e <= 1023. */
static double power_of_2(int e)
{
	return from_bits((uint64_t)(e + 1023) << 52);
}

/* ln2/64 in three parts, the first two of 36 bits: times |k| < 2^17 they are exact. */
#define LN2_1 0x1.62e42fefap-7
#define LN2_2 0x1.cf79abc9ep-46
#define LN2_3 0x1.d9cc01f97b57ap-85

/* x - k ln2/64 to about 2^-113; the first difference, a multiple of 2^-60 below 2^-7, is exact. */
static struct dd reduce(double x, double k)
{
	struct dd r = two_sum(x - k * LN2_1, -(k * LN2_2));

	return fast_two_sum(r.hi, r.lo - k * LN2_3);
}

/*
 * e^r - 1 for |r| < 0.0055: r + r^2/2 in double-double, the rest, below 2^-25,
 * in binary64. Cut after r^8/8!, below 2^-86; roundings below 2^-75.
 */
static struct dd expm1_small(struct dd r)
{
	double h = r.hi;
	struct dd square = two_product(h, h);
	struct dd s = fast_two_sum(h, 0.5 * square.hi);
	double rest = 1.0 / 720 + h * (1.0 / 5040 + h * (1.0 / 40320));

	rest = h * square.hi * (1.0 / 6 + h * (1.0 / 24 + h * (1.0 / 120 + h * rest)));
	s.lo += rest + (0.5 * square.lo + (r.lo + h * r.lo));
	return s;
}

/* Of y below, which is between 0.99 and 2: half a dozen roundings of what is below 2^-23 and those
 * of expm1_small stay under 2^-72. */
#define ERROR_BOUND 0x1p-68

double exp_rounded(double x)
{
	if (x != x)
		return x;
	if (x > 0x1.62e42fefa39efp+9) /* ln(2^1024) rounded down: beyond it rounds to infinity */
		return from_bits(0x7ff0000000000000);
	if (x < -746.0) /* below half the least subnormal */
		return 0.0;
	if (x >= -0x1p-54 && x < 0x1p-53) /* closer to 1 than to its neighbours */
		return 1.0;
	if (x < -708.0) /* may be subnormal */
		return exp_wide(x);

	/* Adding 1.5*2^52 rounds to an integer. */
	double k = x * 0x1.71547652b82fep+6 + 0x1.8p+52 - 0x1.8p+52;
	int n = (int)k, j = n & 63, e = (n - j) / 64;
	struct dd p = expm1_small(reduce(x, k));
	const double *t = exp_table[j];
	struct dd product = two_product(t[0], p.hi);
	struct dd y = fast_two_sum(t[0], product.hi);

	y = fast_two_sum(y.hi, y.lo + (product.lo + (t[1] + (t[0] * p.lo + t[1] * p.hi))));

	double above = y.hi + (y.lo + ERROR_BOUND), below = y.hi + (y.lo - ERROR_BOUND);

	if (above != below)
		return exp_wide(x);
	/* In two steps: 2^1024 is no binary64, but e^x below it can be. */
	return e > 1023 ? above * power_of_2(1023) * 2.0 : above * power_of_2(e);
}
