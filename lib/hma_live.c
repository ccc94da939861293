/*
 * Live: the definition turned inside out. A weighted sum of w closes is begun w
 * - 1 bars before it is due; every new value x is added, with its weight, to
 * the w sums that are under way. Each sum so receives its addends in the
 * order of the definition (oldest first) and has the same bits, while the w
 * additions of a bar are independent of each other and the compiler and the
 * processor may do them side by side.
 */
#include "lib/hma_book.h"
#include "lib/hma.h"

/* One weighted moving average under way. */
struct wma {
	int64_t w;
	uint64_t seen; /* values so far */
	size_t head;   /* sums[head] is the one due at the next value */
	double divisor;
	double *sums; /* a ring of w */
};

enum { HALF, FULL, SQRT, THIRD3, HALF3, FULL3, LAST3, WMAS };

struct hma_live {
	struct wma wma[WMAS];
	double fee;
	struct hma_book book;
};

/* The sums under way, dst[0] first due, take x with weights first, first - 1, ... */
static void add_weighted(double *dst, size_t n, double x, int64_t first)
{
	for (size_t k = 0; k < n; k++)
		dst[k] += x * (double)(first - (int64_t)k);
}

static double wma_tick(struct wma *m, double x)
{
	const size_t w = (size_t)m->w, before_wrap = w - m->head;
	double value;

	add_weighted(m->sums + m->head, before_wrap, x, m->w);
	add_weighted(m->sums, m->head, x, (int64_t)m->head);
	value = m->sums[m->head] / m->divisor;
	m->sums[m->head] = 0;
	m->head = m->head + 1 == w ? 0 : m->head + 1;
	return ++m->seen < (uint64_t)m->w ? NAN : value;
}

static void windows(const struct hma_set *s, int64_t w[WMAS])
{
	const int64_t all[WMAS] = {
	    s->half, s->full, s->sqrt, s->third3, s->half3, s->full3, s->full3};

	memcpy(w, all, sizeof all);
}

static size_t head_size(void)
{
	return (sizeof(struct hma_live) + 63) / 64 * 64;
}

size_t hma_live_size(const struct hma_set *set)
{
	size_t total = head_size();
	int64_t w[WMAS];

	windows(set, w);
	for (int i = 0; i < WMAS; i++) {
		if ((uint64_t)w[i] > (SIZE_MAX / 2 - total) / sizeof(double))
			return 0;
		total += (size_t)w[i] * sizeof(double);
	}
	return (total + 63) / 64 * 64;
}

struct hma_live *hma_live_init(void *memory, const struct hma_set *set, double fee)
{
	struct hma_live *l = memory;
	double *sums = (double *)((char *)memory + head_size());
	int64_t w[WMAS];

	windows(set, w);
	memset(l, 0, sizeof *l);
	l->fee = fee;
	for (int i = 0; i < WMAS; i++) {
		l->wma[i] = (struct wma){w[i], 0, 0, hma_weight_sum(w[i]), sums};
		memset(sums, 0, (size_t)w[i] * sizeof(double));
		sums += w[i];
	}
	return l;
}

void hma_live_tick(struct hma_live *l, const double *closes, size_t n, struct hma_result *r)
{
	struct wma *m = l->wma;

	for (size_t i = 0; i < n; i++) {
		const double c = closes[i];
		const double half = wma_tick(&m[HALF], c), full = wma_tick(&m[FULL], c);
		const double hma = wma_tick(&m[SQRT], hma_raw(half, full));
		const double third3 = wma_tick(&m[THIRD3], c), half3 = wma_tick(&m[HALF3], c);
		const double full3 = wma_tick(&m[FULL3], c);
		const double hma3 = wma_tick(&m[LAST3], hma_raw3(third3, half3, full3));

		hma_book_bar(&l->book, hma, hma3, c, l->fee);
	}
	*r = hma_book_result(&l->book);
}
