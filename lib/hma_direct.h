/*
 * L2 template: the definition itself, in vectors over consecutive bars. Each
 * lane sums its own bar, oldest close first, so it has the definition's bits by
 * construction. All the averages of the closes that begin at the same bar share
 * their partial sums, so one pass to the longest window yields the five of a set.
 */
#ifndef IPCTAX_HMA_DIRECT_H
#define IPCTAX_HMA_DIRECT_H

#include "lib/hma_book.h"
#include "lib/hma_layout.h"
#include "lib/hma_vec.h"

/* Independent accumulators: enough to hide the latency of an addition. */
#define ACCUMULATORS 8

/* One window of a pass, and where its averages go: out[t] is the one that ends at t. */
struct direct_window {
	int64_t w;
	double *out;
};

/*
 * For every window (ascending) and every t from w - 1 to n - 1: out[t] = WMA_w(x)[t].
 * x and the outs have HMA_PAD doubles of room behind n.
 */
static inline void direct_pass(
    const double *x, size_t n, const struct direct_window *windows, int n_windows)
{
	for (size_t a = 0; a < n; a += ACCUMULATORS * LANES) {
		vec sum[ACCUMULATORS], weight = {0};
		const double *p = x + a;

		UNROLL
		for (int v = 0; v < ACCUMULATORS; v++)
			sum[v] = (vec){0};
		for (int k = 0; k < n_windows && a + (size_t)windows[k].w <= n; k++) {
			const size_t w = (size_t)windows[k].w;
			const vec divisor = vec_set(hma_weight_sum(windows[k].w));
			double *out = windows[k].out + a + w - 1;

			for (const double *end = x + a + w; p < end; p++) {
				weight += 1;
				UNROLL
				for (int v = 0; v < ACCUMULATORS; v++)
					sum[v] += vec_load(p + v * LANES) * weight;
			}
			UNROLL
			for (int v = 0; v < ACCUMULATORS; v++)
				vec_store(out + v * LANES, sum[v] / divisor);
		}
	}
}

/* The five averages of closes in ascending order of window. */
static inline void direct_sort(struct direct_window *w, int n)
{
	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && w[k].w < w[k - 1].w; k--) {
			const struct direct_window t = w[k];

			w[k] = w[k - 1];
			w[k - 1] = t;
		}
}

/*
 * Decides n bars by the definition. x holds the reach - 1 closes before the
 * first of them, then the n, and HMA_PAD of room; work as hma_direct_room says.
 * Bit i of up (down): HMA3 > HMA (<) at the i-th bar; words are written whole.
 */
static inline void direct_signs(
    const double *x, size_t n, const struct hma_set *s, double *work, uint64_t *up, uint64_t *down)
{
	const size_t before = (size_t)hma_reach(s) - 1, total = before + n, room = total + HMA_PAD;
	double *half = work, *full = half + room, *third3 = full + room, *half3 = third3 + room;
	double *full3 = half3 + room, *hma = full, *hma3 = full3;
	struct direct_window w[] = {{s->half, half}, {s->full, full}, {s->third3, third3},
	    {s->half3, half3}, {s->full3, full3}};
	const size_t first = before - (size_t)(s->sqrt - 1),
		     first3 = before - (size_t)(s->full3 - 1);

	direct_sort(w, 5);
	direct_pass(x, total, w, 5);
	for (size_t t = first; t < total; t++)
		half[t] = hma_raw(half[t], full[t]);
	for (size_t t = first3; t < total; t++)
		third3[t] = hma_raw3(third3[t], half3[t], full3[t]);
	direct_pass(half + first, total - first, &(struct direct_window){s->sqrt, hma + first}, 1);
	direct_pass(
	    third3 + first3, total - first3, &(struct direct_window){s->full3, hma3 + first3}, 1);
	hma += before;
	hma3 += before;
	for (size_t i = 0; i < n; i += 64) {
		uint64_t u = 0, d = 0;

		for (unsigned b = 0; b < 64; b += LANES) {
			const vec m = vec_load(hma + i + b), m3 = vec_load(hma3 + i + b);

			u |= vec_signs(m3 > m) << b;
			d |= vec_signs(m3 < m) << b;
		}
		if (n - i < 64) {
			u &= ((uint64_t)1 << (n - i)) - 1;
			d &= ((uint64_t)1 << (n - i)) - 1;
		}
		up[i / 64] = u;
		down[i / 64] = d;
	}
}

#endif
