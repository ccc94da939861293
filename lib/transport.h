/*
 * L3: a byte stream with a peer, whatever carries it. Sockets and the standard
 * streams are in transport_stream.h; another carrier embeds struct transport
 * as its first member and brings its own table.
 */
#ifndef IPCTAX_TRANSPORT_H
#define IPCTAX_TRANSPORT_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

struct transport;

struct transport_ops {
	/* As read(2) without EINTR: what is there, up to n; 0 at the end; -1 with errno, EAGAIN
	 * where a wait for fd_in is due. */
	ssize_t (*recv)(struct transport *t, void *p, size_t n);
	/* As writev(2) without EINTR or SIGPIPE for sockets; EAGAIN: wait for fd_out. */
	ssize_t (*send)(struct transport *t, const struct iovec *v, int n);
	/* No more is wanted from the peer: recv gives what had arrived, then the end. */
	void (*stop_input)(struct transport *t);
	/* No more will be sent: the peer reads to the end of what was. */
	void (*end_output)(struct transport *t);
	/* Closes the descriptors. */
	void (*close)(struct transport *t);
};

struct transport {
	const struct transport_ops *ops;
	int fd_in, fd_out; /* to wait for with poll or epoll; often the same */
	int blocking;      /* recv and send wait by themselves and never say EAGAIN */
};

#endif
