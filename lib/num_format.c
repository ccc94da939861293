#include "lib/num.h"
#include "lib/num_digits.h"
#include "lib/num_pow10.h"

#include <string.h>

struct decimal {
	uint64_t digits; /* below 10^17, not zero */
	int exponent;    /* value digits * 10^exponent */
};

/*
 * x * 10^p is 2v * 2^CUT: floor(2v) in all bits but the lowest, which tells
 * whether anything was cut off: four times v as far as rounding cares.
 * num_pow10.py --prove shows that the products are wide enough for that at
 * every exponent.
 */
#define CUT 6

static inline uint64_t quarters(uint64_t x, const uint64_t *pow10)
{
	uint64_t cut = ((uint64_t)1 << CUT) - 1;
	struct num_scaled s = num_scale(x, pow10, cut);

	return s.high >> CUT << 1 | ((s.high & cut) != 0 || s.low != 0);
}

/*
 * Scales so that the numbers that round to x (from half way to the lower neighbour to half
 * way to the upper) are between 1 and 10 integers wide. Then they hold at most one
 * multiple of ten, which is the shortest if there is one; else all have the
 * same length, and the nearest is wanted.
 */
static inline struct decimal shortest(uint64_t fraction, unsigned biased)
{
	uint64_t m = biased ? fraction | (uint64_t)1 << 52 : fraction;
	int e = biased ? (int)biased - 1075 : -1074;
	/* At a power of two the lower neighbour is half as far. */
	int near = fraction == 0 && biased > 1;
	int p = near ? -num_log10_3_pow2(e) : -num_log10_pow2(e);
	const uint64_t *pow10 = num_pow10[p - NUM_POW10_MIN];
	/* The integer v is below 2^57, so x fits; and it is at least 1, so this is at least 2. */
	int left = e + num_log2_pow10(p) - 127 + 128 + 1 + CUT;
	uint64_t x = m << left, half = (uint64_t)1 << left >> 1, odd = m & 1;
	uint64_t min = (quarters(x - (near ? half >> 1 : half), pow10) + 3 + odd) >> 2;
	uint64_t max = (quarters(x + half, pow10) - odd) >> 2;
	uint64_t tens = max / 10 * 10, mid = quarters(x, pow10);

	if (tens >= min)
		return (struct decimal){tens, -p};
	mid = (mid + 1 + ((mid >> 2) & 1)) >> 2;
	return (struct decimal){mid < min ? min : mid, -p};
}

#define SEVENTEEN 10000000000000000u /* the least of as many digits */

static inline void put8(char *dst, uint64_t w)
{
	memcpy(dst, &w, 8);
}

/* Writes eight digits with a point after the first k, 0 to 7 (the last digit is then lost). */
static inline void put8_point(char *dst, uint64_t w, int k)
{
	uint64_t before = ((uint64_t)1 << 8 * k) - 1;

	put8(dst, (w & before) | (uint64_t)'.' << 8 * k | (w & ~before) << 8);
}

/* Seventeen digits and how many of them are significant. */
struct digits {
	uint64_t a, b, c; /* one, eight, eight, in ASCII */
	int n;
};

static inline struct digits split(uint64_t v)
{
	uint64_t ab = v / 100000000, c = v - ab * 100000000;
	uint64_t a = ab / 100000000, b = ab - a * 100000000;
	struct num_digits d = num_digits16((uint32_t)b, (uint32_t)c);

	return (struct digits){a + '0', d.high, d.low, d.n + 1};
}

/* d.ddde-nnn, dst at its first digit; returns the end. */
static char *scientific(char *dst, const struct digits *d, int exponent)
{
	dst[0] = (char)d->a;
	dst[1] = '.';
	put8(dst + 2, d->b);
	put8(dst + 10, d->c);
	dst += d->n == 1 ? 1 : d->n + 1;
	*dst++ = 'e';
	if (exponent < 0) {
		*dst++ = '-';
		exponent = -exponent;
	}
	if (exponent >= 100)
		*dst++ = (char)('0' + exponent / 100);
	if (exponent >= 10)
		*dst++ = (char)('0' + exponent / 10 % 10);
	*dst++ = (char)('0' + exponent % 10);
	return dst;
}

/* The value d.ddd * 10^exponent; writes up to 26 bytes, of which it returns the end. */
static inline char *lay_out(char *dst, const struct digits *d, int exponent)
{
	if (exponent >= 0 && exponent < 16) {
		/* All digits where they stand behind the point, then those before it. */
		dst[0] = (char)d->a;
		put8(dst + 2, d->b);
		put8(dst + 10, d->c);
		if (exponent < 8) {
			put8_point(dst + 1, d->b, exponent);
		} else {
			put8(dst + 1, d->b);
			put8_point(dst + 9, d->c, exponent - 8);
		}
		return dst + (d->n > exponent + 1 ? d->n + 1 : exponent + 3);
	}
	if (exponent < 0 && exponent >= -5) {
		memcpy(dst, "0.0000", 6);
		dst += 1 - exponent;
		dst[0] = (char)d->a;
		put8(dst + 1, d->b);
		put8(dst + 9, d->c);
		return dst + d->n;
	}
	return scientific(dst, d, exponent);
}

size_t num_format(char *dst, double x)
{
	char *start = dst;
	uint64_t bits, fraction;
	unsigned biased;
	struct decimal s;
	struct digits d;
	int few;

	memcpy(&bits, &x, sizeof bits);
	fraction = bits & (((uint64_t)1 << 52) - 1);
	biased = (unsigned)(bits >> 52) & 0x7ff;
	if (biased == 0x7ff && fraction) {
		memcpy(dst, "nan", 3);
		return 3;
	}
	*dst = '-';
	dst += bits >> 63;
	if (biased == 0x7ff) {
		memcpy(dst, "inf", 3);
		return (size_t)(dst + 3 - start);
	}
	if ((bits << 1) == 0) {
		memcpy(dst, "0.0", 3);
		return (size_t)(dst + 3 - start);
	}
	s = shortest(fraction, biased);
	/* Sixteen digits are as frequent as seventeen: no branch between them. */
	few = s.digits < SEVENTEEN;
	s.digits *= few ? 10 : 1;
	s.exponent -= few;
	while (__builtin_expect(s.digits < SEVENTEEN, 0)) {
		s.digits *= 10;
		s.exponent--;
	}
	d = split(s.digits);
	return (size_t)(lay_out(dst, &d, s.exponent + 16) - start);
}
