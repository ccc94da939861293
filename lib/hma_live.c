/*
 * Live: the definition turned inside out. A sum is begun at every value and
 * takes each later one with the next weight: after w values it is the weighted
 * sum of w, its addends taken in the order of the definition (oldest first), so
 * it has the same bits, whatever w. Averages of several windows read the same
 * sums at different ages. The additions of a bar are independent of each other:
 * they are done in vectors.
 */
#include "lib/hma.h"
#include "lib/hma_book.h"
#include "lib/hma_isa.h"
#include "lib/hma_layout.h"

/* The sums begun at the last `size` values, in a ring, and the weights they were last given. */
struct ring {
	size_t size, newest;
	uint64_t seen;
	double *sums,
	    *weights; /* room for size rounded up to 8; what is behind size is never read */
};

struct hma_live {
	struct hma_set set;
	double fee;
	struct hma_book book;
	struct ring closes, raw, raw3;
};

static void ring_add(struct ring *r, double x)
{
	r->newest = r->newest + 1 == r->size ? 0 : r->newest + 1;
	r->seen++;
	hma_isa_chosen()->scatter(r->sums, r->weights, hma_round_up(r->size, 8), x);
}

/* Begins the sum of the next value where the oldest was: early, so that the vectors find it stored.
 */
static void ring_recycle(struct ring *r)
{
	const size_t next = r->newest + 1 == r->size ? 0 : r->newest + 1;

	r->sums[next] = r->weights[next] = 0;
}

/* WMA_w of the values so far; w at most the ring's size. */
static double ring_wma(const struct ring *r, int64_t w)
{
	const size_t age = (size_t)w - 1;
	const size_t at = r->newest >= age ? r->newest - age : r->newest + r->size - age;

	return r->seen < (uint64_t)w ? NAN : r->sums[at] / hma_weight_sum(w);
}

static int64_t longest(const struct hma_set *s)
{
	return hma_max(hma_max(s->half, s->full), hma_max(s->third3, hma_max(s->half3, s->full3)));
}

static size_t head_size(void)
{
	return hma_round_up(sizeof(struct hma_live), 64);
}

size_t hma_live_size(const struct hma_set *set)
{
	const int64_t windows[] = {longest(set), set->sqrt, set->full3};
	size_t total = head_size();

	for (int i = 0; i < 3; i++) {
		if ((uint64_t)windows[i] > (SIZE_MAX / 4 - total) / (2 * sizeof(double)))
			return 0;
		total += 2 * hma_round_up((size_t)windows[i], 8) * sizeof(double);
	}
	return total;
}

static struct ring ring_init(int64_t size, double **memory)
{
	const size_t room = hma_round_up((size_t)size, 8);
	const struct ring r = {(size_t)size, 0, 0, *memory, *memory + room};

	memset(*memory, 0, 2 * room * sizeof **memory);
	*memory += 2 * room;
	return r;
}

struct hma_live *hma_live_init(void *memory, const struct hma_set *set, double fee)
{
	struct hma_live *l = memory;
	double *sums = (double *)((char *)memory + head_size());

	memset(l, 0, sizeof *l);
	l->set = *set;
	l->fee = fee;
	l->closes = ring_init(longest(set), &sums);
	l->raw = ring_init(set->sqrt, &sums);
	l->raw3 = ring_init(set->full3, &sums);
	return l;
}

void hma_live_tick(struct hma_live *l, const double *closes, size_t n, struct hma_result *r)
{
	const struct hma_set *s = &l->set;
	const struct ring *c = &l->closes;

	for (size_t i = 0; i < n; i++) {
		const double close = closes[i];

		ring_add(&l->closes, close);
		ring_add(&l->raw, hma_raw(ring_wma(c, s->half), ring_wma(c, s->full)));
		ring_add(&l->raw3,
		    hma_raw3(ring_wma(c, s->third3), ring_wma(c, s->half3), ring_wma(c, s->full3)));
		hma_book_bar(&l->book, ring_wma(&l->raw, s->sqrt), ring_wma(&l->raw3, s->full3),
		    close, l->fee);
		ring_recycle(&l->closes);
		ring_recycle(&l->raw);
		ring_recycle(&l->raw3);
	}
	*r = hma_book_result(&l->book);
}
