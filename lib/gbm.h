/* L1: the close series of a seeded geometric Brownian motion, bar by bar. */
#ifndef IPCTAX_GBM_H
#define IPCTAX_GBM_H

#include "lib/err.h"
#include "lib/rng.h"

#include <stddef.h>
#include <stdint.h>

/* What determines a series, with the defaults of the published sweep (over 150,000 bars). */
struct gbm_params {
	uint64_t seed;
	double sigma; /* standard deviation of a bar's log return */
	double mu;    /* its mean */
	double start; /* the price that bar 1 moves away from; above 0 */
};
#define GBM_DEFAULTS ((struct gbm_params){.seed = 42, .sigma = 0.0008, .mu = 0.0, .start = 100.0})

/* A series under way: a few words, however many bars. */
struct gbm {
	struct gbm_params params;
	struct rng rng;
	double sum;    /* of the log returns so far */
	uint64_t bars; /* made so far */
};

void gbm_init(struct gbm *g, const struct gbm_params *p);

/*
 * The next n closes: sum += mu + sigma z, close = start exp(sum), z from
 * rng_normal, each operation rounded once; the bytes are the same on every
 * machine, however the series is cut into blocks. 0; or -1 with *e
 * (STATUS_FAILED) naming the bar, from 1, whose close is not finite and above 0
 * (closes before it are valid).
 */
int gbm_next(struct gbm *g, double *closes, size_t n, struct err *e);

#endif
