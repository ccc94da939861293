/*
 * L0: sixteen decimal digits at a time, for num_format, and the point among them. All are
 * bytes in the order of the text, whatever holds them.
 */
#ifndef IPCTAX_NUM_DIGITS_H
#define IPCTAX_NUM_DIGITS_H

#include <stdint.h>
#include <string.h>

/* What a point after the first k digits makes of sixteen bytes. */
struct num_shape {
	_Alignas(64) unsigned char before[16]; /* 255 where a digit stays */
	unsigned char behind[16];              /* where the one before comes to stand */
	unsigned char ascii[16];               /* '0', or '.' */
	/* Bit i: digit i is written even where it is a zero that ends the number. */
	uint32_t least;
	uint64_t skip; /* bytes of "0.000000" in front, where k is no more than 0 */
};

#if defined __SSE2__ && !defined NUM_PORTABLE
#include <emmintrin.h>

struct num_digits {
	__m128i v; /* 0 to 9 */
};

static inline __m128i num_load16_aligned(const void *p)
{
	return _mm_load_si128((const __m128i *)p);
}

/* 10 * 2^8 - 1: compilers that saw it would shift and add instead. */
_Alignas(16) extern const uint16_t num_tens[8];

/* The digits of two numbers below 10^8. */
static inline struct num_digits num_digits16(const uint64_t eights[2])
{
	/* Loaded as they may just have been stored. */
	__m128i v = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(const void *)eights),
	    _mm_loadl_epi64((const __m128i *)(const void *)(eights + 1)));
	/* v / 10000 = v * 3518437209 / 2^45 for v < 10^8 */
	__m128i q = _mm_srli_epi64(_mm_mul_epu32(v, _mm_set1_epi64x(3518437209)), 45);

	/* Each step splits all lanes: the quotient below, the remainder above it; the first step
	 * makes them crosswise. */
	v = _mm_add_epi64(v, _mm_mul_epu32(q, _mm_set1_epi64x(((int64_t)1 << 32) - 10000)));
	v = _mm_shuffle_epi32(v, _MM_SHUFFLE(2, 3, 0, 1));
	/* v / 100 = v * 5243 / 2^19 for v < 10^4 */
	q = _mm_srli_epi16(_mm_mulhi_epu16(v, _mm_set1_epi32(5243)), 3);
	v = _mm_sub_epi16(v, _mm_mullo_epi16(q, _mm_set1_epi32(100)));
	v = _mm_or_si128(q, _mm_slli_epi32(v, 16));
	/* v / 10 = v * 6554 / 2^16 for v < 100 */
	q = _mm_mulhi_epu16(v, _mm_set1_epi16(6554));
	v = _mm_sub_epi16(_mm_slli_epi16(v, 8), _mm_mullo_epi16(q, num_load16_aligned(num_tens)));
	return (struct num_digits){v};
}

/* Bit i: digit i is not 0. */
static inline unsigned num_digits_nonzero(struct num_digits d)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(d.v, _mm_setzero_si128()));
}

static inline void num_digits_put(char *dst, struct num_digits d)
{
	_mm_storeu_si128((__m128i *)(void *)dst, _mm_or_si128(d.v, _mm_set1_epi8('0')));
}

/* The first sixteen bytes of the digits and their point. */
static inline void num_digits_put_point(char *dst, struct num_digits d, const struct num_shape *s)
{
	__m128i before = _mm_and_si128(d.v, num_load16_aligned(s->before));
	__m128i behind = _mm_and_si128(_mm_slli_si128(d.v, 1), num_load16_aligned(s->behind));
	__m128i v = _mm_or_si128(_mm_or_si128(before, behind), num_load16_aligned(s->ascii));

	_mm_storeu_si128((__m128i *)(void *)dst, v);
}

#else

struct num_digits {
	uint64_t high, low; /* 0 to 9, the first digit in the lowest byte of high */
};

/* Eight digits: fours, pairs, singles, the quotient below the remainder. */
static inline uint64_t num_digits8(uint64_t v)
{
	uint64_t q = v / 10000;

	v = q | (v - q * 10000) << 32;
	q = ((v * 10486) >> 20) & 0x0000007f0000007f;
	v = q | (v - q * 100) << 16;
	q = ((v * 103) >> 10) & 0x000f000f000f000f;
	return q | (v - q * 10) << 8;
}

static inline struct num_digits num_digits16(const uint64_t eights[2])
{
	return (struct num_digits){num_digits8(eights[0]), num_digits8(eights[1])};
}

static inline unsigned num_digits_nonzero8(uint64_t w)
{
	/* The high bit of a byte tells, without a carry into the next. */
	w = (w + 0x7f7f7f7f7f7f7f7f) & 0x8080808080808080;
	return (unsigned)((w >> 7) * 0x0102040810204080 >> 56);
}

static inline unsigned num_digits_nonzero(struct num_digits d)
{
	return num_digits_nonzero8(d.high) | num_digits_nonzero8(d.low) << 8;
}

static inline void num_digits_put(char *dst, struct num_digits d)
{
	d.high |= 0x3030303030303030;
	d.low |= 0x3030303030303030;
	memcpy(dst, &d.high, 8);
	memcpy(dst + 8, &d.low, 8);
}

static inline void num_digits_put_point(char *dst, struct num_digits d, const struct num_shape *s)
{
	uint64_t before[2], behind[2], ascii[2];

	memcpy(before, s->before, 16);
	memcpy(behind, s->behind, 16);
	memcpy(ascii, s->ascii, 16);
	ascii[0] |= (d.high & before[0]) | (d.high << 8 & behind[0]);
	ascii[1] |= (d.low & before[1]) | ((d.low << 8 | d.high >> 56) & behind[1]);
	memcpy(dst, ascii, 16);
}

#endif
#endif
