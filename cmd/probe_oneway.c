/*
 * Suite echo, one way: from before a record is written into a ring to after
 * its bytes were read out of it by a thread on another processor. One in
 * flight at a time, so that nothing waits in the ring; a reading of the clock is in it.
 */
#include "cmd/probe_echo.h"
#include "lib/clock.h"
#include "lib/cpu.h"
#include "lib/mem.h"
#include "lib/ring_map.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 20000
#define WARM 200
#define START_NS 2000000000u /* until two busy processors have got to know each other */
#define BUDGET_NS 500000000u
#define QUICK_BUDGET_NS 150000000u
#define BODY 8 /* where bodies begin in their records */

static const uint32_t sizes[] = {64, 256, 1024};
static const char *const published[] = {"10", "20", "30"};
#define SIZES (sizeof sizes / sizeof sizes[0])
#define SIZE_MAX_BYTES 1024
#define SPINS 1000 /* looks between two at the clock */

/* What the two threads share besides the ring; each word has one writer and its line. */
struct lane {
	struct ring_map map;
	uint32_t size;
	_Alignas(128) atomic_uint seen; /* records read so far: the reader's */
	_Alignas(128) atomic_int stop;
};

static int write_one(struct ring_writer *w, struct lane *l, unsigned char *bytes)
{
	unsigned char *body;
	enum ring_state s;
	struct err why;

	put_u64(bytes, clock_ns());
	/* The reader gives back more than one record at a time. */
	do
		s = ring_reserve(w, l->size, BODY, &body, &why);
	while (s == RING_WAIT && !atomic_load_explicit(&l->stop, memory_order_relaxed));
	if (s != RING_OK)
		return -1;
	ring_put(w, BODY, bytes, l->size);
	ring_publish(w, l->size, BODY);
	ring_tidy(w);
	return 0;
}

static void *write_records(void *arg)
{
	struct lane *l = arg;
	unsigned char bytes[SIZE_MAX_BYTES] = {1};
	struct cpu_grant grant;
	struct ring_writer w;

	cpu_pin(cpu_nth(0), &grant);
	ring_writer_init(&w, l->map.data[0], l->map.size, l->map.shared[0]);
	for (unsigned n = 1; !atomic_load(&l->stop); n++) {
		if (write_one(&w, l, bytes) < 0)
			break;
		while (atomic_load_explicit(&l->seen, memory_order_acquire) != n &&
		       !atomic_load_explicit(&l->stop, memory_order_relaxed))
			ring_relax();
	}
	return NULL;
}

struct reader {
	struct lane *lane;
	struct hist *hist;
	uint64_t budget_ns;
};

static void *read_records(void *arg)
{
	struct reader *me = arg;
	struct lane *l = me->lane;
	uint64_t end = clock_ns() + START_NS, now = 0;
	unsigned char bytes[SIZE_MAX_BYTES];
	struct cpu_grant grant;
	struct ring_record rec;
	struct ring_reader r;
	enum ring_state s;
	struct err why;

	cpu_pin(cpu_nth(1), &grant);
	ring_reader_init(&r, l->map.data[0], l->map.size, l->map.shared[0]);
	for (unsigned n = 1; n <= WARM + RECORDS && now < end; n++) {
		while ((s = ring_spin(&r, SPINS, &rec, &why)) == RING_WAIT)
			if (clock_ns() >= end)
				break;
		if (s != RING_OK || rec.len != l->size)
			break;
		memcpy(bytes, rec.body, l->size);
		/* The bytes are used: the copy cannot be left out or moved behind the clock. */
		__asm__ volatile("" ::"r"(bytes) : "memory");
		now = clock_ns();
		if (n == WARM)
			end = now + me->budget_ns;
		if (n > WARM)
			hist_record(me->hist, (int64_t)(now - get_u64(bytes)));
		ring_release(&r, rec.end);
		atomic_store_explicit(&l->seen, n, memory_order_release);
	}
	atomic_store(&l->stop, 1);
	return NULL;
}

/* Both ends on threads of their own, so that this one stays pinned nowhere. */
static int run_lane(struct lane *l, struct reader *reader, struct err *e)
{
	pthread_t from, to;

	errno = pthread_create(&to, NULL, read_records, reader);
	if (errno)
		return err_errno(e, "echo: thread");
	errno = pthread_create(&from, NULL, write_records, l);
	if (errno) {
		err_errno(e, "echo: thread");
		atomic_store(&l->stop, 1);
		pthread_join(to, NULL);
		return -1;
	}
	pthread_join(to, NULL);
	pthread_join(from, NULL);
	return 0;
}

static int measure(uint32_t size, uint64_t budget_ns, struct hist *h, struct err *e)
{
	static struct lane l;
	struct reader reader = {&l, h, budget_ns};
	int fd, bad;

	memset(&l, 0, sizeof l);
	l.size = size;
	if (ring_map_create(&l.map, RING_MAP_SIZE_MIN, &fd, e) < 0)
		return -1;
	close(fd);
	bad = run_lane(&l, &reader, e);
	ring_map_free(&l.map);
	return bad;
}

int echo_oneway(struct probe *p, struct err *e)
{
	struct hist *h = mem_alloc(sizeof *h);
	char name[80];
	int bad = h ? 0 : err_errno(e, "echo");

	for (size_t i = 0; i < SIZES && !bad && !probe_stopped(); i++) {
		struct row *row;

		snprintf(name, sizeof name, "ring one way %u B", sizes[i]);
		probe_progress(p, "%s", name);
		row = row_add(&p->result, "echo", name, "ns");
		if (!row) {
			bad = err_errno(e, "echo");
			break;
		}
		links_label(row, LINK_RING_SPIN);
		if (cpu_count() < 2) {
			row_skip(row, "one processor: there is no other to send to");
			continue;
		}
		hist_reset(h);
		bad = measure(sizes[i], p->quick ? QUICK_BUDGET_NS : BUDGET_NS, h, e);
		row_hist(row, h);
		row_extra(row, "payload_bytes", sizes[i]);
		snprintf(
		    row->published, sizeof row->published, "%s ns p50 (measured)", published[i]);
		if (row->n)
			row_note(row, "one way, one in flight, with one reading of the clock");
		else
			row_skip(row, "the two threads never ran at once: the machine is too busy");
	}
	mem_free(h);
	return bad;
}
