/* Series of every kind that has ever upset a kernel, for the tests of lib/hma. */
#ifndef KERNEL_SERIES_H
#define KERNEL_SERIES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum series_kind {
	WALK,
	CENTS,
	ILLIQUID,
	FLAT,
	STEPPED,
	TREND,
	JUMPS,
	ULP,
	ZEROS,
	SIGNED,
	WILD,  /* any bits */
	HOLES, /* a walk with NaN and infinities in it */
	DENORMAL,
	POWERS,
	SERIES_KINDS
};

static inline uint64_t draw(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* Uniform in [0, 1). */
static inline double uniform(uint64_t *state)
{
	return (double)(draw(state) >> 11) * 0x1p-53;
}

static inline uint64_t below(uint64_t *state, uint64_t n)
{
	return draw(state) % n;
}

/* One close of the kind after `last`, the i-th. */
static inline double series_next(enum series_kind kind, size_t i, double last, uint64_t *r)
{
	const double step = uniform(r) - 0.5;
	double x;
	uint64_t bits;

	switch (kind) {
	case WALK: return last * (1 + 0.002 * step);
	case CENTS: return rint(100 * (last + 0.3 * step)) / 100;
	case ILLIQUID: return i % 20 ? last : rint(100 * (last + step)) / 100;
	case FLAT: return last;
	case STEPPED: return below(r, 60) ? last : last * (1 + 0.1 * step);
	case TREND: return last + 0.0625;
	case JUMPS:
		return below(r, 40) ? last * (1 + 0.002 * step) : last * (below(r, 2) ? 1e6 : 1e-6);
	case ULP: return i % 2 ? 100 : 100 + 0x1p-46 * (double)below(r, 2);
	case ZEROS: return below(r, 3) ? 0.0 : below(r, 2) ? -0.0 : step;
	case SIGNED: return step;
	case HOLES:
		if (below(r, 50) == 0)
			return below(r, 2) ? NAN : below(r, 2) ? INFINITY : -INFINITY;
		return 100 + step;
	case DENORMAL: return (double)below(r, 1000) * 0x1p-1074;
	case POWERS: return ldexp(1, (int)below(r, 40) - 20);
	case WILD:
	default:
		bits = draw(r);
		memcpy(&x, &bits, sizeof x);
		return x;
	}
}

static inline void series_fill(enum series_kind kind, double *c, size_t n, uint64_t *r)
{
	double last = 100;

	for (size_t i = 0; i < n; i++) {
		c[i] = series_next(kind, i, last, r);
		last = isfinite(c[i]) ? c[i] : 100;
	}
}

#endif
