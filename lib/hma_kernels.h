/* L2: what hma.c chooses from: one sweep of one set or of many, a kernel each. */
#ifndef IPCTAX_HMA_KERNELS_H
#define IPCTAX_HMA_KERNELS_H

#include "lib/hma.h"

/* Arguments as hma_sweep; every window of the sets is at least 1. */
typedef void hma_sweep_fn(const double *closes, size_t n_bars, const struct hma_set *sets,
    size_t n_sets, double fee, void *scratch, struct hma_result *results);

hma_sweep_fn hma_reference, hma_checked;

/* Arrays of n_bars doubles that reference and checked need. */
#define HMA_REFERENCE_ARRAYS 4

#endif
