/* L4: the flight recorder: the last requests by stage, dumped when told or when one was slow. */
#ifndef IPCTAX_SERVE_TRACE_H
#define IPCTAX_SERVE_TRACE_H

#include "lib/err.h"
#include "lib/io.h"
#include "lib/pool.h"
#include "lib/serve_stats.h"

struct trace {
	struct serve_event *ring, *copy; /* n each; 0: off */
	size_t n;
	uint64_t count;   /* recorded so far; the next goes to ring[count % n] */
	uint64_t slow_ns; /* a request that takes longer asks for a dump; 0: none does */
	const char *path; /* NULL: stderr */
	const char *wish; /* the reason for a dump that is due, or NULL */
	uint64_t dumped_ns;
	unsigned dumps;
	/* The dump being written, by a compute thread where there is one. */
	struct pool_job job;
	const char *reason;
	size_t n_copy;
	int busy;
	struct out out;
	struct err e; /* text[0]: it failed */
};

/* Records n requests at a time; 0, or -1 (errno). n 0 records none. */
int trace_init(struct trace *t, size_t n, uint64_t slow_ns, const char *path);
void trace_free(struct trace *t);

/* Records a request whose reply has begun. */
void trace_add(struct trace *t, const struct serve_event *v);

/* The replies of a connection's requests from number `since` of the record on are sent. */
void trace_sent(struct trace *t, uint64_t since, uint64_t connection, uint64_t now_ns);

/* Asks for a dump; those for slow requests come a second apart at least. */
void trace_wish(struct trace *t, const char *reason);

/*
 * Starts the dump that is due, on the pool or, without one, here and now. 1: it went
 * to the pool, which will hand t->job back; then trace_done.
 */
int trace_dump(struct trace *t, struct pool *pool);
void trace_done(struct trace *t);

#endif
