/* L4, of load.h alone: one connection, its requests under way, and the check of its replies. */
#ifndef IPCTAX_LOAD_CONN_H
#define IPCTAX_LOAD_CONN_H

#include "lib/load.h"

#include <pthread.h>

/* What one thread counts, while measuring and not. */
struct load_tally {
	struct hist response, service, lateness, there, back;
	struct hist interval[2]; /* responses of the interval under way, and of the one before */
	int recording;           /* which of the two is under way */
	int intervals;           /* whether anybody wants them */
	uint64_t sent, answered, bytes_there, bytes_back;
	uint64_t last_answer_ns;
	uint64_t faults[LOAD_FAULTS];
	char first_fault[400];
};

struct load_entry {
	const struct load_request *request;
	uint64_t due, sent, number;
	int measured;
};

struct load_conn {
	struct transport_client peer;
	const struct load_config *config;
	struct load_tally *tally;
	size_t index;
	int open;    /* the peer is there */
	int overdue; /* a reply is later than the timeout: nothing more is asked */
	/* A queue of q[i & mask]: [head, next) sent and not answered, [next, tail) to send. */
	struct load_entry *q;
	size_t mask, head, next, tail;
	size_t sent_bytes;           /* of q[next] */
	uint64_t blocked_ns;         /* since when nothing of q[next] could be sent; 0: not */
	_Atomic uint64_t waiting_ns; /* since when a blocking call may wait; 0: none does */
	uint64_t number;             /* of the next request, from 1 */
	uint64_t last_answered;      /* number of the one answered last */
	size_t turn;                 /* of the plan's requests */
	unsigned char *in;
	size_t in_cap, in_len;
	uint64_t skip;        /* bytes still to come of a reply that is too long */
	void *live;           /* struct hma_live, for ticks */
	uint64_t received_ns; /* when receive last returned */
	uint64_t start;       /* of the measurement, for samples */
	pthread_mutex_t *sample_lock;
};

/* Opens connection `index` and makes it ready. 0, or -1 with *e. */
int load_conn_open(struct load_conn *c, const struct load_config *config, size_t index,
    struct load_tally *tally, struct err *e);

/* Asks what the plan wants asked before the run, and awaits the answer. 0, or -1 with *e. */
int load_conn_prepare(struct load_conn *c, struct err *e);

/* Counts what is wrong with the reply to request `number`; the first one's text is kept. */
void load_conn_fault(struct load_conn *c, enum load_fault f, uint64_t number, const char *text);

/* Judges every reply in c->in that is whole; what is left moves to the front. */
void load_conn_take(struct load_conn *c, uint64_t now);

/* Whether another request can be asked now. */
static inline int load_conn_has_room(const struct load_conn *c)
{
	return c->open && !c->overdue && c->tail - c->head <= c->mask;
}

/* Queues the plan's next request, due at `due`. There must be room. */
void load_conn_ask(struct load_conn *c, uint64_t due, int measured);

/* Sends what is queued as far as the peer takes it. */
void load_conn_send(struct load_conn *c);

/*
 * Receives once and judges the replies that are whole. 1: something came; 0: nothing was there (or
 * a wait was interrupted).
 */
int load_conn_receive(struct load_conn *c);

/* For another thread: ends a blocking wait that is too long, or any when the run is to stop. */
void load_conn_rescue(struct load_conn *c, uint64_t now, int stopped);

/* Marks the connection where its oldest request has waited too long; gives it up after as long
 * again, at most a second. */
void load_conn_check(struct load_conn *c, uint64_t now);

/* Requests asked and not answered. */
static inline size_t load_conn_under_way(const struct load_conn *c)
{
	return c->open ? c->tail - c->head : 0;
}

/* Waits until something can be received, or ms have passed; a blocking receive waits by itself. */
void load_conn_await(struct load_conn *c, int ms);

/* Tells the peer that nothing more will be asked. */
void load_conn_end(struct load_conn *c);

/* Hears until `until` at the latest what else the peer has to say, closes, frees; reaps a spawned
 * one. */
void load_conn_close(struct load_conn *c, uint64_t until, struct rusage *child);

#endif
