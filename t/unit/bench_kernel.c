/*
 * bench_kernel [ROUNDS [BARS]]: the kernels against each other, one thread, taking
 * turns within every round so that drift cancels; medians, ratios, ns a bar
 * and set. Not a test: `make bench` runs it.
 */
#include "lib/clock.h"
#include "lib/hma.h"
#include "lib/mem.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Sets of lengths from min to max; times the kernels of the mask and prints a line. */
static void compare(const char *name, const double *c, size_t n, int64_t min, int64_t max,
    int count, unsigned mask, int rounds)
{
	static double seconds[KERNELS][ROUNDS_MAX];
	struct hma_set sets[SETS];
	struct hma_result rows[KERNELS][SETS];
	double m[KERNELS] = {0};
	int64_t trades = 0;

	for (int i = 0; i < count; i++)
		sets[i] = hma_set_of_length(count > 1 ? min + i * (max - min) / (count - 1) : min);
	for (int r = 0; r < rounds; r++)
		for (int j = 0; j < KERNELS; j++) {
			const int k = r % 2 ? KERNELS - 1 - j : j;
			const size_t room = hma_scratch_size(
			    (enum hma_kernel)k, n, hma_max_window(sets, (size_t)count, n));
			void *scratch;
			uint64_t t;

			if (!(mask >> k & 1))
				continue;
			scratch = mem_alloc(room);
			if (!scratch)
				exit(1);
			t = clock_ns();
			hma_sweep(
			    (enum hma_kernel)k, c, n, sets, (size_t)count, 0.09, scratch, rows[k]);
			seconds[k][r] = (double)(clock_ns() - t) * 1e-9;
			mem_free(scratch);
		}
	for (int i = 0; i < count; i++)
		trades += rows[HMA_FILTERED][i].trades;
	printf("%-22s %9zu", name, n);
	for (int k = 0; k < KERNELS; k++) {
		if (!(mask >> k & 1)) {
			printf(" %10s", "-");
			continue;
		}
		m[k] = median(seconds[k], rounds);
		printf(" %10.3f", m[k] * 1e9 / (double)n / count);
	}
	if (mask & 1)
		printf(" %8.1f %8.1f", m[0] / m[HMA_VECTOR], m[0] / m[HMA_FILTERED]);
	else
		printf(" %8s %8.1f", "-", m[HMA_VECTOR] / m[HMA_FILTERED]);
	printf(" %8.4f\n", (double)trades / (double)n / count);
	fflush(stdout);
	for (int k = 0; k < KERNELS; k++)
		if ((mask >> k & 1) &&
		    memcmp(rows[k], rows[HMA_FILTERED], (size_t)count * sizeof **rows) != 0)
			fprintf(stderr, "bench_kernel: %s: %s differs\n", name,
			    hma_kernel_name((enum hma_kernel)k)),
			    exit(1);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 9;
	const size_t n = argc > 2 ? (size_t)atol(argv[2]) : 150000;
	const size_t most = n > 1500000 ? n : 1500000;
	double *c = mem_alloc(most * sizeof *c);
	const char *force = getenv("IPCTAX_ISA");

	if (!c || rounds < 1 || rounds > ROUNDS_MAX || (force && hma_isa_force(force) != 0))
		return 2;
	printf("# isa %s, compiler %s, rounds %d; ns a bar and set; ratios reference / vector, "
	       "reference / filtered\n",
	    hma_isa(), __VERSION__, rounds);
	printf("%-22s %9s %10s %10s %10s %10s %8s %8s %8s\n", "# series", "bars", "reference",
	    "checked", "vector", "filtered", "ref/vec", "ref/fil", "trades");
	series_random(c, n);
	compare("random 6:200:80", c, n, 6, 200, SETS, 15, rounds);
	series_cents(c, n);
	compare("cents 6:200:80", c, n, 6, 200, SETS, 13, rounds);
	series_illiquid(c, n);
	compare("illiquid 6:200:80", c, n, 6, 200, SETS, 12, rounds);
	series_flat(c, n);
	compare("flat 6:200:80", c, n, 6, 200, SETS, 12, rounds);
	series_random(c, n);
	compare("random 6", c, n, 6, 45, 40, 12, rounds);
	compare("random 50", c, n, 50, 89, 40, 12, rounds);
	compare("random 200", c, n, 200, 239, 40, 12, rounds);
	compare("random 1000", c, n, 961, 1000, 40, 8, rounds);
	series_random(c, most);
	compare("random 50", c, most, 50, 89, 40, 8, 3);
	mem_free(c);
	return 0;
}
