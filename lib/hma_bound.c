#include "lib/hma_bound.h"
#include "lib/hma_book.h"

#include <math.h>

/* Unit roundoff of binary64. */
#define U 0x1p-53

enum { BITS_MAX = 34, SUM_BITS = 61 };

/* C(h+k-1, k): what k-fold sums of h values of at most 1 can reach. */
static double sums(size_t h, int k)
{
	double c = 1;

	for (int i = 0; i < k; i++)
		c = c * ((double)h + i) / (i + 1);
	return c;
}

int hma_bound_bits(size_t h)
{
	const int bits = SUM_BITS - 1 - ilogb(sums(h, 4));

	return bits < 1 ? 0 : bits > BITS_MAX ? BITS_MAX : bits;
}

/*
 * Adds m WMA_w's terms, of the average whose outer one divides by d, to c[0], c[1] (lags 0 and 1)
 * and *last (lag w + 1); returns the sum of their absolute values.
 */
static double add_average(double m, int64_t w, double d, double *c, double *last)
{
	const double unit = m / (hma_weight_sum(w) * d);

	c[0] += unit * (double)w;
	c[1] -= unit * (double)(w + 1);
	*last = unit;
	return fabs(unit) * 2 * (double)(w + 1);
}

/* Point 3: the error of a d_w WMA_w(P2), and with 4 what a combination of weight a makes of it. */
static double combined(double a, int64_t w, size_t h, double q)
{
	const double p2 = q * sums(h, 2), p3 = q * sums(h, 3), p4 = q * sums(h, 4);
	const double e = U * (3 * (double)w * p3 + 6 * p4);

	return a * (e + 32 * U * (hma_weight_sum(w) * p2 + e));
}

static double least(double a, double b, double c)
{
	return fmin(a, fmin(b, c));
}

/* Point 1: what an error of 1 in P1 can do. */
static double quantised(const struct hma_set *s)
{
	const double half = 1 + (double)s->half, full = 1 + (double)s->full;
	const double third3 = 1 + (double)s->third3, half3 = 1 + (double)s->half3;
	const double full3 = 1 + (double)s->full3, root = 1 + (double)s->sqrt;

	return least(6, 8 / half + 4 / full, 12 / root) +
	       least(10, 12 / third3 + 4 / half3 + 4 / full3, 20 / full3);
}

void hma_filter_init(struct hma_filter *f, const struct hma_set *s, size_t h, int bits)
{
	const double d = hma_weight_sum(s->sqrt), d3 = hma_weight_sum(s->full3), q = ldexp(1, bits);
	double a = 0, a3 = 0;

	*f = (struct hma_filter){.set = *s};
	a += add_average(-2, s->half, d, f->u, &f->u[2]);
	a += add_average(1, s->full, d, f->u, &f->u[3]);
	a3 += add_average(3, s->third3, d3, f->v, &f->v[2]);
	a3 += add_average(-1, s->half3, d3, f->v, &f->v[3]);
	a3 += add_average(-1, s->full3, d3, f->v, &f->v[4]);
	f->fixed = 1.01 * (quantised(s) * (0.5 + ldexp((double)h, -HMA_FRACTION_BITS)) +
			      combined(a, s->sqrt, h, q) + combined(a3, s->full3, h, q));
	f->reference = 1.01 * 1.01 * U *
		       (2 * (double)s->half + (double)s->full + 3 * (double)s->sqrt +
			   3 * (double)s->third3 + (double)s->half3 + 6 * (double)s->full3 + 64);
}

double hma_filter_bound(const struct hma_filter *f, double x, double scale)
{
	return f->fixed + f->reference * x * scale;
}
