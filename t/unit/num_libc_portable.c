/* The same for text made without SIMD, as machines other than x86-64 make it. */
#define NUM_PORTABLE
#include "lib/num_format.c"

#include "t/unit/num_libc.c"
