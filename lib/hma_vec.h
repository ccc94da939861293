/*
 * L2: the few vector operations the fast kernels are written in. A source that
 * includes them defines HMA_LANES (binary64 a vector) and may define HMA_FMA
 * where its instruction set fuses; on its own this is portable code.
 */
#ifndef IPCTAX_HMA_VEC_H
#define IPCTAX_HMA_VEC_H

#include "lib/hma_exact.h"

#include <stdint.h>
#include <string.h>

#ifndef HMA_LANES
#define HMA_LANES 2
#endif
#ifdef __x86_64__
#include <immintrin.h>
#endif
#ifdef __aarch64__
#include <arm_neon.h>
#endif

#define LANES HMA_LANES
/* Loops over the accumulators must become registers. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#define UNROLL_SOME _Pragma("clang loop unroll_count(4)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#define UNROLL_SOME _Pragma("GCC unroll 4")
#endif

typedef double vec __attribute__((vector_size(8 * LANES)));
typedef int64_t ivec __attribute__((vector_size(8 * LANES)));

static inline vec vec_load(const double *p)
{
	vec v;

	memcpy(&v, p, sizeof v);
	return v;
}

static inline void vec_store(double *p, vec v)
{
	memcpy(p, &v, sizeof v);
}

static inline vec vec_set(double x)
{
	return x - (vec){0};
}

/* a * b + c, rounded once or twice: only where the error bound covers both. */
static inline vec vec_fma(vec a, vec b, vec c)
{
#if defined HMA_FMA && defined __x86_64__
	return _mm256_fmadd_pd(a, b, c);
#elif defined HMA_FMA && defined __aarch64__
	return vfmaq_f64(c, a, b);
#else
	return a * b + c;
#endif
}

static inline vec vec_select(ivec mask, vec yes, vec no)
{
	return (vec)((mask & (ivec)yes) | (~mask & (ivec)no));
}

static inline vec vec_min(vec a, vec b)
{
#if defined __x86_64__ && HMA_LANES == 4
	return _mm256_min_pd(a, b);
#elif defined __x86_64__ && HMA_LANES == 2
	return _mm_min_pd(a, b);
#else
	return vec_select(a < b, a, b);
#endif
}

static inline vec vec_max(vec a, vec b)
{
#if defined __x86_64__ && HMA_LANES == 4
	return _mm256_max_pd(a, b);
#elif defined __x86_64__ && HMA_LANES == 2
	return _mm_max_pd(a, b);
#else
	return vec_select(a > b, a, b);
#endif
}

static inline vec vec_abs(vec a)
{
	return (vec)((ivec)a & INT64_MAX);
}

/* The sign bits, lane 0 in bit 0. */
static inline uint64_t vec_signs(ivec a)
{
#if defined __x86_64__ && HMA_LANES == 4
	return (uint64_t)_mm256_movemask_pd((vec)a);
#elif defined __x86_64__ && HMA_LANES == 2
	return (uint64_t)_mm_movemask_pd((vec)a);
#else
	uint64_t bits = 0;

	for (int i = 0; i < LANES; i++)
		bits |= (uint64_t)(a[i] < 0) << i;
	return bits;
#endif
}

#endif
