/* L4: the live state of a connection: sets fed bar by bar (ops open and tick). */
#ifndef IPCTAX_SERVE_LIVE_H
#define IPCTAX_SERVE_LIVE_H

#include "lib/bytes.h"
#include "lib/hma.h"

#include <stdint.h>

struct live {
	size_t n_sets;
	uint64_t bytes;          /* of all of it */
	struct hma_set *sets;    /* a copy */
	struct hma_live **state; /* one a set, not begun yet */
	struct buf history;      /* all closes so far, kept for the gate only */
	int keep;                /* it is kept */
};

/* Bytes that live_new takes for these sets; UINT64_MAX where a window is out of reach. */
uint64_t live_size(const struct hma_set *sets, size_t n);

/* One block, to be freed with live_free; NULL (errno). keep: for the gate. */
struct live *live_new(const struct hma_set *sets, size_t n, double fee, int keep);
void live_free(struct live *l);

#endif
