/* L4: what a load generator asks, and what has to come back. */
#ifndef IPCTAX_LOAD_PLAN_H
#define IPCTAX_LOAD_PLAN_H

#include "lib/bytes.h"
#include "lib/err.h"
#include "lib/message.h"

#include <stddef.h>
#include <stdint.h>

/* How much of a reply is known before it comes. */
enum load_want {
	LOAD_WANT_BYTES,  /* all of it */
	LOAD_WANT_LENGTH, /* its length */
	LOAD_WANT_ANY,    /* nothing (stats) */
	LOAD_WANT_ECHO,   /* the closes, the first one replaced by the number of the request */
	LOAD_WANT_TICK    /* the live state after these closes */
};

struct load_request {
	const unsigned char *frame; /* length word and body */
	size_t len;
	size_t head;  /* bytes before the closes */
	size_t stamp; /* bytes of a stamp that come before the reply: 0 or 32 */
	enum load_want want;
	const unsigned char *bytes; /* LOAD_WANT_BYTES: the body behind the stamp */
	size_t n;                   /* of the body behind the stamp, but for LOAD_WANT_ANY */
};

/* Requests to be asked in turn by each connection, after a preparation. Memory is counted. */
struct load_plan {
	struct load_request *requests;
	size_t n;
	struct load_request
	    once; /* asked once, by the first connection, before anything; or frame NULL */
	struct load_request each;       /* asked by each connection first; or frame NULL */
	const struct hma_set *live_set; /* LOAD_WANT_TICK: the one set that `each` opens */
	double fee;
	int stamp;            /* set before a load_plan_*: requests ask for stamps */
	struct buf memory[4]; /* frames, expectations, closes, sets: what the requests point to */
};

/* Echoes of n_bytes of closes, a multiple of 8; from 8 on each one is numbered. 0, or -1 with *e.
 */
int load_plan_echo(struct load_plan *p, uint64_t n_bytes, struct err *e);

/*
 * One request: all sets over the first n_bars of the default series (gbm.h), fee
 * in percentage points a trade, its result computed here.
 */
int load_plan_sweep(struct load_plan *p, uint64_t n_bars, const struct hma_set *sets, size_t n_sets,
    double fee, struct err *e);

/* The series is loaded into the slot once; then a set a request, in turn. */
int load_plan_slot(struct load_plan *p, uint32_t slot, uint64_t n_bars, const struct hma_set *sets,
    size_t n_sets, double fee, struct err *e);

/* Each connection opens one set, then ticks n_bars closes a request through the default series. */
int load_plan_tick(
    struct load_plan *p, uint64_t n_bars, const struct hma_set *set, double fee, struct err *e);

/*
 * The requests of a stream as they stand, in turn and over again. Echoes and sweeps are
 * checked to the byte, others for their length. The stream is kept in memory.
 */
int load_plan_replay(struct load_plan *p, int fd, const char *name, double fee, struct err *e);

void load_plan_free(struct load_plan *p);

#endif
