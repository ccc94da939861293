/* L3, private to lib/transport_ring*.c: a client's end, and its waiting. */
#ifndef IPCTAX_TRANSPORT_RING_IMPL_H
#define IPCTAX_TRANSPORT_RING_IMPL_H

#include "lib/bytes.h"
#include "lib/transport_ring.h"

#include <stdatomic.h>

struct ring_client {
	struct ring_link link;
	int socket, ready;         /* ready: epoll of socket and wake_me, the transport's fd_in */
	uint64_t spins;            /* as asked for */
	int yields;                /* both ends have but one processor */
	int flagged;               /* our sleeping flag is set: EAGAIN was said */
	unsigned vain;             /* non-blocking receives without anything */
	struct buf part;           /* a frame that was handed over in pieces, until it is whole */
	uint64_t want;             /* bytes it will have, its length word included; 0: not known */
	struct ring_record record; /* being given out */
	uint64_t given;            /* bytes of it that were, its length word included */
	uint32_t there;            /* bytes of its body that have come */
	_Atomic(const void *) sender; /* a mark of the thread that sends: the writer is its own */
	int has_record;
	atomic_int closed; /* the socket's end was seen; by the receiver, read by the sender too */
	struct err why;
};

/* The next record into r->record, or more of it than was given out: 1, 0 at the end, -1 with errno
 * (EAGAIN: none now). */
int ring_client_next(struct ring_client *r, int blocking);

/* Sees to it that fd_in is readable when a record is there, now or later. */
void ring_client_pollable(struct ring_client *r);

/* Room for a frame's body: 1, or -1 with errno. */
int ring_client_room(
    struct ring_client *r, int blocking, uint32_t len, uint32_t offset, unsigned char **body);

#endif
