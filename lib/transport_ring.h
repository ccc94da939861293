/*
 * L3: the two ends of a ring channel: how it is handed over on a Unix socket
 * (op ring), how each end wakes the other, and how it learns that it is gone.
 *
 * The socket stays open and carries nothing more but its own end: it hangs up
 * when the peer closes or dies, at once, whatever killed it. An engine that
 * closes because the peer broke the protocol says why in an error frame there.
 */
#ifndef IPCTAX_TRANSPORT_RING_H
#define IPCTAX_TRANSPORT_RING_H

#include "lib/bytes.h"
#include "lib/err.h"
#include "lib/ring_map.h"
#include "lib/transport.h"
#include "lib/transport_client.h"

struct ring_link {
	struct ring_map map;
	struct ring_reader in;
	struct ring_writer out;
	int wake_me, wake_peer; /* eventfds, non-blocking; -1: none */
};

/*
 * The engine's side: makes rings of `size` bytes (see ring_map_round) and sends
 * n bytes of reply on the socket, without waiting, the descriptors of memory,
 * of what wakes the engine and of what wakes the client along with them. 0; -1
 * with *e and nothing kept.
 */
int ring_link_offer(
    struct ring_link *l, int socket, uint64_t size, const void *reply, size_t n, struct err *e);

/*
 * The client's side: asks on the connected socket for rings of at least
 * `bytes` each and takes what comes. 0, or -1 with *e: refused (by what
 * sentence), or not what an engine sends.
 */
int ring_link_take(struct ring_link *l, int socket, uint32_t bytes, struct err *e);

/* Unmaps and closes the eventfds; the socket is the caller's. An all-0 struct with -1s is fine. */
void ring_link_close(struct ring_link *l);

/* ring_publish and ring_release, the peer woken where it sleeps. */
void ring_link_publish(struct ring_link *l, uint32_t word, uint32_t offset);
void ring_link_release(struct ring_link *l, uint64_t end);

/* Whether the calling thread and process pid (0: not known) have but one processor for both. */
int ring_link_shares_cpu(pid_t pid);

/*
 * A client's ring as a byte stream: whole frames go in, bytes of frames come
 * out, so that whoever speaks frames over a socket speaks them over a ring.
 */
struct transport_ring {
	struct transport_client c; /* first; fd_in and fd_out are the socket */
	struct ring_link link;
	uint64_t spins;  /* looks at the ring before sleeping; UINT64_MAX: never sleeps */
	int yields;      /* both ends share one processor, or there is but one: no spinning */
	struct buf part; /* a frame that was handed over in pieces, until it is whole */
	uint64_t want;   /* bytes that `part` will have, its length word included; 0: not known */
	struct ring_record record; /* being given out */
	uint64_t given;            /* bytes of it that were, its length word included */
	int has_record;
	int closed;     /* the socket's end was seen */
	struct err why; /* after an error with errno EPROTO or EPIPE: what happened */
};

#define RING_SPINS_DEFAULT 20000u

/*
 * Connects as transport_unix does and asks for rings that frames of `largest`
 * bytes fit, requests and replies. spins as above. 0, or -1 with *e.
 */
int transport_ring(struct transport_ring *r, const char *path, uint64_t timeout_ns,
    uint64_t largest, uint64_t spins, struct err *e);

#endif
