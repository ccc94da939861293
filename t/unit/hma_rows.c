/* hma_rows KERNEL ISA <closes: the default sweep's rows of a raw series, "length pnl trades side".
 */
#include "lib/hma.h"
#include "lib/mem.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	enum { N = 80, MAX = 10000000 };
	struct hma_set sets[N];
	struct hma_result rows[N];
	double *closes = mem_alloc(MAX * sizeof *closes);
	int64_t length[N];
	void *scratch;
	size_t n;
	int k;

	if (argc != 3 || (k = hma_kernel_by_name(argv[1])) < 0 || !closes)
		return 2;
	if (strcmp(argv[2], "-") != 0 && hma_isa_force(argv[2]) != 0)
		return 2;
	n = fread(closes, sizeof *closes, MAX, stdin);
	for (int i = 0; i < N; i++) {
		length[i] = 6 + i * (200 - 6) / (N - 1);
		sets[i] = hma_set_of_length(length[i]);
	}
	scratch = mem_alloc(hma_scratch_size((enum hma_kernel)k, n, hma_max_window(sets, N, n)));
	if (!scratch)
		return 1;
	hma_sweep((enum hma_kernel)k, closes, n, sets, N, 0.09, scratch, rows);
	for (int i = 0; i < N; i++)
		printf("%lld\t%.17g\t%lld\t%lld\n", (long long)length[i], rows[i].pnl,
		    (long long)rows[i].trades, (long long)rows[i].side);
	mem_free(scratch);
	mem_free(closes);
	return 0;
}
