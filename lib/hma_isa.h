/* L2: the fast kernels of each instruction set this architecture may have. */
#ifndef IPCTAX_HMA_ISA_H
#define IPCTAX_HMA_ISA_H

#include "lib/hma_kernels.h"

/* Adds x to n sums with the next weight of each, as hma_scatter.h has it. */
typedef void hma_scatter_fn(double *sums, double *weights, size_t n, double x);

struct hma_isa {
	const char *name;
	hma_sweep_fn *vector, *filtered;
	hma_scatter_fn *scatter; /* of live */
};

extern const struct hma_isa hma_isa_scalar;
#if defined __x86_64__
extern const struct hma_isa hma_isa_sse2, hma_isa_avx2;
#elif defined __aarch64__
extern const struct hma_isa hma_isa_neon;
#endif

/* The one in use: the best of this processor unless hma_isa_force chose. */
const struct hma_isa *hma_isa_chosen(void);

#endif
