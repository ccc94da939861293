/*
 * L4: a load generator: requests to a peer in a closed or an open loop, every
 * reply verified, latencies in histograms.
 *
 * Closed loop: each connection keeps `depth` requests under way. Open loop:
 * requests are due at times fixed beforehand, whatever the peer does; the
 * response time runs from when a request was due, the service time from when
 * it was sent, so that a peer that stalls cannot hide the requests it held up
 * (coordinated omission).
 */
#ifndef IPCTAX_LOAD_H
#define IPCTAX_LOAD_H

#include "lib/cpu.h"
#include "lib/err.h"
#include "lib/hist.h"
#include "lib/load_plan.h"
#include "lib/transport_client.h"

#include <stdatomic.h>
#include <stdint.h>

enum load_arrivals { LOAD_CONSTANT, LOAD_POISSON };

/* What can be wrong with a reply; each is counted apart from latencies. */
enum load_fault {
	LOAD_WRONG,   /* bytes that differ */
	LOAD_SHORT,   /* fewer bytes than asked for */
	LOAD_LONG,    /* more */
	LOAD_TWICE,   /* the reply before once more */
	LOAD_UNASKED, /* bytes that answer nothing */
	LOAD_REFUSED, /* an error frame */
	LOAD_LATE,    /* after the timeout */
	LOAD_MISSING, /* never */
	LOAD_CLOSED,  /* connections that the peer ended before we did */
	LOAD_FAULTS
};

/* "wrong", "short", ... */
extern const char *const load_fault_names[LOAD_FAULTS];

struct load_config {
	const struct load_plan *plan;
	/* Opens the connection of that index; *e where it cannot. */
	int (*open)(void *user, size_t index, struct transport_client *c, struct err *e);
	void *user;
	size_t connections, threads; /* 1 or more; threads at most connections */
	size_t depth;                /* closed: under way a connection; open: at most */
	double rate;                 /* requests a second of all together; 0: closed loop */
	enum load_arrivals arrivals;
	uint64_t seed;                /* of Poisson arrivals */
	uint64_t count, duration_ns;  /* whichever comes first; UINT64_MAX: without */
	uint64_t warm_count, warm_ns; /* a connection's first, not measured; both are done */
	uint64_t timeout_ns;          /* for a reply */
	int verify, spin;             /* spin: never sleep in a wait */
	int one_way;                  /* the plan's requests are stamped: times of each way apart */
	const int *cpus;              /* a processor for each thread in turn */
	size_t n_cpus;
	int fifo;               /* SCHED_FIFO priority, 0: none */
	const atomic_int *stop; /* set by somebody: end now */
	uint64_t interval_ns;   /* 0, or: call this often */
	void (*on_interval)(
	    void *user, const struct hist *response, uint64_t from_ns, uint64_t to_ns);
	/* Each measured reply, when not NULL; one caller at a time. Times from the start, ns. */
	void (*on_sample)(
	    void *user, size_t connection, int64_t due, int64_t sent, int64_t answered);
};

struct load_result {
	struct hist response, service, lateness; /* lateness: sent after due */
	struct hist there,
	    back; /* one_way: sent to received by the peer, its reply begun to received */
	uint64_t sent, answered, unsent; /* unsent: due before the end, not sent by then */
	uint64_t faults[LOAD_FAULTS];
	char first_fault[400]; /* empty: none */
	uint64_t elapsed_ns;   /* from the start to the last answer */
	uint64_t bytes_there, bytes_back;
	uint64_t cpu_ns;      /* of our threads, while measuring */
	uint64_t peer_cpu_ns; /* of the peer's process */
	int has_peer_cpu, interrupted;
	int blocking;               /* waits were blocking receives, not polls */
	int ring;                   /* the peers were at the other end of rings */
	struct cpu_grant pin, fifo; /* of the first thread that was refused, else of the first */
	struct rusage child;        /* of spawned peers, when they ended */
};

/*
 * Runs. *r is from mem_alloc (it is large). 0 where a run took place, whatever
 * was wrong with replies; -1 with *e where it could not (no connection, no memory).
 */
int load_run(const struct load_config *c, struct load_result *r, struct err *e);

/* Replies in all that were wrong in some way. */
uint64_t load_faults(const struct load_result *r);

#endif
