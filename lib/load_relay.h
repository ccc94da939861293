/* L4: frames from a descriptor to a peer, its replies to another: the client for shells. */
#ifndef IPCTAX_LOAD_RELAY_H
#define IPCTAX_LOAD_RELAY_H

#include "lib/err.h"
#include "lib/transport.h"

#include <stdint.h>

/* Counts whole frames in a stream that passes by in pieces. {0} at its start. */
struct load_count {
	uint64_t frames, bytes;
	uint64_t left;         /* of the body of the frame that has begun */
	unsigned char word[4]; /* its length */
	unsigned have;         /* bytes of it so far */
};

void load_count(struct load_count *c, const void *p, size_t n);

/* Whether the stream stands between two frames. */
int load_count_whole(const struct load_count *c);

struct load_relay {
	uint64_t requests, replies; /* whole frames */
	uint64_t bytes_there, bytes_back;
};

/*
 * Sends what comes from `in` and writes what comes back to `out`, both at once, so that neither
 * waits for the other; tells the peer the end of input and reads to the end of
 * its answers. Blocking transports only. 0; -1 with *e: the peer closed before it had answered all
 * (STATUS_FAILED), input ended inside a frame (STATUS_INPUT), or an error of reading or writing.
 * Writing to a closed pipe raises SIGPIPE for `out`, not for the peer.
 */
int load_relay(
    struct load_relay *r, struct transport *t, int in, const char *in_name, int out, struct err *e);

#endif
