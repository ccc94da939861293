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

/* ring_publish, ring_publish_part and ring_release, the peer woken where it sleeps. */
void ring_link_publish(struct ring_link *l, uint32_t word, uint32_t offset);
void ring_link_publish_part(struct ring_link *l, uint32_t word, uint32_t offset, uint32_t there);
void ring_link_release(struct ring_link *l, uint64_t end);

/* Whether the calling thread and process pid (0: not known) have but one processor for both. */
int ring_link_shares_cpu(pid_t pid);

#define RING_SPINS_DEFAULT 2000u
#define RING_SPINS_FOREVER UINT64_MAX

/*
 * A client's ring as a byte stream: whole frames go in, bytes of frames come
 * out, so that whoever speaks frames over a socket speaks them over a ring.
 * Connects as transport_unix does and asks for rings of `size` bytes each way;
 * a frame may have RING_RECORD_MAX less two lines. c->t.fd_in is readable when there is
 * something to receive, but for who spins forever.
 *
 * spins: looks at the ring before a sleep, and before recv says EAGAIN; 0:
 * none. RING_SPINS_FOREVER: a blocking call never sleeps, and ends with EINTR
 * every few milliseconds so that the caller can look at its watch; a
 * non-blocking recv looks once. Where both ends have but one processor nobody
 * spins: transport_ring_yields is then 1, and who would spin forever yields.
 * 0, or -1 with *e.
 */
int transport_ring(struct transport_client *c, const char *path, uint64_t timeout_ns, uint64_t size,
    uint64_t spins, struct err *e);
int transport_ring_yields(const struct transport_client *c);

/* What the peer, or the ring, said when a call ended with EPROTO or EMSGSIZE; "" before. */
const char *transport_ring_why(const struct transport_client *c);

#endif
