/* L4, of load.h alone: a thread of a run, and what threads share. */
#ifndef IPCTAX_LOAD_THREAD_H
#define IPCTAX_LOAD_THREAD_H

#include "lib/load_loop.h"

struct load_run;

/* A thread and what is its own. */
struct load_thread {
	struct load_worker w; /* first: between() gets it back */
	struct load_run *run;
	pthread_t id;
	uint64_t random, cpu_ns;
	unsigned epoch; /* of the interval it records */
	struct cpu_grant pin, fifo;
	struct rusage child;
};

/* What the threads share. Gates: nobody passes before all `parties` have come. */
struct load_run {
	const struct load_config *config;
	pthread_mutex_t lock, sample_lock;
	pthread_cond_t cond;
	size_t parties, waiting, finished;
	unsigned gate;
	atomic_int failed;
	struct err *e;
	uint64_t start;
	atomic_uint epoch;
	struct load_conn *conns;
	struct load_thread *threads;
	struct load_tally *tallies;
	size_t n; /* threads that were started */
};

/*
 * Comes to the gate, the lock held: the gate's number, which changes when all parties
 * have come. The main thread is one of them.
 */
unsigned load_arrive(struct load_run *r);

/* A thread's life: user is its struct load_thread. */
void *load_thread(void *user);

#endif
