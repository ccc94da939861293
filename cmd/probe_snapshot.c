/*
 * Suite snapshot, readers: a reader takes a series that a writer keeps replacing,
 * by deep copy, under a lock, or as a pointer to an immutable snapshot.
 */
#include "cmd/probe.h"
#include "lib/clock.h"
#include "lib/mem.h"
#include "lib/slot.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define WAYS 3
#define MAX_BLOCKS 200
#define READ_BARS 1000         /* what a read computes on: a small call */
#define WRITE_EVERY_NS 500000u /* the writer's pace */

enum way { DEEP_COPY, LOCK, POINTER };
static const char *const way_names[WAYS] = {"deep copy", "lock", "pointer swap"};

/* What reader and writer share. */
struct shared {
	const struct workload *work;
	enum way way;
	_Atomic int stop;
	_Atomic uint64_t writes;
	pthread_mutex_t mutex;
	double *series;      /* DEEP_COPY and LOCK: guarded by mutex */
	double *copy;        /* DEEP_COPY: the reader's own */
	struct slots *slots; /* POINTER: the reader's thread owns the table */
	/* POINTER: a whole new series on its way to the owner; release by the writer, acquire by
	 * the owner: its content is seen with it. */
	struct slab *_Atomic fresh;
	void *scratch;
	struct hma_result expect;
	struct hist *swaps; /* POINTER: what putting a write in place takes the owner */
};

static void write_slab(struct shared *s, size_t bytes)
{
	struct slab *slab = slab_new(s->work->n_bars), *unread;
	unsigned char *room = slab ? slab_room(slab, bytes) : NULL;

	if (!room) {
		slab_free(slab);
		return;
	}
	memcpy(room, s->work->closes, bytes);
	unread = atomic_exchange_explicit(&s->fresh, slab, memory_order_acq_rel);
	slab_free(unread);
}

/* Replaces the series with itself, whole, at its pace, until told to stop. */
static void *writer(void *arg)
{
	struct shared *s = arg;
	size_t bytes = s->work->n_bars * sizeof(double);
	uint64_t next = clock_ns();

	while (!atomic_load_explicit(&s->stop, memory_order_relaxed)) {
		if (s->way == POINTER) {
			write_slab(s, bytes);
		} else {
			pthread_mutex_lock(&s->mutex);
			memcpy(s->series, s->work->closes, bytes);
			pthread_mutex_unlock(&s->mutex);
		}
		atomic_fetch_add_explicit(&s->writes, 1, memory_order_relaxed);
		next += WRITE_EVERY_NS;
		clock_sleep_until(next);
	}
	return NULL;
}

static void compute(struct shared *s, const double *closes, size_t n, struct hma_result *r)
{
	hma_sweep(HMA_AUTO, closes, n < READ_BARS ? n : READ_BARS, s->work->sets, 1, s->work->fee,
	    s->scratch, r);
}

static void read_once(struct shared *s, struct hma_result *r)
{
	size_t bytes = s->work->n_bars * sizeof(double);
	struct snapshot *snap;

	switch (s->way) {
	case DEEP_COPY:
		pthread_mutex_lock(&s->mutex);
		memcpy(s->copy, s->series, bytes);
		pthread_mutex_unlock(&s->mutex);
		compute(s, s->copy, s->work->n_bars, r);
		return;
	case LOCK:
		pthread_mutex_lock(&s->mutex);
		compute(s, s->series, s->work->n_bars, r);
		pthread_mutex_unlock(&s->mutex);
		return;
	case POINTER: break;
	}
	snap = slots_take(s->slots, 0);
	compute(s, snap->closes, snap->n_bars, r);
	slots_release(snap);
}

/*
 * A write that came in is put in place between reads, as a serving loop does between requests;
 * what that costs is reported apart.
 */
static int swap(struct shared *s, struct err *e)
{
	struct slab *slab = atomic_exchange_explicit(&s->fresh, NULL, memory_order_acq_rel);
	uint64_t start = clock_ns();

	if (!slab)
		return 0;
	if (slots_load(s->slots, 0, slab, s->work->n_bars) == 0)
		return err_errno(e, "snapshot");
	hist_record(s->swaps, (int64_t)(clock_ns() - start));
	return 0;
}

static int run_block(struct shared *s, struct hist *h, int reads, struct err *e)
{
	struct hma_result r;
	pthread_t t;
	int bad = 0;

	s->stop = 0;
	if ((errno = pthread_create(&t, NULL, writer, s)))
		return err_errno(e, "snapshot: thread");
	for (int i = 0; i < reads && !bad; i++) {
		uint64_t start;

		bad = swap(s, e);
		start = clock_ns();
		read_once(s, &r);
		hist_record(h, (int64_t)(clock_ns() - start));
		if (!bad && (memcmp(&r.pnl, &s->expect.pnl, sizeof r.pnl) != 0 ||
				r.trades != s->expect.trades))
			bad = err_set(e, STATUS_DIFFER, "snapshot: %s: a read saw a torn series",
			    way_names[s->way]);
	}
	s->stop = 1;
	pthread_join(t, NULL);
	slab_free(atomic_exchange(&s->fresh, NULL));
	return bad;
}

static int open_shared(struct shared *s, const struct workload *w, struct err *e)
{
	size_t bytes = w->n_bars * sizeof(double);
	size_t size = hma_scratch_size(HMA_REFERENCE, READ_BARS, READ_BARS);
	size_t fast = hma_scratch_size(HMA_AUTO, READ_BARS, READ_BARS);
	struct slab *slab = slab_new(w->n_bars);

	s->work = w;
	pthread_mutex_init(&s->mutex, NULL);
	s->series = mem_alloc(bytes);
	s->copy = mem_alloc(bytes);
	s->scratch = mem_alloc(size > fast ? size : fast);
	s->slots = slots_new(1, w->n_bars);
	if (!s->series || !s->copy || !s->scratch || !s->slots || !slab ||
	    !slab_room(slab, bytes)) {
		slab_free(slab);
		return err_errno(e, "snapshot");
	}
	memcpy(s->series, w->closes, bytes);
	memcpy(slab_room(slab, bytes), w->closes, bytes);
	if (slots_load(s->slots, 0, slab, w->n_bars) == 0)
		return err_errno(e, "snapshot");
	hma_sweep(HMA_REFERENCE, w->closes, w->n_bars < READ_BARS ? w->n_bars : READ_BARS, w->sets,
	    1, w->fee, s->scratch, &s->expect);
	return 0;
}

static void close_shared(struct shared *s)
{
	mem_free(s->series);
	mem_free(s->copy);
	mem_free(s->scratch);
	slots_free(s->slots);
	pthread_mutex_destroy(&s->mutex);
}

/* Per way and block: p50 and p99. */
struct tally {
	struct hist *all, *block;
	double p50[WAYS][MAX_BLOCKS], p99[WAYS][MAX_BLOCKS];
	uint64_t writes[WAYS];
};

static int take_block(
    struct shared *s, struct tally *t, enum way way, int block, int reads, struct err *e)
{
	uint64_t v, writes = s->writes;

	s->way = way;
	hist_reset(t->block);
	if (run_block(s, t->block, reads, e) < 0)
		return -1;
	if (block < 0)
		return 0;
	hist_merge(&t->all[way], t->block);
	t->writes[way] += s->writes - writes;
	hist_at_rank(t->block, ((uint64_t)reads + 1) / 2, &v);
	t->p50[way][block] = (double)v;
	hist_at_rank(t->block, ((uint64_t)reads * 99 + 99) / 100, &v);
	t->p99[way][block] = (double)v;
	return 0;
}

static double median_of(const struct hist *h)
{
	uint64_t v;

	return hist_at_rank(h, (h->n + 1) / 2, &v) < 0 ? NAN : (double)v;
}

static int add_rows(
    struct probe *p, struct tally *t, const struct hist *swaps, int blocks, struct err *e)
{
	double scratch[MAX_BLOCKS];

	for (int k = 0; k < WAYS; k++) {
		struct stat_ratio p50;
		struct row *row;
		char name[80];

		snprintf(name, sizeof name, "read, %s", way_names[k]);
		row = row_add(&p->result, "snapshot", name, "ns");
		if (!row)
			return err_errno(e, "snapshot");
		row_hist(row, &t->all[k]);
		row_ratio(row, "read, deep copy",
		    stat_ratio_paired(t->p99[k], t->p99[DEEP_COPY], (size_t)blocks, scratch));
		p50 = stat_ratio_paired(t->p50[k], t->p50[DEEP_COPY], (size_t)blocks, scratch);
		row_extra(row, "p50_ratio", p50.ratio);
		row_extra(row, "p50_ratio_low", p50.has_interval ? p50.low : NAN);
		row_extra(row, "p50_ratio_high", p50.has_interval ? p50.high : NAN);
		row_extra(row, "writes", (double)t->writes[k]);
		if (k == POINTER)
			row_extra(row, "swap_median_ns", median_of(swaps));
		row_note(row,
		    "one set on %d bars, under a writer every %u us; ratio is of p99 (blocks: %d)",
		    READ_BARS, WRITE_EVERY_NS / 1000, blocks);
	}
	return 0;
}

int probe_snapshot_readers(struct probe *p, struct err *e)
{
	int blocks = p->rounds ? p->rounds : p->quick ? 9 : 21, done = 0;
	int reads = p->quick ? 400 : 2000, bad;
	struct tally *t = mem_alloc(sizeof *t);
	struct hist *h = mem_alloc((WAYS + 2) * sizeof *h);
	struct shared s = {0};

	if (blocks > MAX_BLOCKS)
		blocks = MAX_BLOCKS;
	bad = t && h ? open_shared(&s, &p->work, e) : err_errno(e, "snapshot");
	if (!bad) {
		memset(t, 0, sizeof *t);
		t->all = h;
		t->block = h + WAYS;
		s.swaps = h + WAYS + 1;
		for (int k = 0; k < WAYS + 2; k++)
			hist_reset(&h[k]);
	}
	for (int k = 0; k < WAYS && !bad; k++)
		bad = take_block(&s, t, (enum way)k, -1, reads, e);
	for (; done < blocks && !bad && !probe_stopped(); done++)
		for (int k = 0; k < WAYS && !bad; k++)
			bad = take_block(
			    &s, t, (enum way)(done % 2 ? WAYS - 1 - k : k), done, reads, e);
	if (!bad && done)
		bad = add_rows(p, t, s.swaps, done, e);
	close_shared(&s);
	mem_free(h);
	mem_free(t);
	return bad;
}
