/* L3: the client's end of a stream: connected, spawned, or inherited. */
#ifndef IPCTAX_TRANSPORT_CLIENT_H
#define IPCTAX_TRANSPORT_CLIENT_H

#include "lib/err.h"
#include "lib/transport.h"

#include <stdint.h>
#include <sys/resource.h>

/*
 * Blocking after every opener below: recv and send wait, and return -1 with EINTR when a signal
 * comes, so that whoever watches the time can end a wait. See transport_block.
 */
struct transport_client {
	struct transport t; /* first: it is what callers hand around */
	int is_socket;
	pid_t peer;  /* spawned, or what the Unix socket says of its server; 0: not known */
	int spawned; /* peer is a child to be reaped */
	struct ring_client *ring; /* of transport_ring.h; NULL: a plain stream */
	int flags_in, flags_out;  /* of inherited descriptors, put back on close; -1 untouched */
};

/*
 * Connects, trying again while nothing listens there (or its queue is full)
 * until timeout_ns have passed; 0: once. 0, or -1 with *e (STATUS_FAILED).
 */
int transport_unix(
    struct transport_client *c, const char *path, uint64_t timeout_ns, struct err *e);

/* The same for "HOST:PORT" ("[::1]:7000" for IPv6), with TCP_NODELAY set. */
int transport_tcp(
    struct transport_client *c, const char *host_port, uint64_t timeout_ns, struct err *e);

/*
 * Starts argv (argv[0] sought on PATH, no shell; envp is its environment) with pipes on its stdin
 * and stdout, its stderr ours, SIGPIPE and the signal mask as at a shell's prompt.
 */
int transport_spawn(
    struct transport_client *c, char *const argv[], char *const envp[], struct err *e);

/* Two descriptors, such as stdin and stdout, which become c's: close closes them. */
void transport_inherited(struct transport_client *c, int in, int out);

/* Whether recv and send wait (1), or say EAGAIN (0) for the caller to poll fd_in and fd_out. 0, or
 * -1 with errno. */
int transport_block(struct transport_client *c, int blocking);

/*
 * After ops->end_output or close: waits at most timeout_ns for a spawned peer
 * to end, then kills it. *status as of wait(2), *use what it cost. 1: it ended by itself;
 * 0: it had to be killed, or was never ours; -1 with errno.
 */
int transport_reap(
    struct transport_client *c, uint64_t timeout_ns, int *status, struct rusage *use);

/*
 * Sends everything, waiting as needed and going on after signals; *sent (may be NULL) counts
 * what left. 0, or -1 with errno (EPIPE: the peer is gone).
 */
int transport_send_all(struct transport *t, const void *p, size_t n, uint64_t *sent);

/* Receives what is there, at least a byte, waiting as needed; 0 at the end, -1 with errno. */
ssize_t transport_recv_some(struct transport *t, void *p, size_t n);

#endif
