#include "lib/transport_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static struct transport_client *client(struct transport *t)
{
	return (struct transport_client *)(void *)t;
}

static ssize_t client_recv(struct transport *t, void *p, size_t n)
{
	if (client(t)->is_socket)
		return recv(t->fd_in, p, n, t->blocking ? 0 : MSG_DONTWAIT);
	return read(t->fd_in, p, n);
}

static ssize_t client_send(struct transport *t, const struct iovec *v, int n)
{
	struct msghdr m = {.msg_iov = (struct iovec *)(uintptr_t)v, .msg_iovlen = (size_t)n};
	int flags = MSG_NOSIGNAL | (t->blocking ? 0 : MSG_DONTWAIT);

	if (!client(t)->is_socket)
		return writev(t->fd_out, v, n);
	/* One piece is sent by the shorter way. */
	return n == 1 ? send(t->fd_out, v->iov_base, v->iov_len, flags)
		      : sendmsg(t->fd_out, &m, flags);
}

static void client_stop_input(struct transport *t)
{
	if (client(t)->is_socket)
		shutdown(t->fd_in, SHUT_RD);
}

static void client_end_output(struct transport *t)
{
	if (client(t)->is_socket) {
		shutdown(t->fd_out, SHUT_WR);
	} else if (t->fd_out >= 0) {
		close(t->fd_out);
		t->fd_out = -1;
	}
}

/* Inherited descriptors share their flags with other processes: put them back. */
static void restore(int fd, int *flags)
{
	if (fd >= 0 && *flags >= 0)
		fcntl(fd, F_SETFL, *flags);
	*flags = -1;
}

static void client_close(struct transport *t)
{
	struct transport_client *c = client(t);

	restore(t->fd_in, &c->flags_in);
	restore(t->fd_out, &c->flags_out);
	if (t->fd_in >= 0)
		close(t->fd_in);
	if (t->fd_out >= 0 && t->fd_out != t->fd_in)
		close(t->fd_out);
	t->fd_in = t->fd_out = -1;
}

static const struct transport_ops client_ops = {
    .recv = client_recv,
    .send = client_send,
    .stop_input = client_stop_input,
    .end_output = client_end_output,
    .close = client_close,
};

void transport_inherited(struct transport_client *c, int in, int out)
{
	*c = (struct transport_client){
	    .t = {.ops = &client_ops, .fd_in = in, .fd_out = out, .blocking = 1},
	    .flags_in = -1,
	    .flags_out = -1,
	};
}

/* Changes O_NONBLOCK and remembers what was there before the first change. */
static int set_flag(int fd, int nonblocking, int *before)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -1;
	if (*before < 0)
		*before = flags;
	return fcntl(fd, F_SETFL, nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

int transport_block(struct transport_client *c, int blocking)
{
	c->t.blocking = blocking;
	if (c->is_socket)
		return 0;
	if (set_flag(c->t.fd_in, !blocking, &c->flags_in) < 0)
		return -1;
	return set_flag(c->t.fd_out, !blocking, &c->flags_out);
}

static int wait_for(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	return poll(&p, 1, -1) < 0 && errno != EINTR ? -1 : 0;
}

int transport_send_all(struct transport *t, const void *p, size_t n, uint64_t *sent)
{
	const char *at = p;

	while (n) {
		struct iovec v = {.iov_base = (void *)(uintptr_t)at, .iov_len = n};
		ssize_t put = t->ops->send(t, &v, 1);

		if (put >= 0) {
			at += put;
			n -= (size_t)put;
			if (sent)
				*sent += (uint64_t)put;
		} else if (errno == EAGAIN) {
			if (wait_for(t->fd_out, POLLOUT) < 0)
				return -1;
		} else if (errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

ssize_t transport_recv_some(struct transport *t, void *p, size_t n)
{
	for (;;) {
		ssize_t got = t->ops->recv(t, p, n);

		if (got >= 0)
			return got;
		if (errno == EAGAIN) {
			if (wait_for(t->fd_in, POLLIN) < 0)
				return -1;
		} else if (errno != EINTR) {
			return -1;
		}
	}
}
