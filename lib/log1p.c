#include "lib/log1p.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined __FAST_MATH__ || FLT_EVAL_METHOD != 0
#error "each operation must be rounded once, to binary64"
#endif

/* ln2 in two parts, the first short enough that k times it is exact. */
#define LN2_HI 0x1.62e42feep-1
#define LN2_LO 0x1.a39ef35793c76p-33

/* 1+x = 2^k (1+f) with sqrt(1/2) < 1+f < sqrt(2), and what rounding 1+x lost. */
struct reduced {
	double f, k, lost;
	int f_tiny; /* |f| < 2^-20 */
};

static struct reduced reduce(double x)
{
	struct reduced r = {.f = x};
	double u = 1.0 + x;
	uint64_t bits;
	int k;

	if (x > -0x1.2bec4p-2 && x < 0x1.a827ap-2)
		return r;
	if (x >= 0x1p53)
		u = x;
	memcpy(&bits, &u, sizeof bits);
	k = (int)(bits >> 52) - 1023;
	if (x < 0x1p53)
		r.lost = (k > 0 ? 1.0 - (u - x) : x - (u - 1.0)) / u;
	bits = (bits & 0xfffffffffffff) | (uint64_t)1023 << 52;
	memcpy(&u, &bits, sizeof u);
	r.f_tiny = u < 0x1.00001p+0 || u >= 0x1.ffffdp+0;
	if (u >= 0x1.6a09ep+0) {
		u *= 0.5;
		k++;
	}
	r.f = u - 1.0;
	r.k = k;
	return r;
}

/*
 * What log(1+f) = f - f^2/2 + s (f^2/2 + R) needs, s = f/(2+f): R, even in s, a
 * minimax polynomial of fdlibm, by Horner's rule.
 */
static double remainder_of(double s)
{
	static const double c[] = {0x1.2f112df3e5244p-3, 0x1.39a09d078c69fp-3, 0x1.7466496cb03dep-3,
	    0x1.c71c51d8e78afp-3, 0x1.2492494229359p-2, 0x1.999999997fa04p-2, 0x1.5555555555593p-1};
	double z = s * s, sum = c[0];

	for (int i = 1; i < 7; i++)
		sum = c[i] + z * sum;
	return z * sum;
}

double log1p_fixed(double x)
{
	if (x != x || x < -1.0)
		return NAN;
	if (x == -1.0)
		return -HUGE_VAL;
	if (x == HUGE_VAL)
		return x;
	if (x > -0x1p-54 && x < 0x1p-54)
		return x;
	if (x > -0x1p-29 && x < 0x1p-29)
		return x - x * x * 0.5;

	struct reduced r = reduce(x);
	double half_square = 0.5 * r.f * r.f, s, p;

	if (r.f_tiny && r.f == 0.0)
		return r.k * LN2_HI + (r.lost + r.k * LN2_LO);
	if (r.f_tiny) {
		p = half_square * (1.0 - 0.66666666666666666 * r.f);
		return r.k == 0.0 ? r.f - p : r.k * LN2_HI - ((p - (r.k * LN2_LO + r.lost)) - r.f);
	}
	s = r.f / (2.0 + r.f);
	p = s * (half_square + remainder_of(s));
	if (r.k == 0.0)
		return r.f - (half_square - p);
	return r.k * LN2_HI - ((half_square - (p + (r.k * LN2_LO + r.lost))) - r.f);
}
