/* The fast kernels for any processor: vectors of one. */
#define HMA_LANES 1
#include "lib/hma_filtered.h"
#include "lib/hma_isa.h"
#include "lib/hma_scatter.h"
#include "lib/hma_vector.h"

const struct hma_isa hma_isa_scalar = {"scalar", vector_sweep, filtered_sweep, scatter};
