#include "lib/transport_stream.h"
#include "lib/io.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static ssize_t socket_recv(struct transport *t, void *p, size_t n)
{
	ssize_t got;

	do
		got = recv(t->fd_in, p, n, MSG_DONTWAIT);
	while (got < 0 && errno == EINTR);
	return got;
}

static ssize_t socket_send(struct transport *t, const struct iovec *v, int n)
{
	/* musl's msg_iovlen is an int, glibc's a size_t. */
	struct msghdr m = {.msg_iov = (struct iovec *)(void *)(size_t)v};
	ssize_t put;

	m.msg_iovlen = (unsigned)n;
	do
		put = n == 1 ? send(t->fd_out, v->iov_base, v->iov_len, MSG_DONTWAIT | MSG_NOSIGNAL)
			     : sendmsg(t->fd_out, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (put < 0 && errno == EINTR);
	return put;
}

static void socket_stop_input(struct transport *t)
{
	shutdown(t->fd_in, SHUT_RD);
}

static void socket_end_output(struct transport *t)
{
	shutdown(t->fd_out, SHUT_WR);
}

static void socket_close(struct transport *t)
{
	close(t->fd_in);
}

static const struct transport_ops socket_ops = {
    socket_recv, socket_send, socket_stop_input, socket_end_output, socket_close};

void transport_socket(struct transport *t, int fd)
{
	*t = (struct transport){.ops = &socket_ops, .fd_in = fd, .fd_out = fd};
}

static ssize_t stdio_recv(struct transport *t, void *p, size_t n)
{
	return io_read(t->fd_in, p, n);
}

static ssize_t stdio_send(struct transport *t, const struct iovec *v, int n)
{
	for (;;) {
		ssize_t put = writev(t->fd_out, v, n);

		if (put >= 0)
			return put;
		if (errno == EAGAIN) { /* somebody else made it non-blocking */
			struct pollfd w = {.fd = t->fd_out, .events = POLLOUT};

			poll(&w, 1, -1);
		} else if (errno != EINTR) {
			return -1;
		}
	}
}

static void nothing(struct transport *t)
{
	(void)t;
}

static const struct transport_ops stdio_ops = {stdio_recv, stdio_send, nothing, nothing, nothing};

void transport_stdio(struct transport *t, int in, int out)
{
	*t = (struct transport){.ops = &stdio_ops, .fd_in = in, .fd_out = out, .blocking = 1};
}
