/* L4: one request's computation, as a job of the pool or right here. */
#ifndef IPCTAX_SERVE_WORK_H
#define IPCTAX_SERVE_WORK_H

#include "lib/hma.h"
#include "lib/pool.h"
#include "lib/serve_live.h"

#include <stdatomic.h>

struct work {
	struct pool_job job; /* first, so that a finished job leads back here */
	enum hma_kernel kernel;
	double fee;
	int gate;
	const double *closes;
	size_t n_bars;
	const struct hma_set *sets;
	size_t n_sets;
	struct live *live; /* feed the closes to this; NULL: a sweep */
	const double *all; /* what the gate sweeps: closes, or for live all so far */
	size_t n_all;
	size_t chunk; /* sets a part */
	/* Where the results go: 8 bytes a set each, any alignment; sides NULL for a sweep, all
	 * NULL where none are wanted. */
	unsigned char *pnl, *trades, *sides;
	_Atomic int no_memory;
	_Atomic uint64_t
	    differ; /* 1 + the first set in which the gate found a difference; 0: none */
};

/* Fills in the job; threads says how many will share it. */
void work_prepare(struct work *w, unsigned threads);

/* About how long it takes on one thread, ns: to tell the short from the long. */
double work_estimate(const struct work *w);

#endif
