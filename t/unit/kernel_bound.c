/*
 * kernel_bound [CASES [SEED]]: the two halves of filtered's bound against
 * extended precision: the fast HMA3 - HMA, and the definition's, each compared with the
 * true value at every bar. Prints how much of each half was ever used.
 */
#include "t/unit/kernel_series.h"
#include "lib/hma_filtered.h"
#include "lib/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { BARS_MAX = 3000 };

static long double used_fixed, used_reference;

/* At place p of x: the average in the definition's order and precision, or in a wider one. */
static double wma(const double *x, int64_t w)
{
	double sum = 0;

	for (int64_t j = 0; j < w; j++)
		sum += x[j - w + 1] * (double)(j + 1);
	return sum / hma_weight_sum(w);
}

static long double wide_wma(const long double *x, int64_t w)
{
	long double sum = 0;

	for (int64_t j = 0; j < w; j++)
		sum += x[j - w + 1] * (long double)(j + 1);
	return sum / ((long double)w * (long double)(w + 1) / 2);
}

/* HMA3 - HMA at every bar of a block: x the closes, true of closes less the origin. */
struct values {
	double definition[BARS_MAX];
	long double truth[BARS_MAX];
};

static void evaluate(const struct block *b, const struct hma_set *s, struct values *v)
{
	static double raw[2 * BARS_MAX], raw3[2 * BARS_MAX];
	static long double x[2 * BARS_MAX], wide[2 * BARS_MAX], wide3[2 * BARS_MAX];
	const size_t closes = (size_t)hma_max(s->half, s->full) - 1;
	const size_t closes3 = (size_t)hma_max(s->third3, hma_max(s->half3, s->full3)) - 1;

	for (size_t i = 0; i < b->places; i++)
		x[i] = (long double)b->x[i] - (long double)b->origin;
	for (size_t i = closes; i < b->places; i++) {
		raw[i] = hma_raw(wma(b->x + i, s->half), wma(b->x + i, s->full));
		wide[i] = 2 * wide_wma(x + i, s->half) - wide_wma(x + i, s->full);
	}
	for (size_t i = closes3; i < b->places; i++) {
		raw3[i] = hma_raw3(
		    wma(b->x + i, s->third3), wma(b->x + i, s->half3), wma(b->x + i, s->full3));
		wide3[i] = 3 * wide_wma(x + i, s->third3) - wide_wma(x + i, s->half3) -
			   wide_wma(x + i, s->full3);
	}
	for (size_t i = 0; i < b->bars; i++) {
		const size_t at = b->lead + i;

		v->definition[i] = wma(raw3 + at, s->full3) - wma(raw + at, s->sqrt);
		v->truth[i] = wide_wma(wide3 + at, s->full3) - wide_wma(wide + at, s->sqrt);
	}
}

static int block_holds(const struct block *b, const struct hma_filter *f, struct decision *d)
{
	static struct values v;
	const double reference = f->reference * b->largest;

	struct filter_terms terms;

	filter_terms_init(&terms, f);
	evaluate(b, &f->set, &v);
	filter_evaluate(b, f, 0, d);
	for (size_t i = 0; i < b->bars; i++) {
		const vec fast = filter_difference(&terms, d->u + b->lead + i, d->hma3 + i);
		const long double off =
		    fabsl((long double)fast[0] - v.truth[i] * (long double)b->scale);
		const long double off_reference = fabsl((long double)v.definition[i] - v.truth[i]);

		if (b->first + i + 1 < (size_t)hma_reach(&f->set))
			continue;
		used_fixed = fmaxl(used_fixed, off / (long double)f->fixed);
		used_reference = fmaxl(used_reference, off_reference / (long double)reference);
		if (off > (long double)f->fixed || off_reference > (long double)reference)
			return 0;
	}
	return 1;
}

static int holds(uint64_t seed)
{
	static double closes[BARS_MAX], memory[40 * BARS_MAX];
	static const enum series_kind kinds[] = {
	    WALK, CENTS, STEPPED, TREND, ILLIQUID, SIGNED, POWERS};
	uint64_t r = seed;
	const enum series_kind kind = kinds[below(&r, sizeof kinds / sizeof kinds[0])];
	const size_t n = 400 + below(&r, BARS_MAX / 2);
	struct hma_set s = hma_set_of_length((int64_t)(1 + below(&r, 150)));
	double *scratch = memory;
	struct hma_filter f;
	struct decision d;
	struct block b;

	if (below(&r, 3) == 0)
		s = (struct hma_set){(int64_t)(1 + below(&r, 60)), (int64_t)(1 + below(&r, 60)),
		    (int64_t)(1 + below(&r, 60)), (int64_t)(1 + below(&r, 60)),
		    (int64_t)(1 + below(&r, 60)), (int64_t)(1 + below(&r, 60))};
	series_fill(kind, closes, n, &r);
	block_init(&b, n, (size_t)hma_reach(&s), &scratch);
	decision_init(&d, &b, &scratch);
	hma_filter_init(&f, &s, b.half, b.bits);
	for (size_t t = 0; t < n; t += b.most) {
		block_load(&b, closes, n, t);
		decision_forget(&d);
		if (b.finite && !block_holds(&b, &f, &d)) {
			printf("seed %llu kind %d: a bound does not hold\n",
			    (unsigned long long)seed, kind);
			return 0;
		}
	}
	return 1;
}

int main(int argc, char **argv)
{
	const uint64_t cases = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	for (uint64_t i = 0; i < cases; i++)
		if (!holds(seed + i))
			return 1;
	printf("evaluation %.4Lf reference %.4Lf\n", used_fixed, used_reference);
	return 0;
}
