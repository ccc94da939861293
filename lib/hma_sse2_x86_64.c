/* The fast kernels for SSE2, which every x86-64 has. */
#define HMA_LANES 2
#include "lib/hma_filtered.h"
#include "lib/hma_isa.h"
#include "lib/hma_scatter.h"
#include "lib/hma_vector.h"

const struct hma_isa hma_isa_sse2 = {"sse2", vector_sweep, filtered_sweep, scatter};
