/*
 * bench_kernel [ROUNDS [BARS]]: the kernels against each other, one thread, taking turns
 * within every round so that drift cancels; medians. Processor time of the
 * thread, so that what else runs meanwhile does not count. Not a test: `make bench` runs it.
 */
#include "lib/hma.h"
#include "lib/mem.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MAX = 99, SETS = 80, KERNELS = 4 };

/* A random walk as of the default workload, from a generator of no consequence. */
static void series_random(double *c, size_t n)
{
	uint64_t state = 42;
	double s = 0;

	for (size_t i = 0; i < n; i++) {
		double z = 0;

		for (int k = 0; k < 12; k++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			z += (double)(state >> 11) * 0x1p-53;
		}
		s += 0.0008 * (z - 6);
		c[i] = 100 * exp(s);
	}
}

static void series_cents(double *c, size_t n)
{
	series_random(c, n);
	for (size_t i = 0; i < n; i++)
		c[i] = rint(c[i] * 100) / 100;
}

static void series_illiquid(double *c, size_t n)
{
	series_cents(c, n);
	for (size_t i = 0; i < n; i++)
		c[i] = c[i / 20 * 20];
}

static void series_flat(double *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		c[i] = 100.1;
}

/* Rises for ever: not a trade, so what is left is the evaluation. */
static void series_trend(double *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		c[i] = 100 + 0.001 * (double)i;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* A series and its sets, and what the kernels made of them. */
struct run {
	const double *closes;
	size_t bars;
	struct hma_set sets[SETS];
	struct hma_result rows[KERNELS][SETS];
	double ns[KERNELS][ROUNDS_MAX]; /* a bar and set */
};

static void lengths(struct run *r, int64_t min, int64_t max)
{
	for (int i = 0; i < SETS; i++)
		r->sets[i] = hma_set_of_length(min + i * (max - min) / (SETS - 1));
}

/* One sweep; its round's ns. */
static void once(struct run *r, int k, int round)
{
	void *scratch = mem_alloc(
	    hma_scratch_size((enum hma_kernel)k, r->bars, hma_max_window(r->sets, SETS, r->bars)));
	struct timespec from, to;

	if (!scratch)
		exit(1);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	hma_sweep((enum hma_kernel)k, r->closes, r->bars, r->sets, SETS, 0.09, scratch, r->rows[k]);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	r->ns[k][round] =
	    ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
	    ((double)r->bars * SETS);
	mem_free(scratch);
}

static double trades_a_bar(const struct run *r)
{
	int64_t trades = 0;

	for (int i = 0; i < SETS; i++)
		trades += r->rows[HMA_FILTERED][i].trades;
	return (double)trades / (double)r->bars / SETS;
}

/* The kernels of the mask over one series: ns each, and ratios of what was measured. */
static void compare(struct run *r, const char *name, unsigned kernels, int rounds)
{
	double m[KERNELS] = {0};

	for (int round = 0; round < rounds; round++)
		for (int j = 0; j < KERNELS; j++) {
			const int k = round % 2 ? KERNELS - 1 - j : j;

			if (kernels >> k & 1)
				once(r, k, round);
		}
	printf("%-10s", name);
	for (int k = 0; k < KERNELS; k++) {
		m[k] = kernels >> k & 1 ? median(r->ns[k], rounds) : 0;
		printf(m[k] > 0 ? " %10.3f" : "          -", m[k]);
	}
	if (m[HMA_REFERENCE] > 0)
		printf(" %8.1f %8.1f", m[HMA_REFERENCE] / m[HMA_VECTOR],
		    m[HMA_REFERENCE] / m[HMA_FILTERED]);
	else
		printf("        -        -");
	printf(" %8.1f %8.4f\n", m[HMA_VECTOR] / m[HMA_FILTERED], trades_a_bar(r));
	fflush(stdout);
	for (int k = 0; k < KERNELS; k++)
		if (m[k] > 0 && memcmp(r->rows[k], r->rows[HMA_FILTERED], sizeof r->rows[k]) != 0) {
			fprintf(stderr, "bench_kernel: %s: %s differs\n", name,
			    hma_kernel_name((enum hma_kernel)k));
			exit(1);
		}
}

/* 80 lengths in a row from `min` on, over so many bars: with trades and without. */
struct place {
	int64_t min;
	size_t bars;
	struct run walk, trend;
};

/*
 * Filtered alone at several places in turn, on a walk and on a trend: the difference
 * is the trades. Then how much longer than the shortest the longest is, without them.
 */
static void evaluation(struct place *p, int n, const double *walk, const double *trend, int rounds)
{
	double least = INFINITY, most = 0;

	for (int i = 0; i < n; i++) {
		p[i].walk.closes = walk;
		p[i].trend.closes = trend;
		p[i].walk.bars = p[i].trend.bars = p[i].bars;
		lengths(&p[i].walk, p[i].min, p[i].min + SETS - 1);
		lengths(&p[i].trend, p[i].min, p[i].min + SETS - 1);
	}
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < n; i++) {
			once(&p[i].walk, HMA_FILTERED, round);
			once(&p[i].trend, HMA_FILTERED, round);
		}
	for (int i = 0; i < n; i++) {
		const double all = median(p[i].walk.ns[HMA_FILTERED], rounds);
		const double without = median(p[i].trend.ns[HMA_FILTERED], rounds);

		printf("%4lld:%-5lld %9zu %10.3f %10.3f %10.3f %8.4f\n", (long long)p[i].min,
		    (long long)p[i].min + SETS - 1, p[i].bars, all, without, all - without,
		    trades_a_bar(&p[i].walk));
		least = fmin(least, without);
		most = fmax(most, without);
	}
	printf("# no trades, longest / shortest: %.3f\n", most / least);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	enum { VECTOR = 1 << HMA_VECTOR, FILTERED = 1 << HMA_FILTERED };
	enum { ALL = (1 << KERNELS) - 1, CENTS = 1 << HMA_REFERENCE | VECTOR | FILTERED };
	static struct run walk;
	static struct place by_length[] = {{.min = 50}, {.min = 200}, {.min = 500}, {.min = 921}};
	static struct place by_bars[] = {
	    {200, 100000, {0}, {0}}, {200, 1000000, {0}, {0}}, {200, 10000000, {0}, {0}}};
	const int rounds = argc > 1 ? atoi(argv[1]) : 9;
	const size_t n = argc > 2 ? (size_t)atol(argv[2]) : 150000, most = 10000000;
	double *c = mem_alloc(most * sizeof *c), *rising = mem_alloc(most * sizeof *rising);
	const char *force = getenv("IPCTAX_ISA");

	if (!c || !rising || rounds < 1 || rounds > ROUNDS_MAX || n > most ||
	    (force && hma_isa_force(force) != 0))
		return 2;
	printf("# %s, compiler %s; one thread, ns of processor time a bar and set, medians of %d\n",
	    hma_isa(), __VERSION__, rounds);
	printf("# lengths 6:200:80, %zu bars; ratios: reference / vector, reference / filtered, "
	       "vector / filtered\n",
	    n);
	printf("# series   reference    checked     vector   filtered  ref/vec  ref/fil  vec/fil   "
	       "trades\n");
	walk.closes = c;
	walk.bars = n;
	lengths(&walk, 6, 200);
	series_random(c, n);
	compare(&walk, "random", ALL, rounds);
	series_cents(c, n);
	compare(&walk, "cents", CENTS, rounds);
	series_illiquid(c, n);
	compare(&walk, "illiquid", VECTOR | FILTERED, rounds);
	series_flat(c, n);
	compare(&walk, "flat", VECTOR | FILTERED, rounds);
	printf("# lengths       bars   filtered  no trades     trades  a bar\n");
	series_random(c, most);
	series_trend(rising, most);
	for (int i = 0; i < 4; i++)
		by_length[i].bars = n;
	evaluation(by_length, 4, c, rising, rounds);
	evaluation(by_bars, 3, c, rising, rounds);
	mem_free(rising);
	mem_free(c);
	return 0;
}
