#include "lib/clock.h"
#include "lib/transport_address.h"
#include "lib/transport_client.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PAUSE_FIRST ((uint64_t)500000) /* ns between attempts, doubled up to: */
#define PAUSE_LAST ((uint64_t)50000000)

/* What passes when the server gets ready. */
static int worth_retrying(int error)
{
	return error == ENOENT || error == ECONNREFUSED || error == EAGAIN || error == EINTR ||
	       error == EADDRNOTAVAIL;
}

/* One attempt: a connected socket, or -1 with errno. */
static int try_once(const struct sockaddr *address, socklen_t size)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), error;

	if (fd < 0 || connect(fd, address, size) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Attempts with growing pauses until one succeeds or the time is up. */
static int try_until(const struct sockaddr *address, socklen_t size, uint64_t deadline)
{
	uint64_t pause = PAUSE_FIRST;

	for (;;) {
		int fd = try_once(address, size);
		uint64_t now = clock_ns();

		if (fd >= 0 || !worth_retrying(errno) || now >= deadline)
			return fd;
		clock_sleep_until(now + pause < deadline ? now + pause : deadline);
		pause = pause * 2 < PAUSE_LAST ? pause * 2 : PAUSE_LAST;
	}
}

static void connected(struct transport_client *c, int fd)
{
	struct ucred peer;
	socklen_t n = sizeof peer;

	transport_inherited(c, fd, fd);
	c->is_socket = 1;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 && n == sizeof peer)
		c->peer = peer.pid;
}

int transport_unix(struct transport_client *c, const char *path, uint64_t timeout_ns, struct err *e)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof a.sun_path)
		return err_set(e, STATUS_FAILED, "%s: a socket's path has at most %zu bytes", path,
		    sizeof a.sun_path - 1);
	strcpy(a.sun_path, path);
	fd = try_until((const struct sockaddr *)&a, sizeof a, clock_ns() + timeout_ns);
	if (fd < 0)
		return err_errno(e, "%s: cannot connect (does a server listen there?)", path);
	connected(c, fd);
	return 0;
}

int transport_tcp(
    struct transport_client *c, const char *host_port, uint64_t timeout_ns, struct err *e)
{
	struct addrinfo *list = transport_address(host_port, e), *a;
	uint64_t deadline = clock_ns() + timeout_ns;
	int on = 1, fd = -1;

	if (!list)
		return -1;
	/* All but the last address get one attempt: the last one may wait. */
	for (a = list; a && fd < 0; a = a->ai_next)
		fd = a->ai_next ? try_once(a->ai_addr, a->ai_addrlen)
				: try_until(a->ai_addr, a->ai_addrlen, deadline);
	freeaddrinfo(list);
	if (fd < 0)
		return err_errno(e, "%s: cannot connect (does a server listen there?)", host_port);
	connected(c, fd);
	c->peer = 0;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return 0;
}
