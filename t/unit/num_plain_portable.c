/* The same loops without SIMD, as machines other than x86-64 have them: they come before the
 * library's. */
#define NUM_PORTABLE
#include "lib/num_plain.c"

#include "t/unit/num_plain.c"
