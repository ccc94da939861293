/* live_rows <closes: as hma_rows prints them, but bar by bar in one tick each: the default sets
 * live. */
#include "lib/hma.h"
#include "lib/mem.h"

#include <stdio.h>

int main(void)
{
	enum { N = 80 };
	struct hma_live *live[N];
	struct hma_result rows[N] = {{0, 0, 0}};
	void *memory[N];
	double close;

	for (int i = 0; i < N; i++) {
		const struct hma_set set = hma_set_of_length(6 + i * (200 - 6) / (N - 1));

		memory[i] = mem_alloc(hma_live_size(&set));
		if (!memory[i])
			return 1;
		live[i] = hma_live_init(memory[i], &set, 0.09);
	}
	while (fread(&close, sizeof close, 1, stdin) == 1)
		for (int i = 0; i < N; i++)
			hma_live_tick(live[i], &close, 1, &rows[i]);
	for (int i = 0; i < N; i++) {
		printf("%d\t%.17g\t%lld\t%lld\n", 6 + i * (200 - 6) / (N - 1), rows[i].pnl,
		    (long long)rows[i].trades, (long long)rows[i].side);
		mem_free(memory[i]);
	}
	return 0;
}
