/* L2 template: one value added, each time with the next weight, to many sums. */
#ifndef IPCTAX_HMA_SCATTER_H
#define IPCTAX_HMA_SCATTER_H

#include "lib/hma_vec.h"

#include <stddef.h>

/*
 * weights[k] += 1, sums[k] += x * weights[k], each operation rounded once; n is
 * a multiple of 8. The places of the vectors are the same at every call: what
 * one call stores the next can load before it has reached the cache.
 */
static inline void scatter(double *sums, double *weights, size_t n, double x)
{
	for (size_t k = 0; k < n; k += LANES) {
		const vec weight = vec_load(weights + k) + 1;

		vec_store(weights + k, weight);
		vec_store(sums + k, vec_load(sums + k) + weight * x);
	}
}

#endif
