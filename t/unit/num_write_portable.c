/* The same without SIMD, as machines other than x86-64 write: it comes before the library's. */
#define NUM_PORTABLE
#include "lib/num_format.c"

#include "t/unit/num_write.c"
