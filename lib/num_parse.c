#include "lib/num.h"
#include "lib/num_big.h"
#include "lib/num_plain.h"

#include <string.h>

/* What stands there, before it is a binary64. */
struct scan {
	const char *digits; /* from the first digit or point */
	size_t len;         /* to the last */
	uint64_t d;         /* the number without its point, modulo 2^64 */
	int64_t count;      /* digits, leading zeros too */
	int64_t exponent;   /* value d * 10^exponent */
	int minus;
};

/* Appends the digits at p to *d, eight at a time while eight bytes are there. */
static inline const char *take_digits(const char *p, const char *end, uint64_t *d)
{
	static const uint32_t pow10[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
	uint64_t w, other;

	while (end - p >= 8) {
		memcpy(&w, p, 8);
		/* The lowest byte that is no digit gets its high bit; carries only go up. */
		other = ((w + 0x4646464646464646) | (w - 0x3030303030303030)) & 0x8080808080808080;
		w -= 0x3030303030303030;
		if (other) {
			int k = __builtin_ctzll(other) / 8;

			/* Twice, as k may be 0: the first k bytes go to the end, zeros before. */
			*d = *d * pow10[k] + num_join8(w << 8 << (56 - 8 * k));
			return p + k;
		}
		*d = *d * 100000000 + num_join8(w);
		p += 8;
	}
	for (; p < end && (unsigned char)(*p - '0') <= 9; p++)
		*d = *d * 10 + (uint64_t)(*p - '0');
	return p;
}

/* [+-]digits behind an e; where none stand the e is not ours. Saturates far beyond any use. */
static const char *take_exponent(const char *p, const char *end, int64_t *exponent)
{
	const char *q = p + 1;
	int minus = q < end && *q == '-';
	int64_t e = 0;

	if (q < end && (*q == '-' || *q == '+'))
		q++;
	if (q == end || (unsigned char)(*q - '0') > 9)
		return p;
	for (; q < end && (unsigned char)(*q - '0') <= 9; q++)
		if (e < (int64_t)1 << 56)
			e = e * 10 + (*q - '0');
	*exponent += minus ? -e : e;
	return q;
}

/* The end of the number at s, or NULL; strict has RFC 8259's grammar. */
static inline const char *scan(struct scan *c, const char *s, const char *end, int strict)
{
	const char *p = s, *point;

	*c = (struct scan){0};
	if (p < end && (*p == '-' || (*p == '+' && !strict)))
		c->minus = *p++ == '-';
	c->digits = p;
	p = take_digits(p, end, &c->d);
	c->count = p - c->digits;
	if (strict && (c->count == 0 || (*c->digits == '0' && c->count > 1)))
		return NULL;
	if (p < end && *p == '.') {
		point = ++p;
		p = take_digits(p, end, &c->d);
		c->exponent = point - p;
		c->count += p - point;
		if (strict && p == point)
			return NULL;
	}
	if (c->count == 0)
		return NULL;
	c->len = (size_t)(p - c->digits);
	if (p < end && (*p == 'e' || *p == 'E')) {
		point = p;
		p = take_exponent(p, end, &c->exponent);
		if (strict && p == point)
			return NULL;
	}
	return p;
}

/* A binary64 cut from a positive decimal: the bits below it, and what they leave open. */
struct cut {
	uint64_t m;   /* value m * 2^e, rounded down; below 2^53 */
	int e;        /* at least -1074 */
	int half;     /* the next bit */
	int sticky;   /* anything after it */
	int too_near; /* at a midpoint or hardly off it: only exact arithmetic can tell */
};

/* d * 10^p cut, d not 0, p within the table. */
static inline struct cut cut(uint64_t d, int p)
{
	int left = __builtin_clzll(d), top, shift;
	uint64_t x = d << left, out, high, below;
	const uint64_t *pow10 = num_pow10[p - NUM_POW10_MIN];
	struct num_scaled s = num_scale(x, pow10, 0x1ff);
	struct cut c = {0};

	/* x * 10^p has 191 or 192 bits; 53 and one more stay, fewer for a subnormal. */
	top = (int)(s.high >> 63);
	shift = 9 + top;
	c.e = num_log2_pow10(p) - 127 + 128 - left + shift + 1;
	if (c.e < -1074) {
		shift += -1074 - c.e;
		c.e = -1074;
	}
	out = shift > 63 ? UINT64_MAX : ((uint64_t)1 << shift) - 1;
	high = shift > 63 ? 0 : s.high >> shift;
	below = s.high & out;
	c.m = high >> 1;
	c.half = (int)(high & 1);
	c.sticky = below != 0 || s.low != 0;
	if (c.sticky)
		return c;
	/*
	 * Nothing below within the precision. Exact powers tell by their last word; a
	 * negative power of at most 27 means d / 5^-p, which cannot come so near
	 * an integer without being one. All others are never exact and may lie on
	 * either side, which matters at a midpoint only.
	 */
	if (p >= 0 && p <= 55)
		c.sticky = x * pow10[1] != 0;
	else if (p < -27 || p > 55)
		c.too_near = c.half;
	return c;
}

/* To nearest, ties to even; a carry runs into the exponent field as it should. */
static inline uint64_t rounded(const struct cut *c)
{
	uint64_t up = (uint64_t)(c->half & (c->sticky | (int)(c->m & 1)));

	/* m's leading bit adds 1 to the exponent; a subnormal has none, and e is -1074. */
	return ((uint64_t)(c->e + 1074) << 52) + c->m + up;
}

/* Decides by big integers: c is the value cut, from above or from below. */
static uint64_t decide(const struct scan *n, int64_t exponent, struct cut *c)
{
	int order = num_big_compare(n->digits, n->len, exponent, c->m << 1 | 1, c->e - 1);

	c->half = order >= 0;
	c->sticky = order > 0;
	return rounded(c);
}

/* More than 19 digits: the first 19 significant ones, and how much more there is. */
static uint64_t long_number(const struct scan *n)
{
	uint64_t d = 0, low, high;
	int64_t taken = 0, left = n->exponent;
	int more = 0;
	struct cut c, next;

	for (size_t i = 0; i < n->len; i++) {
		unsigned digit = (unsigned char)n->digits[i] - (unsigned)'0';

		if (digit > 9 || (taken == 0 && digit == 0))
			continue;
		if (taken < NUM_PLAIN_DIGITS) {
			d = d * 10 + digit;
			taken++;
		} else {
			more |= digit != 0;
			left++;
		}
	}
	if (d == 0 || left < NUM_POW10_MIN)
		return 0;
	if (left > NUM_POW10_MAX)
		return (uint64_t)0x7ff << 52;
	c = cut(d, (int)left);
	low = rounded(&c);
	high = low;
	if (more) {
		/* Between d and d + 1; they seldom round apart. */
		next = cut(d + 1, (int)left);
		high = rounded(&next);
		if (low == high && !c.too_near && !next.too_near)
			return low;
	} else if (!c.too_near) {
		return low;
	}
	return decide(n, n->exponent, &c);
}

static inline enum num_status parse_other(
    const char *s, size_t n, double *x, size_t *used, int strict)
{
	struct scan c;
	const char *end = scan(&c, s, s + n, strict);
	uint64_t bits;
	struct cut t;

	if (!end) {
		*used = 0;
		return NUM_SYNTAX;
	}
	*used = (size_t)(end - s);
	if (__builtin_expect(c.count > NUM_PLAIN_DIGITS, 0)) {
		bits = long_number(&c);
	} else if (c.d == 0 || c.exponent < NUM_POW10_MIN) {
		bits = 0;
	} else if (c.exponent > NUM_POW10_MAX) {
		bits = (uint64_t)0x7ff << 52;
	} else {
		t = cut(c.d, (int)c.exponent);
		bits = __builtin_expect(t.too_near, 0) ? decide(&c, c.exponent, &t) : rounded(&t);
	}
	if (bits >= (uint64_t)0x7ff << 52)
		return NUM_OVERFLOW;
	bits |= (uint64_t)c.minus << 63;
	memcpy(x, &bits, sizeof bits);
	return NUM_OK;
}

enum num_status num_parse_other(const char *s, size_t n, double *x, size_t *used)
{
	return parse_other(s, n, x, used, 0);
}

enum num_status num_parse_strict_other(const char *s, size_t n, double *x, size_t *used)
{
	return parse_other(s, n, x, used, 1);
}

/* 1 with *x and *used, or 0. */
static inline int parse_plain(const char *s, size_t n, double *x, size_t *used)
{
	struct num_plain c;
	uint64_t others, sign = 0, bits;
	const char *p = s;

	if (n < NUM_PLAIN_ONE)
		return 0;
	others = num_plain_others(p, NUM_PLAIN_ONE);
	if (__builtin_expect(others & 1, 0)) {
		if (*p != '-')
			return 0;
		sign = (uint64_t)1 << 63;
		others >>= 1;
		p++;
	}
	if (!num_plain_find(&c, p, others) || (p[c.n] | 32) == 'e' || !num_plain_value(&c, &bits))
		return 0;
	bits |= sign;
	memcpy(x, &bits, sizeof bits);
	*used = (size_t)(p - s) + c.n;
	return 1;
}

enum num_status num_parse(const char *s, size_t n, double *x, size_t *used)
{
	return parse_plain(s, n, x, used) ? NUM_OK : num_parse_other(s, n, x, used);
}

enum num_status num_parse_strict(const char *s, size_t n, double *x, size_t *used)
{
	return parse_plain(s, n, x, used) ? NUM_OK : num_parse_strict_other(s, n, x, used);
}
