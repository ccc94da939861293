/* The fast kernels for AVX2 and FMA. */
#define HMA_LANES 4
#define HMA_FMA
#include "lib/hma_filtered.h"
#include "lib/hma_isa.h"
#include "lib/hma_scatter.h"
#include "lib/hma_vector.h"

const struct hma_isa hma_isa_avx2 = {"avx2", vector_sweep, filtered_sweep, scatter};
