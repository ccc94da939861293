/* kernel_self: the self test of every kernel on every instruction set here; a line of what ran. */
#include "lib/hma.h"

#include <stdio.h>

int main(void)
{
	static const char *const isas[] = {"scalar", "sse2", "avx2", "neon"};
	int bad = 0;

	for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
		if (hma_isa_force(isas[i]) != 0)
			continue;
		for (int k = 0; k <= HMA_AUTO; k++) {
			const int differs = hma_self_test((enum hma_kernel)k);

			printf("%s %s %s\n", isas[i], hma_kernel_name((enum hma_kernel)k),
			    differs ? "differs" : "same");
			bad |= differs;
		}
	}
	return bad != 0;
}
