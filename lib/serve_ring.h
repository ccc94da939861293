/*
 * L4, private to lib/serve*.c: connections whose frames go by a ring.
 *
 * The requests of such a connection are read where they stand in the ring:
 * closes are never copied, head and sets are, for the peer can change what it
 * has sent. Replies are written where they will be read.
 */
#ifndef IPCTAX_SERVE_RING_H
#define IPCTAX_SERVE_RING_H

#include "lib/serve_impl.h"
#include "lib/transport_ring.h"

/* Of requests over rings, one in so many is timed: a clock costs as much as the crossing. */
#define RING_TIMED_EVERY 64u

/* Payloads stand at the start of a reply's body, or behind 32 bytes of stamps. */
#define RING_REPLY_OFFSET 8u

struct ring_conn {
	enum source source; /* first: what epoll's word for the eventfd points to */
	struct conn *conn;
	struct ring_conn *next, *previous; /* those that are looked at: not asleep */
	int listed, busy;                  /* it is among them; something came at the last looks */
	uint64_t last_ns;                  /* when something last came */
	struct ring_link link;
	struct ring_record record; /* the request in hand */
	int has_record, parsed;    /* there is one; its head was accepted */
	uint32_t there;            /* bytes of its body that have come, where it comes in parts */
	size_t copied;             /* bytes of an echo that are in their reply already */
	int no_room;               /* it waits for the client to read replies */
	int alone;                 /* client and loop share one processor: never spin for it */
	int broken;                /* the client broke the protocol: what is left to say goes
				      to the socket */
	unsigned char *reply;      /* room in the ring, its body */
	uint64_t reserved;         /* bytes of it; 0: none */
};

/* The connection's ring, where replies go by it; else NULL. */
static inline struct ring_conn *by_ring(const struct conn *c)
{
	return c->ring && !c->ring->broken ? c->ring : NULL;
}

/* Op ring: whether it can be, and then the handing over. */
enum frame_error ring_admit(struct conn *c, struct err *e);
void ring_begin(struct conn *c);

/* Unmaps and frees; the connection is about to be freed. */
void ring_end(struct conn *c);

/* A turn: the requests that are there, at most some; how many were taken up. */
unsigned ring_turn(struct conn *c);

/* The client's memory makes no sense: it is told on the socket, and that is the end. */
void ring_violation(struct conn *c, const struct err *e);

/* Something is to be read from the socket: the peer's end, or what must not be there. */
void ring_hung_up(struct conn *c);

/* What serve_reply.c does, for a ring; begun comes before an error, end brings it along. */
void ring_reply_begun(struct conn *c);
unsigned char *ring_reply_begin(struct conn *c, size_t n);
void ring_reply_end(struct conn *c, size_t n, const unsigned char *tail, size_t tail_len);
void ring_reply_part(struct conn *c, const unsigned char *p, size_t n); /* the first n of an echo */
void ring_reply_error(struct conn *c, enum frame_error code, const char *text);

/*
 * The loop looks only at rings where something came a moment ago, or is about
 * to: enlist puts one among them, as when its eventfd tells; one that is quiet
 * for the time of --ring-spin sleeps, its flag up, and costs nothing.
 */
void rings_enlist(struct ring_conn *r);
void rings_delist(struct ring_conn *r);

/* Serves those for a while, and puts to sleep what is quiet. */
void rings_poll(struct serve *s);

#endif
