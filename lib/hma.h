/*
 * L2: the crossover backtest of two Hull moving averages, the project's kernel.
 * Includes nothing but libc, allocates nothing, keeps no global state.
 *
 * Every kernel gives the same bytes for every input, NaN and infinities
 * included, and stays in bounds whatever another thread does to the closes
 * meanwhile (the result is then some result).
 */
#ifndef IPCTAX_HMA_H
#define IPCTAX_HMA_H

#include <stddef.h>
#include <stdint.h>

/* One parameter set: six windows, in the order of the wire; each at least 1. */
struct hma_set {
	int64_t half, full, sqrt, third3, half3, full3;
};

/* hma_half ... hma3_full: the names of the six, in order. */
extern const char *const hma_set_names[6];

enum hma_kernel {
	HMA_REFERENCE, /* the definition, for reading */
	HMA_CHECKED,   /* the same, a bounds check on every access */
	HMA_VECTOR,    /* SIMD over consecutive bars, each in the definition's order */
	HMA_FILTERED,  /* O(1) a bar with a proven error bound, the definition where in doubt */
	HMA_AUTO       /* the fastest: filtered */
};

/* "reference", ... ; -1 where no kernel has that name. */
const char *hma_kernel_name(enum hma_kernel k);
int hma_kernel_by_name(const char *name);

/* Side and entry carry a sweep on, so that live can start where a sweep ended. */
struct hma_result {
	double pnl;     /* percentage points; a NaN is 0x7ff8000000000000 */
	int64_t trades; /* changes of side */
	int64_t side;   /* -1 short, 0 none yet, 1 long, after the last bar */
};

/*
 * Working memory in bytes, aligned to 64, that one thread needs to sweep sets
 * whose largest window is max_window over n_bars. Independent of n_bars for
 * HMA_FILTERED. SIZE_MAX where it would overflow.
 */
size_t hma_scratch_size(enum hma_kernel k, size_t n_bars, int64_t max_window);

/* The largest window of the sets that still matters for n_bars (larger ones are never computed). */
int64_t hma_max_window(const struct hma_set *sets, size_t n_sets, size_t n_bars);

/*
 * Sweeps n_sets sets over n_bars closes: section KERNEL of ipctax(7). Windows
 * longer than the series, or no bars: pnl 0, trades 0, side 0. fee is in
 * percentage points a trade. scratch is as hma_scratch_size says and need not
 * be clean. A window below 1 is the caller's bug.
 */
void hma_sweep(enum hma_kernel k, const double *closes, size_t n_bars, const struct hma_set *sets,
    size_t n_sets, double fee, void *scratch, struct hma_result *results);

/*
 * Compares a kernel with HMA_REFERENCE on a short series made for the purpose.
 * 0 same; -1 it differs here and must not be used.
 */
int hma_self_test(enum hma_kernel k);

/* The instruction set in use: "sse2", "avx2", "neon" or "scalar"; see hma_isa_force. */
const char *hma_isa(void);

/* Uses the named one for all later sweeps; -1 where this machine cannot. Not thread-safe: call at
 * start. */
int hma_isa_force(const char *name);

/* Windows of a length n: half rint(n/2) and so on, ties to even, at least 1 each. */
struct hma_set hma_set_of_length(int64_t n);

/*
 * Live: the same backtest fed bar by bar. State for one set lies in memory of
 * the caller: hma_live_size bytes, aligned to 64, 0 where it would overflow.
 */
struct hma_live;
size_t hma_live_size(const struct hma_set *set);
struct hma_live *hma_live_init(void *memory, const struct hma_set *set, double fee);

/* Feeds n closes; afterwards *r equals the sweep over all closes fed so far. No allocation. */
void hma_live_tick(struct hma_live *l, const double *closes, size_t n, struct hma_result *r);

#endif
