#include "lib/num.h"
#include "lib/num_pow10.h"

#include <string.h>

struct decimal {
	uint64_t digits; /* below 10^17, not zero */
	int exponent;    /* value digits * 10^exponent */
};

/*
 * floor(2v) in all bits but the lowest, which tells whether anything was cut off:
 * four times v as far as rounding cares. num_pow10.py --prove shows that the
 * products are wide enough for that at every exponent.
 */
static inline uint64_t quarters(uint64_t x, const uint64_t *pow10, int shift)
{
	uint64_t cut = ((uint64_t)1 << shift) - 1;
	struct num_scaled s = num_scale(x, pow10, cut);

	return s.high >> shift << 1 | ((s.high & cut) != 0 || s.low != 0);
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
	int left = __builtin_clzll(m);
	uint64_t x = m << left, half = (uint64_t)1 << (left - 1), odd = m & 1;
	const uint64_t *pow10 = num_pow10[p - NUM_POW10_MIN];
	/* x * pow10 >> 128 is v * 2^(this much); one bit less keeps 2v. */
	int shift = -(e - left + num_log2_pow10(p) - 127 + 128) - 1;
	uint64_t min = (quarters(x - (near ? half >> 1 : half), pow10, shift) + 3 + odd) >> 2;
	uint64_t max = (quarters(x + half, pow10, shift) - odd) >> 2;
	uint64_t tens = max / 10 * 10, mid;

	if (tens >= min)
		return (struct decimal){tens, -p};
	mid = quarters(x, pow10, shift);
	mid = (mid + 1 + ((mid >> 2) & 1)) >> 2;
	return (struct decimal){mid < min ? min : mid, -p};
}

/* Eight decimal digits as bytes 0 to 9, the first in the lowest byte: pairs, then singles. */
static inline uint64_t eight(uint64_t v)
{
	uint64_t q = v / 10000, high;

	v = q | (v - q * 10000) << 32;
	high = ((v * 10486) >> 20) & 0x0000007f0000007f;
	v = high | (v - high * 100) << 16;
	high = ((v * 103) >> 10) & 0x000f000f000f000f;
	return high | (v - high * 10) << 8;
}

#define ASCII 0x3030303030303030u

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
	uint64_t a = v / 10000000000000000u, rest = v - a * 10000000000000000u;
	uint64_t b = rest / 100000000, c = rest - b * 100000000;
	uint64_t bb = eight(b), cc = eight(c);
	int n = cc ? 17 - __builtin_clzll(cc) / 8 : bb ? 9 - __builtin_clzll(bb) / 8 : 1;

	return (struct digits){a + '0', bb | ASCII, cc | ASCII, n};
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
	while (s.digits < 10000000000000000u) {
		s.digits *= 10;
		s.exponent--;
	}
	d = split(s.digits);
	return (size_t)(lay_out(dst, &d, s.exponent + 16) - start);
}
