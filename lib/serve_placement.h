/* L4: where the loop and the compute threads run, as asked for and as granted. */
#ifndef IPCTAX_SERVE_PLACEMENT_H
#define IPCTAX_SERVE_PLACEMENT_H

#include "lib/cpu.h"
#include "lib/pool.h"

#define PLACEMENT_CPUS 64

struct placement {
	/* Wishes. */
	int cpus[PLACEMENT_CPUS]; /* the loop's, then those the compute threads take in turn */
	unsigned n_cpus;          /* 0: none is asked for */
	int fifo;                 /* SCHED_FIFO priority of the loop; 0: not asked for */
	int numa;                 /* node; -1: not asked for */
	int mlock;
	/* What became of them. */
	struct cpu_grant cpu, compute_cpu, priority, node, lock;
};

/* Carries out the wishes for the calling thread, the loop's, and those of the pool (or NULL). */
void placement_apply(struct placement *p, struct pool *pool);

/* Calls f with the name and the fate of each wish. */
void placement_each(const struct placement *p,
    void (*f)(void *user, const char *name, const struct cpu_grant *g), void *user);

#endif
