#include "lib/serve_live.h"
#include "lib/mem.h"

#define ROUND(n) (((n) + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN)

/* The block: struct live, the sets, the pointers, then the states, each on a cache line. */
static size_t head_size(size_t n)
{
	return ROUND(sizeof(struct live)) +
	       ROUND(n * (sizeof(struct hma_set) + sizeof(struct hma_live *)));
}

uint64_t live_size(const struct hma_set *sets, size_t n)
{
	uint64_t total = head_size(n);

	for (size_t i = 0; i < n; i++) {
		size_t one = hma_live_size(&sets[i]);

		if (one == 0 || one > SIZE_MAX / 4 || total > UINT64_MAX / 4)
			return UINT64_MAX;
		total += ROUND(one);
	}
	return total;
}

struct live *live_new(const struct hma_set *sets, size_t n, double fee, int keep)
{
	uint64_t bytes = live_size(sets, n);
	unsigned char *at = mem_alloc(bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes);
	struct live *l = (struct live *)(void *)at;

	if (!at)
		return NULL;
	*l = (struct live){.n_sets = n, .bytes = bytes, .keep = keep};
	l->sets = (struct hma_set *)(void *)(at + ROUND(sizeof *l));
	l->state = (struct hma_live **)(void *)(l->sets + n);
	if (n)
		memcpy(l->sets, sets, n * sizeof *sets);
	at += head_size(n);
	for (size_t i = 0; i < n; i++) {
		l->state[i] = hma_live_init(at, &sets[i], fee);
		at += ROUND(hma_live_size(&sets[i]));
	}
	return l;
}

void live_free(struct live *l)
{
	if (l)
		buf_free(&l->history);
	mem_free(l);
}
