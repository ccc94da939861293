/* L3: listening sockets: Unix, TCP, and those handed over by a supervisor. */
#ifndef IPCTAX_TRANSPORT_LISTEN_H
#define IPCTAX_TRANSPORT_LISTEN_H

#include "lib/err.h"
#include "lib/transport.h"

#include <sys/types.h>

struct listener {
	int fd;
	int tcp;        /* a peer on TCP: no descriptors can be passed, TCP_NODELAY is set */
	int loopback;   /* reached from this machine only */
	char name[160]; /* "unix:/run/engine" or "tcp:127.0.0.1:4711", as it was bound; printable */
	char path[108]; /* of the file that listen_close removes, or "" */
	dev_t dev;
	ino_t ino;
};

/*
 * Binds a Unix stream socket at path with mode 0600. What is there already is
 * replaced only if it is a socket that nobody answers; 0, or -1 with *e.
 */
int listen_unix(struct listener *l, const char *path, struct err *e);

/*
 * Binds HOST:PORT, [ADDRESS]:PORT, :PORT or PORT; without a host the loopback
 * address. Port 0 takes a free one: l->name tells which. 0, or -1 with *e.
 */
int listen_tcp(struct listener *l, const char *where, struct err *e);

/* Takes a socket that listens already; 0, or -1 with *e where it is none. */
int listen_inherited(struct listener *l, int fd, struct err *e);

/* Whether fd is a listening stream socket. */
int listen_is(int fd);

/* The next peer, as a connected transport; the descriptor, or -1 with errno (EAGAIN: none now). */
int listen_accept(struct listener *l, struct transport *t);

/* Closes, and removes the file if it is still the one that was bound. */
void listen_close(struct listener *l);

#endif
