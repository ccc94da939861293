#include "lib/witness.h"
#include "lib/clock.h"
#include "lib/cpu.h"
#include "lib/mem.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define GIVE_UP_NS 2000000000u
#define N_MAX 65536u
#define WARM 64u
/* Waiting loops look at the clock once in so many turns. */
#define CLOCK_EVERY 4096u

/*
 * Lines differ in how far their home in the shared cache is, so the trips are
 * spread over PAIRS of them, RUN in a row on each before it moves on.
 */
#define PAIRS 64u
#define RUN 16u

struct pair {
	alignas(128) _Atomic uint64_t there;
	alignas(128) _Atomic uint64_t back;
};

struct bounce {
	struct pair pair[PAIRS];
	alignas(128) _Atomic int stop;
	int cpu[2];
	uint32_t n;
	int two_lines;
	uint64_t deadline;
	uint64_t *took; /* n */
	int failed;     /* by the pinging thread */
};

/* Acquire and release as a ring would; 0, or -1 when stopped or out of time. */
static int await(struct bounce *b, _Atomic uint64_t *at, uint64_t value)
{
	for (uint32_t turn = 1; atomic_load_explicit(at, memory_order_acquire) != value; turn++) {
		if (turn % CLOCK_EVERY)
			continue;
		/* Relaxed: it only ends the wait. */
		if (atomic_load_explicit(&b->stop, memory_order_relaxed) ||
		    clock_ns() > b->deadline)
			return -1;
	}
	return 0;
}

static _Atomic uint64_t *line(struct bounce *b, uint64_t trip, int back)
{
	struct pair *p = &b->pair[trip / RUN % PAIRS];

	return back && b->two_lines ? &p->back : &p->there;
}

static void *pong(void *p)
{
	struct bounce *b = p;
	struct cpu_grant g;
	int ok = cpu_pin(b->cpu[1], &g) == 0;

	/* Values differ in the one-line case too: odd there, even back. */
	for (uint64_t i = 1; i <= b->n + WARM && ok; i++) {
		ok = await(b, line(b, i, 0), 2 * i - 1) == 0;
		if (ok)
			atomic_store_explicit(line(b, i, 1), 2 * i, memory_order_release);
	}
	/* Relaxed: it only ends the other's wait, and comes after the last answer. */
	if (!ok)
		atomic_store_explicit(&b->stop, 1, memory_order_relaxed);
	return NULL;
}

static void *ping(void *p)
{
	struct bounce *b = p;
	struct cpu_grant g;
	uint64_t last, now;

	b->failed = cpu_pin(b->cpu[0], &g) < 0;
	last = clock_ns();
	for (uint64_t i = 1; i <= b->n + WARM && !b->failed; i++) {
		atomic_store_explicit(line(b, i, 0), 2 * i - 1, memory_order_release);
		b->failed = await(b, line(b, i, 1), 2 * i) < 0;
		now = clock_ns();
		if (i > WARM)
			b->took[i - WARM - 1] = now - last;
		last = now;
	}
	atomic_store_explicit(&b->stop, 1, memory_order_relaxed);
	return NULL;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int bounce(struct bounce *b, int two_lines, uint64_t *median)
{
	pthread_t a, z;

	b->two_lines = two_lines;
	b->failed = 0;
	memset(b->pair, 0, sizeof b->pair);
	atomic_init(&b->stop, 0);
	if (pthread_create(&z, NULL, pong, b) != 0)
		return -1;
	if (pthread_create(&a, NULL, ping, b) != 0)
		b->failed = atomic_exchange(&b->stop, 1) + 1;
	else
		pthread_join(a, NULL);
	pthread_join(z, NULL);
	if (b->failed)
		return -1;
	qsort(b->took, b->n, sizeof b->took[0], by_size);
	*median = b->took[b->n / 2];
	return 0;
}

int witness_measure(struct witness *w, int cpu_a, int cpu_b, uint32_t n, struct err *e)
{
	struct bounce *b;
	void *memory;
	int bad;

	*w = (struct witness){.cpu = {cpu_a, cpu_b}, .n = n > N_MAX ? N_MAX : n};
	if (cpu_a == cpu_b)
		return err_set(e, STATUS_FAILED,
		    "witness: processor %d alone: a cache line needs two to travel", cpu_a);
	memory = mem_alloc(sizeof *b + alignof(struct bounce) + w->n * sizeof b->took[0]);
	if (!memory || !w->n) {
		mem_free(memory);
		return err_set(
		    e, STATUS_FAILED, "witness: %u round trips: no memory or none asked", n);
	}
	/* Blocks start on a line, pairs of lines on an even one. */
	b = (struct bounce *)(((uintptr_t)memory + alignof(struct bounce) - 1) &
			      ~(uintptr_t)(alignof(struct bounce) - 1));
	memset(b, 0, sizeof *b);
	b->cpu[0] = cpu_a;
	b->cpu[1] = cpu_b;
	b->n = w->n;
	b->took = (uint64_t *)(void *)(b + 1);
	b->deadline = clock_ns() + GIVE_UP_NS;
	bad = bounce(b, 0, &w->one_line_ns) < 0 || bounce(b, 1, &w->two_lines_ns) < 0;
	mem_free(memory);
	return bad ? err_set(e, STATUS_FAILED,
			 "witness: processors %d and %d: not both allowed, or too busy to answer",
			 cpu_a, cpu_b)
		   : 0;
}

enum witness_place witness_place(const struct witness *w)
{
	return w->two_lines_ns <= WITNESS_NEAR_NS ? WITNESS_NEAR : WITNESS_FAR;
}

const char *witness_place_name(enum witness_place place)
{
	return place == WITNESS_NEAR ? "near" : "far";
}

int witness_moved(const struct witness *before, const struct witness *after)
{
	uint64_t a = before->two_lines_ns, z = after->two_lines_ns;

	return witness_place(before) != witness_place(after) || a > z + z / 2 || z > a + a / 2;
}
