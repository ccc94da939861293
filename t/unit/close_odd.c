/* The first value that is no close, wherever it stands and however the values are aligned. */
#include "lib/codec_close.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define MOST 40

int main(void)
{
	static const double odd[] = {
	    0.0, -0.0, -1, -DBL_MIN / 2, -DBL_MAX, NAN, -NAN, INFINITY, -INFINITY};
	static const double fine[] = {1, DBL_MAX, DBL_MIN, DBL_MIN / 4503599627370496};
	unsigned char bytes[8 * MOST + 1];

	for (size_t n = 0; n <= MOST; n++)
		for (size_t at = 0; at <= n; at++)
			for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
				unsigned char *p = bytes + k % 2;

				for (size_t i = 0; i < n; i++)
					put_f64(p + 8 * i, i < at    ? fine[(i + k) % 4]
							   : i == at ? odd[k]
								     : odd[i % 9]);
				if (codec_first_odd(p, n) != at) {
					printf("%zu values, %g the first odd one at %zu: found at "
					       "%zu\n",
					    n, odd[k], at, codec_first_odd(p, n));
					return 1;
				}
			}
	return 0;
}
