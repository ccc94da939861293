/* The fast kernels for NEON, which every aarch64 has. */
#define HMA_LANES 2
#define HMA_FMA
#include "lib/hma_filtered.h"
#include "lib/hma_isa.h"
#include "lib/hma_scatter.h"
#include "lib/hma_vector.h"

const struct hma_isa hma_isa_neon = {"neon", vector_sweep, filtered_sweep, scatter};
