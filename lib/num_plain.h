/*
 * L0: numbers of the usual shape read at a glance, for loops over many. A window of bytes is told
 * into digits and others at once, and each number is read as 19 digits whatever
 * its length, so that neither work nor a branch depends on it. All else is num.h's.
 */
#ifndef IPCTAX_NUM_PLAIN_H
#define IPCTAX_NUM_PLAIN_H

#include "lib/num.h"
#include "lib/num_pow10.h"

#include <stddef.h>
#include <string.h>

#define NUM_PLAIN_DIGITS 19 /* as many always fit 64 bits */
/* Bytes that must be there, with the sign and what follows the number. */
#define NUM_PLAIN_ONE 24
#define NUM_PLAIN_TWO 48 /* for two, the second right behind what follows the first */

/*
 * The two loops. From *at on, which is where a number may begin, numbers are stored at x (at most
 * max, of any alignment) as long as they are plain and not near the end; returns how many.
 * List: JSON's numbers, each with a comma and the spaces behind it; *at moves behind
 * the last number, before its comma. Lines: numbers above 0, each with its
 * LF or CRLF; *at moves behind the last line.
 */
size_t num_plain_list(const char **at, const char *end, unsigned char *x, size_t max);
size_t num_plain_lines(const char **at, const char *end, unsigned char *x, size_t max);

/* num_parse and num_parse_strict for what has been found not plain: they do not look again. */
enum num_status num_parse_other(const char *s, size_t n, double *x, size_t *used);
enum num_status num_parse_strict_other(const char *s, size_t n, double *x, size_t *used);

/* Where a number stands, from its first digit on. */
struct num_plain {
	const char *p;
	size_t before, n; /* digits before the point; bytes */
};

static inline uint64_t num_load8(const void *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
	return w;
}

/* Four digits as bytes 0 to 9, the first lowest: pairs, four. */
static inline uint32_t num_join4(uint32_t w)
{
	w = (w * (1 + (10 << 8)) >> 8) & 0x00ff00ff;
	return w * (1 + (100 << 16)) >> 16;
}

/* Eight of them. */
static inline uint64_t num_join8(uint64_t w)
{
	w = w * 10 + (w >> 8);
	return ((w & 0x000000ff000000ff) * (100 + ((uint64_t)1000000 << 32)) +
		   ((w >> 16) & 0x000000ff000000ff) * (1 + ((uint64_t)10000 << 32))) >>
	       32;
}

/* In one place, so that one register finds them. */
struct num_plain_table {
	/* 20 of 0x0f, then 0: loaded k before the zeros, what leaves the values of k digits. */
	unsigned char keep[64];
	/* By digits before the point, the exponent field of a product with its highest bit set. */
	uint64_t exponent[16];
	/* 1 + 10 * 2^8: compilers that saw it would shift and add instead. */
	uint16_t pairs[8];
};
extern const struct num_plain_table num_plain_table;

static inline const unsigned char *num_plain_kept(size_t k)
{
	return num_plain_table.keep + NUM_PLAIN_DIGITS + 1 - k;
}

#if defined __SSE2__ && !defined NUM_PORTABLE
#include <emmintrin.h>

#define NUM_PLAIN_BEFORE 14 /* digits before the point at most */

static inline __m128i num_load16(const void *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

/* Bit i: byte i is a digit. Only digits become the ten highest signed values. */
static inline uint64_t num_plain_mask(__m128i v)
{
	v = _mm_cmpgt_epi8(_mm_add_epi8(v, _mm_set1_epi8(0x7f - '9')), _mm_set1_epi8(0x7f - 10));
	return (unsigned)_mm_movemask_epi8(v);
}

/* Bit i: byte i of so many bytes is no digit; all bits above them. */
static inline uint64_t num_plain_others(const char *p, unsigned bytes)
{
	uint64_t digits = num_plain_mask(num_load16(p));

	if (bytes == NUM_PLAIN_ONE)
		digits |= num_plain_mask(_mm_loadl_epi64((const __m128i *)(const void *)(p + 16)))
			  << 16;
	for (unsigned i = 16; i + 16 <= bytes; i += 16)
		digits |= num_plain_mask(num_load16(p + i)) << i;
	return ~digits;
}

/* The first 16 bytes of the number without the point, as 15 digits: zeros follow where it ends. */
static inline uint64_t num_plain_head(const struct num_plain *c)
{
	__m128i v = _mm_and_si128(num_load16(c->p), num_load16(num_plain_kept(c->n)));
	__m128i whole = num_load16(num_plain_kept(c->before + 1));
	__m128i pairs = _mm_load_si128((const __m128i *)(const void *)num_plain_table.pairs);
	uint64_t eights;

	v = _mm_or_si128(_mm_and_si128(_mm_slli_si128(v, 1), whole), _mm_andnot_si128(whole, v));
	v = _mm_srli_epi16(_mm_mullo_epi16(v, pairs), 8);
	v = _mm_madd_epi16(v, _mm_set1_epi32(100 | 1 << 16));
	v = _mm_madd_epi16(_mm_packs_epi32(v, v), _mm_set1_epi32(10000 | 1 << 16));
	eights = (uint64_t)_mm_cvtsi128_si64(v);
	return (eights & UINT32_MAX) * 100000000 + (eights >> 32);
}

#else

#define NUM_PLAIN_BEFORE 7

static inline uint64_t num_plain_others(const char *p, unsigned bytes)
{
	uint64_t others = ~(uint64_t)0 << (bytes - 1) << 1, w;

	for (unsigned i = 0; i < bytes; i += 8) {
		/* The high bit of a byte tells, without a carry into the next. */
		w = num_load8(p + i) ^ 0x3030303030303030;
		w = (((w & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | w) & 0x8080808080808080;
		others |= (w >> 7) * 0x0102040810204080 >> 56 << i;
	}
	return others;
}

static inline uint64_t num_plain_head(const struct num_plain *c)
{
	const unsigned char *keep = num_plain_kept(c->n);
	uint64_t w = num_load8(c->p) & num_load8(keep);
	uint64_t more = num_load8(c->p + 8) & num_load8(keep + 8);
	uint64_t whole = num_load8(num_plain_kept(c->before + 1));

	return num_join8((w << 8 & whole) | (w & ~whole)) * 100000000 + num_join8(more);
}

#endif

/*
 * Finds the number whose first digit is at p: digits [. digits], not too long: 1, or 0. What
 * follows, an exponent say, is the caller's to judge.
 */
static inline int num_plain_find(struct num_plain *c, const char *p, uint64_t others)
{
	c->p = p;
	c->before = (unsigned)__builtin_ctzll(others);
	if (c->before - 1 >= NUM_PLAIN_BEFORE)
		return 0;
	c->n = c->before;
	if (__builtin_expect(p[c->before] != '.', 0))
		return 1;
	c->n = (unsigned)__builtin_ctzll(others & (others - 1));
	return c->n != c->before + 1 && c->n <= NUM_PLAIN_DIGITS + 1;
}

/* Its value as a binary64's bits: 1; or 0, where it has zeros in front that RFC 8259 forbids. */
__attribute__((always_inline)) static inline int num_plain_value(
    const struct num_plain *c, uint64_t *bits)
{
	const uint64_t *pow10 = (num_pow10 + (-NUM_PLAIN_DIGITS - NUM_POW10_MIN))[c->before];
	uint64_t exponent = num_plain_table.exponent[c->before], d, top;
	uint32_t last, keep;
	unsigned left;
	num_u128 product;

	memcpy(&last, c->p + 16, sizeof last);
	memcpy(&keep, num_plain_kept(c->n) + 16, sizeof keep);
	d = num_plain_head(c) * 10000 + num_join4(last & keep);
	if (__builtin_expect(*c->p == '0', 0)) {
		if (c->before > 1)
			return 0;
		*bits = 0;
		if (d == 0)
			return 1;
		/* Below 10^18, too few bits for what follows. */
		left = (unsigned)__builtin_clzll(d);
		d <<= left;
		exponent -= (uint64_t)left << 52;
	}
	product = (num_u128)d * pow10[0];
	top = (uint64_t)(product >> 64);
	left = (unsigned)__builtin_clzll(top);
	top <<= left;
	/*
	 * The product is too large by less than one of its upper word, of which these bits are
	 * known. That matters only where they look like a tie: the next bit set, none behind it. A
	 * real tie never does: with 54 bits and j decimals it is above 2^53 / 2^j, which
	 * within 19 digits leaves j < 5 and so 15 digits before the point. What is
	 * none lies off by 2^-114 or more, and two words tell.
	 */
	if (__builtin_expect((top & 0x7ff) == 0x400, 0)) {
		product -= ((num_u128)d * pow10[1] + UINT64_MAX) >> 64;
		top = (uint64_t)(product >> 64) << left;
	}
	/* The bit below 53 decides; all are normal, and far from either end. */
	*bits = (((top >> 10) + 1) >> 1) + exponent - ((uint64_t)left << 52);
	return 1;
}

#endif
