#include "lib/transport_listen.h"
#include "lib/transport_address.h"
#include "lib/transport_stream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 4096 /* the kernel takes less where it must: net.core.somaxconn */
#define FLAGS (SOCK_CLOEXEC | SOCK_NONBLOCK)

/* Whether somebody listens on the socket at this address: 1, 0, or -1 where that cannot be told. */
static int answers(const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | FLAGS, 0), r;

	if (fd < 0)
		return -1;
	r = connect(fd, (const struct sockaddr *)(const void *)a, sizeof *a);
	if (r == 0 || errno == EAGAIN) /* EAGAIN: its queue is full */
		r = 1;
	else
		r = errno == ECONNREFUSED ? 0 : -1;
	close(fd);
	return r;
}

/* Makes room at the path: nothing there, or a socket that nobody answers. */
static int clear_stale(const struct sockaddr_un *a, const char *name, struct err *e)
{
	struct stat st;
	int r;

	if (lstat(a->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : err_errno(e, "%s", name);
	if (!S_ISSOCK(st.st_mode))
		return err_set(e, STATUS_FAILED,
		    "%s: exists and is not a socket: remove it or choose another path", name);
	r = answers(a);
	if (r == 1)
		return err_set(e, STATUS_FAILED,
		    "%s: another server answers there: stop it or choose another path", name);
	if (r < 0)
		return err_errno(
		    e, "%s: is a socket, but whether it is in use cannot be told", name);
	if (unlink(a->sun_path) < 0 && errno != ENOENT)
		return err_errno(e, "%s: cannot remove the stale socket", name);
	return 0;
}

int listen_unix(struct listener *l, const char *path, struct err *e)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	struct stat st;
	mode_t mask;
	int bad;

	*l = (struct listener){.fd = -1, .loopback = 1};
	memcpy(l->name, "unix:", 5);
	err_quote(l->name + 5, sizeof l->name - 5, path, strlen(path));
	if (!*path || strlen(path) >= sizeof a.sun_path)
		return err_set(e, STATUS_USAGE, "%s: a socket's path has 1 to %zu bytes", l->name,
		    sizeof a.sun_path - 1);
	strcpy(a.sun_path, path);
	if (clear_stale(&a, l->name + 5, e) < 0)
		return -1;
	l->fd = socket(AF_UNIX, SOCK_STREAM | FLAGS, 0);
	if (l->fd < 0)
		return err_errno(e, "%s", l->name);
	mask = umask(0177);
	bad = bind(l->fd, (struct sockaddr *)(void *)&a, sizeof a);
	umask(mask);
	if (bad < 0 || stat(path, &st) < 0) {
		err_errno(e, "%s: cannot bind", l->name + 5);
		close(l->fd);
		return -1;
	}
	strcpy(l->path, path);
	l->dev = st.st_dev;
	l->ino = st.st_ino;
	if (listen(l->fd, BACKLOG) == 0)
		return 0;
	err_errno(e, "%s: cannot listen", l->name + 5);
	listen_close(l);
	return -1;
}

/* The bound address in words, and whether only this machine reaches it. */
static int describe(struct listener *l, struct err *e)
{
	struct sockaddr_storage a;
	socklen_t n = sizeof a;
	char host[INET6_ADDRSTRLEN] = "?";

	memset(&a, 0, sizeof a);
	if (getsockname(l->fd, (struct sockaddr *)(void *)&a, &n) < 0)
		return err_errno(e, "listening socket");
	if (a.ss_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)&a;

		inet_ntop(AF_INET, &in->sin_addr, host, sizeof host);
		l->loopback = ntohl(in->sin_addr.s_addr) >> 24 == 127;
		snprintf(l->name, sizeof l->name, "tcp:%s:%u", host, ntohs(in->sin_port));
		l->tcp = 1;
	} else if (a.ss_family == AF_INET6) {
		const struct sockaddr_in6 *in = (const void *)&a;

		inet_ntop(AF_INET6, &in->sin6_addr, host, sizeof host);
		l->loopback = IN6_IS_ADDR_LOOPBACK(&in->sin6_addr);
		snprintf(l->name, sizeof l->name, "tcp:[%s]:%u", host, ntohs(in->sin6_port));
		l->tcp = 1;
	} else {
		const struct sockaddr_un *un = (const void *)&a;

		l->loopback = 1;
		memcpy(l->name, "unix:", 6);
		if (n > offsetof(struct sockaddr_un, sun_path))
			err_quote(l->name + 5, sizeof l->name - 5, un->sun_path,
			    strnlen(un->sun_path, sizeof un->sun_path));
	}
	return 0;
}

static int bind_one(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | FLAGS, 0), on = 1, saved;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

int listen_tcp(struct listener *l, const char *where, struct err *e)
{
	struct addrinfo *found = transport_address(where, e);
	char quoted[100];

	*l = (struct listener){.fd = -1};
	if (!found)
		return -1;
	err_quote(quoted, sizeof quoted, where, strlen(where));
	l->fd = bind_one(found);
	freeaddrinfo(found);
	if (l->fd < 0)
		return err_errno(e, "%s: cannot listen", quoted);
	return describe(l, e);
}

int listen_is(int fd)
{
	int on = 0, type = 0;
	socklen_t n = sizeof on, m = sizeof type;

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &n) == 0 && on &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &m) == 0 && type == SOCK_STREAM;
}

int listen_inherited(struct listener *l, int fd, struct err *e)
{
	*l = (struct listener){.fd = fd};
	if (!listen_is(fd))
		return err_set(e, STATUS_FAILED,
		    "descriptor %d: is not a listening stream socket (ListenStream=)", fd);
	/* accept must not wait where the peer has gone again since it was announced. */
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0 ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return err_errno(e, "descriptor %d", fd);
	return describe(l, e);
}

int listen_accept(struct listener *l, struct transport *t)
{
	int fd, on = 1;

	do
		fd = accept4(l->fd, NULL, NULL, FLAGS);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (fd < 0)
		return -1;
	if (l->tcp)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	transport_socket(t, fd);
	return fd;
}

void listen_close(struct listener *l)
{
	struct stat st;

	if (l->fd < 0)
		return;
	if (*l->path && lstat(l->path, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino)
		unlink(l->path);
	close(l->fd);
	l->fd = -1;
}
