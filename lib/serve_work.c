#include "lib/serve_work.h"
#include "lib/bytes.h"

/* Results are put on the wire in batches of this many sets, so that they need no memory. */
#define BATCH 256

/* Parts a thread: enough that the last ones end together, few enough to share prefix sums. */
#define PARTS_A_THREAD 4

static void put_results(const struct work *w, size_t first, size_t n, const struct hma_result *r)
{
	for (size_t i = 0; w->pnl && i < n; i++) {
		put_f64(w->pnl + 8 * (first + i), r[i].pnl);
		put_u64(w->trades + 8 * (first + i), (uint64_t)r[i].trades);
		if (w->sides)
			put_u64(w->sides + 8 * (first + i), (uint64_t)r[i].side);
	}
}

static void note_difference(struct work *w, size_t set)
{
	uint64_t none = 0;

	atomic_compare_exchange_strong(&w->differ, &none, set + 1);
}

/* Room to sweep these sets with kernel k, or NULL, noted. */
static void *room_for(struct work *w, enum hma_kernel k, const struct hma_set *sets, size_t n,
    size_t n_bars, struct scratch *scratch)
{
	void *p =
	    scratch_get(scratch, hma_scratch_size(k, n_bars, hma_max_window(sets, n, n_bars)));

	if (!p)
		atomic_store(&w->no_memory, 1);
	return p;
}

/* The gate: the same sets by the definition. */
static void compare(
    struct work *w, size_t first, size_t n, const struct hma_result *got, struct scratch *scratch)
{
	struct hma_result want[BATCH];
	const struct hma_set *sets = w->sets + first;
	void *room = room_for(w, HMA_REFERENCE, sets, n, w->n_all, scratch);

	if (!room)
		return;
	hma_sweep(HMA_REFERENCE, w->all, w->n_all, sets, n, w->fee, room, want);
	for (size_t i = 0; i < n; i++)
		if (memcmp(&got[i].pnl, &want[i].pnl, sizeof got[i].pnl) != 0 ||
		    got[i].trades != want[i].trades || (w->sides && got[i].side != want[i].side))
			note_difference(w, first + i);
}

static int compute(
    struct work *w, size_t first, size_t n, struct hma_result *r, struct scratch *scratch)
{
	const struct hma_set *sets = w->sets + first;
	void *room;

	if (w->live) {
		for (size_t i = 0; i < n; i++)
			hma_live_tick(w->live->state[first + i], w->closes, w->n_bars, &r[i]);
		return 0;
	}
	room = room_for(w, w->kernel, sets, n, w->n_bars, scratch);
	if (!room)
		return -1;
	hma_sweep(w->kernel, w->closes, w->n_bars, sets, n, w->fee, room, r);
	return 0;
}

static void run_part(struct pool_job *job, size_t part, struct scratch *scratch)
{
	struct work *w = (struct work *)(void *)job;
	size_t at = part * w->chunk;
	size_t end = w->n_sets - at < w->chunk ? w->n_sets : at + w->chunk;
	struct hma_result r[BATCH];

	while (at < end) {
		size_t n = end - at < BATCH ? end - at : BATCH;

		if (compute(w, at, n, r, scratch) < 0)
			return;
		put_results(w, at, n, r);
		if (w->gate)
			compare(w, at, n, r, scratch);
		at += n;
	}
}

void work_prepare(struct work *w, unsigned threads)
{
	size_t parts = threads > 1 ? (size_t)threads * PARTS_A_THREAD : 1;

	w->chunk = (w->n_sets + parts - 1) / parts;
	w->job.run = run_part;
	w->job.parts = w->n_sets ? (w->n_sets + w->chunk - 1) / w->chunk : 0;
}

/* The windows of a set, each no longer than the series, in bars. */
static double windows(const struct hma_set *s, size_t n_bars)
{
	const int64_t w[6] = {s->half, s->full, s->sqrt, s->third3, s->half3, s->full3};
	double sum = 0;

	for (int i = 0; i < 6; i++)
		sum += w[i] < (int64_t)n_bars ? (double)w[i] : (double)n_bars;
	return sum;
}

double work_estimate(const struct work *w)
{
	/* Nanoseconds a bar and set, and a bar and window element; orders of magnitude are enough.
	 */
	static const double bar[] = {5, 5, 5, 4, 4}, element[] = {1, 1, 0.15, 0, 0};
	double ns = 0, bars = (double)w->n_bars, each = w->live ? 1 : element[w->kernel];

	for (size_t i = 0; i < w->n_sets && ns < 1e9; i++) {
		ns += bars * bar[w->kernel];
		if (each > 0)
			ns +=
			    bars * windows(&w->sets[i], w->live ? SIZE_MAX / 2 : w->n_bars) * each;
		if (w->gate)
			ns += (double)w->n_all * windows(&w->sets[i], w->n_all);
	}
	return ns;
}
