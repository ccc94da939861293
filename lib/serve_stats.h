/* L4: what a server knows about itself: counters, stage histograms, the flight recorder. */
#ifndef IPCTAX_SERVE_STATS_H
#define IPCTAX_SERVE_STATS_H

#include "lib/frame.h"
#include "lib/hist.h"

/* The stages of a request, in order. */
enum stage {
	STAGE_READ,    /* first byte seen to last byte received */
	STAGE_PARSE,   /* to validated */
	STAGE_WAIT,    /* to the start of the computation */
	STAGE_COMPUTE, /* to its end */
	STAGE_WRITE,   /* reply begun to its last byte handed to the kernel */
	STAGE_COUNT
};

extern const char *const stage_names[STAGE_COUNT];

#define RATE_SECONDS 64

/* One request, as the flight recorder keeps it; times in CLOCK_MONOTONIC ns. */
struct serve_event {
	uint64_t number, connection;
	uint64_t first_ns, received_ns, parsed_ns, started_ns, finished_ns, begun_ns, written_ns;
	uint32_t n_bars, n_sets, slot;
	uint8_t op, flags, error;
	uint8_t untimed; /* the times are not its own: counted only */
};

/* Fixed memory, about 2.6 MiB of it histograms; static or mapped, zeroed, then serve_stats_init. */
struct serve_stats {
	uint64_t start_ns;
	uint64_t requests[OP_COUNT], dry[OP_COUNT], unknown_op;
	uint64_t errors[FRAME_UNSUPPORTED + 1];
	uint64_t slot_hits, slot_misses;
	uint64_t bytes_in, bytes_out;
	uint64_t connections, refused, resets, idle_closed;
	uint64_t gate_sets, gate_differ;
	uint64_t rings, ring_broken; /* set up; closed because the client broke the protocol */
	uint64_t slow, dumps;
	struct {
		uint64_t second, requests;
	} rate[RATE_SECONDS];
	struct hist stage[STAGE_COUNT], dry_stage[STAGE_COUNT];
};

void serve_stats_init(struct serve_stats *s);

/* Counts a request that was answered (without error) and its stages up to the computation's end. */
void serve_stats_request(struct serve_stats *s, const struct serve_event *v);

/* Counts an error frame; op is OP_COUNT where none is known. */
void serve_stats_error(struct serve_stats *s, enum frame_error code);

/* Requests a second over the last whole `seconds` (at most 60) before now. */
double serve_stats_rate(const struct serve_stats *s, uint64_t now_ns, unsigned seconds);

#endif
