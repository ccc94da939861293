/*
 * kernel_property [CASES [SEED]]: random cases (series kind, scale, length,
 * windows, fee); every kernel on every instruction set of this machine must
 * give reference's bytes, and live too. Says the case that does not.
 */
#include "t/unit/kernel_series.h"
#include "lib/hma.h"
#include "lib/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { SETS_MAX = 140 };

static const char *const isas[] = {"scalar", "sse2", "avx2", "neon"};

struct test_case {
	uint64_t seed;
	enum series_kind kind;
	double scale, fee, *closes;
	size_t n, n_sets;
	struct hma_set sets[SETS_MAX];
};

static double random_fee(uint64_t *r)
{
	static const double fees[] = {0.09, 0.09, 0.09, 0, -1, 1e300, NAN, INFINITY};

	return fees[below(r, sizeof fees / sizeof fees[0])];
}

static int64_t random_window(uint64_t *r, size_t n)
{
	switch (below(r, 8)) {
	case 0: return 1;
	case 1: return (int64_t)(1 + below(r, n + 3));
	case 2: return below(r, 20) ? 7 : INT64_MAX - (int64_t)below(r, 3);
	default: return (int64_t)(1 + below(r, 40));
	}
}

static void random_set(struct hma_set *s, size_t n, uint64_t *r)
{
	int64_t *const w[] = {&s->half, &s->full, &s->sqrt, &s->third3, &s->half3, &s->full3};

	*s = hma_set_of_length((int64_t)(1 + below(r, n / 4 + 60)));
	if (below(r, 3) == 0)
		for (int i = 0; i < 6; i++)
			*w[i] = random_window(r, n);
}

/* Most are short; some cross a block or two, few sets then. */
static void make_case(struct test_case *c, uint64_t seed)
{
	uint64_t r = seed;

	c->seed = seed;
	c->kind = (enum series_kind)below(&r, SERIES_KINDS);
	c->scale = below(&r, 3) ? 1 : pow(10, (double)below(&r, 601) - 300);
	c->fee = random_fee(&r);
	c->n = below(&r, 12) ? below(&r, 300) : 1000 + below(&r, 3000);
	c->n_sets = c->n > 300 ? 1 + below(&r, 3) : below(&r, 30) ? below(&r, 6) : SETS_MAX;
	c->closes = mem_alloc(c->n * sizeof *c->closes + 1);
	if (!c->closes)
		exit(1);
	series_fill(c->kind, c->closes, c->n, &r);
	for (size_t i = 0; i < c->n; i++)
		c->closes[i] *= c->scale;
	for (size_t i = 0; i < c->n_sets; i++)
		random_set(&c->sets[i], c->n, &r);
}

static int differs(const struct test_case *c, const char *kernel, const char *isa,
    const struct hma_result *got, const struct hma_result *want)
{
	for (size_t i = 0; i < c->n_sets; i++) {
		const struct hma_set *s = &c->sets[i];

		if (memcmp(&got[i], &want[i], sizeof *got) == 0)
			continue;
		printf("seed %llu kind %d scale %g bars %zu set %zu (%lld %lld %lld %lld %lld "
		       "%lld) fee %g: %s %s: "
		       "%.17g %lld %lld, reference %.17g %lld %lld\n",
		    (unsigned long long)c->seed, c->kind, c->scale, c->n, i, (long long)s->half,
		    (long long)s->full, (long long)s->sqrt, (long long)s->third3,
		    (long long)s->half3, (long long)s->full3, c->fee, kernel, isa, got[i].pnl,
		    (long long)got[i].trades, (long long)got[i].side, want[i].pnl,
		    (long long)want[i].trades, (long long)want[i].side);
		return 1;
	}
	return 0;
}

static void sweep(const struct test_case *c, enum hma_kernel k, struct hma_result *rows)
{
	const size_t room = hma_scratch_size(k, c->n, hma_max_window(c->sets, c->n_sets, c->n));
	void *scratch = mem_alloc(room ? room : 1);

	if (!scratch)
		exit(1);
	memset(scratch, 0xff, room);
	hma_sweep(k, c->closes, c->n, c->sets, c->n_sets, c->fee, scratch, rows);
	mem_free(scratch);
}

/* Live, fed in pieces; sets of enormous windows have no live. */
static void live(const struct test_case *c, struct hma_result *rows, const struct hma_result *want)
{
	for (size_t i = 0; i < c->n_sets; i++) {
		const size_t room = hma_live_size(&c->sets[i]);
		struct hma_live *l;
		void *memory;

		rows[i] = want[i];
		if (room == 0 || room > 1 << 24)
			continue;
		memory = mem_alloc(room);
		if (!memory)
			exit(1);
		l = hma_live_init(memory, &c->sets[i], c->fee);
		hma_live_tick(l, c->closes, c->n / 3, &rows[i]);
		hma_live_tick(l, c->closes + c->n / 3, c->n - c->n / 3, &rows[i]);
		mem_free(memory);
	}
}

static int run(uint64_t seed)
{
	static struct hma_result want[SETS_MAX], got[SETS_MAX];
	static struct test_case c;
	int bad = 0;

	make_case(&c, seed);
	sweep(&c, HMA_REFERENCE, want);
	sweep(&c, HMA_CHECKED, got);
	bad |= differs(&c, "checked", "", got, want);
	live(&c, got, want);
	bad |= differs(&c, "live", "", got, want);
	for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
		if (hma_isa_force(isas[i]) != 0)
			continue;
		sweep(&c, HMA_VECTOR, got);
		bad |= differs(&c, "vector", isas[i], got, want);
		sweep(&c, HMA_FILTERED, got);
		bad |= differs(&c, "filtered", isas[i], got, want);
	}
	mem_free(c.closes);
	return bad;
}

int main(int argc, char **argv)
{
	const uint64_t cases = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	for (uint64_t i = 0; i < cases; i++)
		if (run(seed + i))
			return 1;
	return 0;
}
