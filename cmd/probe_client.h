/* Private to ipcprobe's suites: an engine at the other end of a link, called and timed. */
#ifndef IPCTAX_PROBE_CLIENT_H
#define IPCTAX_PROBE_CLIENT_H

#include "cmd/probe.h"
#include "lib/message.h"
#include "lib/transport_client.h"
#include "lib/witness.h"

#include <sched.h>
#include <sys/resource.h>

/* The last one never sleeps, on both ends. */
enum probe_link { LINK_PIPE, LINK_UNIX, LINK_TCP, LINK_RING, LINK_RING_SPIN, LINKS };

/* "pipe", "unix", ...; and how both ends of it wait: "block", ... */
extern const char *const probe_link_names[LINKS];
extern const char *const probe_link_waits[LINKS];

struct probe_client {
	struct transport_client plain;
	struct transport *t; /* NULL: not open */
	enum probe_link link;
	const char *who;   /* for messages */
	unsigned char *in; /* the reply as it came, its length word first; counted memory */
	size_t in_len, in_cap;
	struct reply reply; /* to the last call, taken apart; points into `in` */
	/* Of the last call: */
	uint64_t trip_ns;    /* from before the first byte was sent to after the last had come */
	uint64_t compute_ns; /* the engine's own, by its stamps; 0 without them */
	/* Of all calls: */
	uint64_t calls, bytes_out, bytes_in;
};

/*
 * Opens the link: to the server's socket, to its ring for frames of up to
 * `largest` bytes (-1 with *e also where the engine allows no ring so large), or (pipe) to a filter
 * of its own that argv names. who is kept by reference. 0, or -1 with *e; client_close is right in
 * both cases.
 */
int client_connect(struct probe_client *c, enum probe_link link, const struct probe_server *s,
    const char *who, struct err *e);
int client_ring(struct probe_client *c, enum probe_link link, const struct probe_server *s,
    uint64_t largest, const char *who, struct err *e);
int client_spawn(struct probe_client *c, char *const argv[], const char *who, struct err *e);

/* Closes, waits for a spawned engine (at most 2 s, then kills it), frees. */
void client_close(struct probe_client *c);

/*
 * Sends the request, from where its arrays lie, receives the reply, takes the
 * time, takes the reply apart. 0; -1 with *e: the peer closed or answered with
 * an error, or a signal came (probe_stopped).
 */
int client_call(struct probe_client *c, const struct request *r, struct err *e);

/* The same for a line of JSON (newline included); the reply line, without it, is in..in_len. */
int client_call_line(struct probe_client *c, const struct buf *line, struct err *e);

/* A sweep of n_sets sets from first_set, closes along with it; flags as FLAG_STAMP. */
struct request client_sweep(
    const struct workload *w, size_t first_set, size_t n_sets, uint8_t flags);

/* Compares the last reply's results, which must be n_sets, as probe_gate_reply. */
int client_gate(const struct probe_client *c, const struct workload *w, size_t first_set,
    size_t n_sets, struct err *e);

/*
 * A process for one exchange: spawns argv, sends the request, receives the reply (taken
 * apart as above), waits for the process to end. trip_ns is all of that; *use what the process
 * took. The client is closed again, its reply still there until client_close.
 */
int client_process(struct probe_client *c, char *const argv[], const char *who,
    const struct request *r, struct rusage *use, struct err *e);

/* Bytes of the largest frame of the workload, either way. */
uint64_t client_largest(const struct workload *w);

/*
 * One engine, reached over every transport. A pipe's is a filter of its own; the one
 * that never sleeps takes a processor, so it runs only between links_enter and
 * the next; it and the client then have a processor each, since a scheduler takes its
 * time to part two that spin.
 */
struct probe_links {
	struct probe *p;
	enum hma_kernel kernel;
	uint64_t largest;
	struct probe_server server, ringing,
	    spinning;   /* rings apart: who looks at one is slower on sockets */
	cpu_set_t home; /* where the client may run otherwise */
	struct probe_client client[LINKS];
	char why[LINKS][240]; /* a transport is not to be had; "" while it is */
};

/*
 * For frames of up to `largest` bytes. 0, also where a transport is denied,
 * which why then tells; -1 with *e. links_close always.
 */
int links_open(struct probe *p, struct probe_links *l, enum hma_kernel kernel, uint64_t largest,
    struct err *e);

/* Before measuring over that link: starts the spinning engine, or ends it. 0, or -1 with *e. */
int links_enter(struct probe_links *l, enum probe_link link, struct err *e);
void links_close(struct probe_links *l);

/* A skipped row for each of the first n transports that is not to be had. 0, or -1 with *e. */
int links_skipped(
    struct probe *p, const char *suite, const struct probe_links *l, int n, struct err *e);

/* CPU seconds of the engine behind a link so far. */
double links_engine_cpu(const struct probe_links *l, enum probe_link link);

/* Labels transport and wait. */
void links_label(struct row *row, enum probe_link link);

/* How far apart the first two processors were before a suite, and after: a row "witness". */
struct placement_watch {
	struct witness before;
	int known; /* 0: why tells */
	struct err why;
};
void placement_begin(struct placement_watch *w);
int placement_end(struct placement_watch *w, struct probe *p, const char *suite, struct err *e);

/* User and system time, in seconds. */
double client_cpu_s(const struct rusage *use);

/* CPU seconds this process has used, all threads. */
double client_own_cpu_s(void);

#endif
