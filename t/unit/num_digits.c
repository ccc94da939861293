/* Digits without SIMD, as machines other than x86-64 make them, against printf. */
#define NUM_PORTABLE
#include "lib/num_digits.h"
#include "lib/stat.h"

#include <stdio.h>

int main(void)
{
	char got[17] = "", wanted[17];
	uint64_t state = 1;

	for (int i = 0; i < 200000; i++) {
		uint32_t high = (uint32_t)(stat_random(&state) % 100000000);
		uint32_t low = (uint32_t)(stat_random(&state) % (i % 3 ? 100000000 : 1));
		struct num_digits d;
		int n = 16;

		if (i % 5 == 0)
			high -= high % 10000;
		d = num_digits16(high, low);
		memcpy(got, &d.high, 8);
		memcpy(got + 8, &d.low, 8);
		snprintf(wanted, sizeof wanted, "%08u%08u", high, low);
		while (n && wanted[n - 1] == '0')
			n--;
		if (strcmp(got, wanted) != 0 || d.n != n) {
			printf("%s, %d significant; wanted %s, %d\n", got, d.n, wanted, n);
			return 1;
		}
	}
	return 0;
}
