/* L4, of load.h alone: a thread's loop over its connections. */
#ifndef IPCTAX_LOAD_LOOP_H
#define IPCTAX_LOAD_LOOP_H

#include "lib/load_conn.h"

struct load_worker {
	const struct load_config *config;
	struct load_conn *conns; /* n of them */
	size_t n, index, turn;
	struct load_tally *tally;
	uint64_t *random; /* state of Poisson arrivals */
	/* Called between requests, a few times a second at least. */
	void (*between)(struct load_worker *w);
	uint64_t unsent;
};

/*
 * Asks up to `quota` requests between the times `begin` and `end`, measured or not, and awaits
 * their answers. Returns early when config->stop is set or no connection is left.
 */
void load_loop(struct load_worker *w, uint64_t quota, uint64_t begin, uint64_t end, int measured);

#endif
