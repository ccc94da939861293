#include "lib/hma.h"
#include "lib/hma_isa.h"
#include "lib/hma_kernels.h"
#include "lib/hma_layout.h"

#include <string.h>

static const char *const kernel_names[] = {"reference", "checked", "vector", "filtered", "auto"};

const char *hma_kernel_name(enum hma_kernel k)
{
	return (unsigned)k <= HMA_AUTO ? kernel_names[k] : NULL;
}

int hma_kernel_by_name(const char *name)
{
	for (int k = 0; k <= HMA_AUTO; k++)
		if (strcmp(name, kernel_names[k]) == 0)
			return k;
	return -1;
}

int64_t hma_max_window(const struct hma_set *sets, size_t n_sets, size_t n_bars)
{
	int64_t max = 1;

	for (size_t i = 0; i < n_sets; i++) {
		const struct hma_set *s = &sets[i];
		const int64_t w[6] = {s->half, s->full, s->sqrt, s->third3, s->half3, s->full3};

		for (int j = 0; j < 6; j++)
			if (w[j] > max)
				max = w[j];
	}
	return (uint64_t)max > n_bars ? (int64_t)n_bars : max;
}

size_t hma_scratch_size(enum hma_kernel k, size_t n_bars, int64_t max_window)
{
	const size_t w =
	    max_window > 0 && (uint64_t)max_window < n_bars ? (size_t)max_window : n_bars;
	size_t doubles;

	if (n_bars > SIZE_MAX / 1024)
		return SIZE_MAX;
	if (k == HMA_REFERENCE || k == HMA_CHECKED)
		doubles = HMA_REFERENCE_ARRAYS * n_bars;
	else if (k == HMA_VECTOR)
		doubles = hma_vector_room(n_bars, w);
	else
		doubles = hma_filter_room(n_bars, w);
	return hma_round_up((doubles ? doubles : 1) * sizeof(double), 64);
}

void hma_sweep(enum hma_kernel k, const double *closes, size_t n_bars, const struct hma_set *sets,
    size_t n_sets, double fee, void *scratch, struct hma_result *results)
{
	const struct hma_isa *isa = hma_isa_chosen();
	hma_sweep_fn *const sweep[] = {[HMA_REFERENCE] = hma_reference,
	    [HMA_CHECKED] = hma_checked,
	    [HMA_VECTOR] = isa->vector,
	    [HMA_FILTERED] = isa->filtered,
	    [HMA_AUTO] = isa->filtered};

	sweep[k](closes, n_bars, sets, n_sets, fee, scratch, results);
}
