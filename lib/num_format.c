#include "lib/bytes.h"
#include "lib/num.h"
#include "lib/num_write.h"

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

/* Behind d.ddd: e-nnn; returns the end. */
static char *put_exponent(char *dst, int exponent)
{
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

/* Any but those of num_cut; `odd` as for num_write_all. Returns the end. */
__attribute__((noinline)) static char *any(char *dst, uint64_t bits, const char *odd)
{
	uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
	unsigned biased = (unsigned)(bits >> 52) & 0x7ff;
	struct decimal s;
	struct num_cut c;
	char *end;

	if (biased == 0x7ff && odd)
		return (char *)memcpy(dst, odd, strlen(odd)) + strlen(odd);
	if (biased != 0x7ff || fraction == 0) {
		*dst = '-';
		dst += bits >> 63;
	}
	if (biased == 0x7ff || (biased | fraction) == 0) {
		memcpy(dst, biased == 0 ? "0.0" : fraction ? "nan" : "inf", 3);
		return dst + 3;
	}
	s = shortest(fraction, biased);
	while (s.digits < SEVENTEEN) {
		s.digits *= 10;
		s.exponent--;
	}
	s.exponent += 16;
	c = num_cut_at(s.digits / 10, s.digits % 10, 1);
	if (s.exponent >= -5 && s.exponent < NUM_SHAPE_MAX) {
		c.k += s.exponent;
		return num_lay_out(dst, &c);
	}
	if (s.exponent == NUM_SHAPE_MAX) {
		num_digits_put(dst, num_digits16(c.eights));
		dst[16] = '.';
		dst[17] = (char)('0' + c.one);
		return dst + 18;
	}
	end = num_lay_out(dst, &c);
	/* A lone digit has no point here. */
	if (end == dst + 3 && dst[2] == '0')
		end = dst + 1;
	return put_exponent(end, s.exponent);
}

static inline char *put(char *dst, uint64_t bits, const struct num_cut *c, const char *odd)
{
	if (__builtin_expect(c->k == NUM_CUT_NOT, 0))
		return any(dst, bits, odd);
	*dst = '-';
	return num_lay_out(dst + (bits >> 63), c);
}

size_t num_format(char *dst, double x)
{
	struct num_cut c;
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	num_cut(&c, bits);
	return (size_t)(put(dst, bits, &c, NULL) - dst);
}

#define AT_ONCE 32 /* numbers cut before the first of them is put */

/*
 * All are cut, then all are put: the processor has more numbers under way in either of two short
 * chains of instructions than in one long one.
 */
char *num_write_all(char *dst, const void *x, size_t n, char behind, const char *odd)
{
	struct num_cut c[AT_ONCE];
	const unsigned char *p = x;

	for (size_t few; n; n -= few) {
		few = n < AT_ONCE ? n : AT_ONCE;
		for (size_t i = 0; i < few; i++)
			num_cut(c + i, get_u64(p + 8 * i));
		for (size_t i = 0; i < few; i++, p += 8) {
			dst = put(dst, get_u64(p), c + i, odd);
			*dst++ = behind;
		}
	}
	return dst;
}
