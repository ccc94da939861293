#include "lib/hma.h"

#include <math.h>

const char *const hma_set_names[6] = {
    "hma_half", "hma_full", "hma_sqrt", "hma3_third", "hma3_half", "hma3_full"};

/* rint rounds ties to even, as the definition asks. */
static int64_t window(double x)
{
	double w = rint(x);

	return w < 1 ? 1 : (int64_t)w;
}

struct hma_set hma_set_of_length(int64_t n)
{
	double x = (double)n;
	int64_t p = window(x / 2);

	return (struct hma_set){
	    .half = p,
	    .full = n < 1 ? 1 : n,
	    .sqrt = window(sqrt(x)),
	    .third3 = window((double)p / 3),
	    .half3 = window((double)p / 2),
	    .full3 = p,
	};
}
