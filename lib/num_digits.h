/* L0: sixteen decimal digits at a time, for num_format. */
#ifndef IPCTAX_NUM_DIGITS_H
#define IPCTAX_NUM_DIGITS_H

#include <stdint.h>
#include <string.h>

/* Two numbers of eight digits in ASCII, the first digit in the lowest byte. */
struct num_digits {
	uint64_t high, low;
	int n; /* significant ones, trailing zeros left off; 0 where all are 0 */
};

#if defined __SSE2__ && !defined NUM_PORTABLE
#include <emmintrin.h>

/* Each step splits all lanes: quotient below, remainder above it. */
static inline struct num_digits num_digits16(uint32_t high, uint32_t low)
{
	__m128i v = _mm_set_epi64x(low, high);
	/* v / 10000 = v * 3518437209 / 2^45 for v < 10^8 */
	__m128i q = _mm_srli_epi64(_mm_mul_epu32(v, _mm_set1_epi64x(3518437209)), 45);
	struct num_digits d;
	unsigned nonzero;

	v = _mm_or_si128(
	    q, _mm_slli_epi64(_mm_sub_epi64(v, _mm_mul_epu32(q, _mm_set1_epi64x(10000))), 32));
	/* v / 100 = v * 5243 / 2^19 for v < 10^4 */
	q = _mm_srli_epi16(_mm_mulhi_epu16(v, _mm_set1_epi32(5243)), 3);
	v = _mm_or_si128(
	    q, _mm_slli_epi32(_mm_sub_epi16(v, _mm_mullo_epi16(q, _mm_set1_epi32(100))), 16));
	/* v / 10 = v * 6554 / 2^16 for v < 100 */
	q = _mm_mulhi_epu16(v, _mm_set1_epi16(6554));
	v = _mm_or_si128(
	    q, _mm_slli_epi16(_mm_sub_epi16(v, _mm_mullo_epi16(q, _mm_set1_epi16(10))), 8));
	nonzero = 0xffff & ~(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128()));
	d.n = 31 - __builtin_clz(nonzero << 1 | 1);
	v = _mm_or_si128(v, _mm_set1_epi8('0'));
	d.high = (uint64_t)_mm_cvtsi128_si64(v);
	d.low = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(v, v));
	return d;
}

#else

/* Eight digits as bytes 0 to 9: fours, pairs, singles, the quotient below the remainder. */
static inline uint64_t num_digits8(uint64_t v)
{
	uint64_t q = v / 10000;

	v = q | (v - q * 10000) << 32;
	q = ((v * 10486) >> 20) & 0x0000007f0000007f;
	v = q | (v - q * 100) << 16;
	q = ((v * 103) >> 10) & 0x000f000f000f000f;
	return q | (v - q * 10) << 8;
}

static inline struct num_digits num_digits16(uint32_t high, uint32_t low)
{
	const uint64_t ascii = 0x3030303030303030;
	uint64_t h = num_digits8(high), l = num_digits8(low);
	int n = l ? 16 - __builtin_clzll(l) / 8 : h ? 8 - __builtin_clzll(h) / 8 : 0;

	return (struct num_digits){h | ascii, l | ascii, n};
}

#endif
#endif
