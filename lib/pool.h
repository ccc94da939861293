/* L0: compute threads that run jobs made of parts, and report the finished ones by a descriptor. */
#ifndef IPCTAX_POOL_H
#define IPCTAX_POOL_H

#include "lib/err.h"

#include <stddef.h>
#include <stdint.h>

/* Working memory of one thread: grows to what was asked for, content not kept. {0} is an empty one.
 */
struct scratch {
	void *p;
	size_t size;
};

/* At least n bytes aligned to MEM_ALIGN, or NULL (errno ENOMEM). */
void *scratch_get(struct scratch *s, size_t n);
void scratch_free(struct scratch *s);

/*
 * A job: run is called once for each part 0..parts-1, on any threads in any
 * order; parts of several jobs take turns. The caller owns the memory, which
 * must stay until pool_done hands the job back.
 */
struct pool_job {
	void (*run)(struct pool_job *job, size_t part, struct scratch *scratch);
	size_t parts;                     /* 1 or more */
	uint64_t started_ns, finished_ns; /* CLOCK_MONOTONIC: first part begun, last part ended */
	/* The pool's own. */
	size_t next_part, parts_left;
	struct pool_job *next;
};

struct pool;

/* n threads (1 or more), all signals blocked in them; NULL with *e. */
struct pool *pool_start(unsigned n, struct err *e);

/* Waits for the jobs in hand, stops the threads, frees everything. NULL is fine. */
void pool_stop(struct pool *p);

void pool_submit(struct pool *p, struct pool_job *job);

/* Runs a job here and now on the caller's scratch: the same, without threads. */
void pool_run_here(struct pool_job *job, struct scratch *scratch);

/* Readable while finished jobs wait for pool_done. */
int pool_fd(const struct pool *p);

/* A finished job, or NULL: there is none now (and pool_fd is quiet again). */
struct pool_job *pool_done(struct pool *p);

/* Frees the scratch of all threads; only while no job is in hand. */
void pool_trim(struct pool *p);

/* Calls f in each thread once, before its next job, and waits for all: to pin them, and so on. */
void pool_each(struct pool *p, void (*f)(void *arg, unsigned thread), void *arg);

#endif
