/* L2: refuses compilers that would not round each operation once to binary64. */
#ifndef IPCTAX_HMA_EXACT_H
#define IPCTAX_HMA_EXACT_H

#include <float.h>

#ifdef __FAST_MATH__
#error "the kernels are defined operation by operation: build without -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "the kernels need arithmetic in binary64 (on x86: SSE2, not the x87)"
#endif

#endif
