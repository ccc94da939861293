#include "lib/mem.h"
#include "lib/serve_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#define AT_ONCE 64            /* peers let in before the others get their turn */
#define SAY_EVERY 1000000000u /* ns between two complaints */

int serve_add_listener(struct serve *s, const struct listener *l, struct err *e)
{
	struct door *d = mem_alloc(sizeof *d);
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = d};

	if (!d)
		return err_errno(e, "%s", l->name);
	*d = (struct door){.source = SOURCE_LISTENER, .listener = *l, .serve = s, .next = s->doors};
	s->doors = d;
	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, l->fd, &ev) < 0)
		return err_errno(e, "%s: epoll_ctl", l->name);
	return 0;
}

void door_close_all(struct serve *s)
{
	while (s->doors) {
		struct door *d = s->doors;

		s->doors = d->next;
		listen_close(&d->listener);
		mem_free(d);
	}
}

static void complain(struct serve *s, const char *text)
{
	uint64_t now = clock_ns();

	s->config.stats->refused++;
	if (!s->config.say || (s->said_ns && now - s->said_ns < SAY_EVERY))
		return;
	s->said_ns = now;
	s->config.say(s->config.user, text);
}

/* Tells the peer why it is not served, if that can be done without waiting, and closes. */
static void refuse(struct serve *s, struct transport *t, const char *text)
{
	struct conn c = {.serve = s};

	if (s->framing->error(&c, FRAME_BUSY, text) == 0) {
		struct iovec v = {c.out.p, c.out.len};

		(void)t->ops->send(t, &v, 1);
	}
	buf_free(&c.out);
	serve_stats_error(s->config.stats, FRAME_BUSY);
	t->ops->end_output(t);
	t->ops->close(t);
	complain(s, text);
}

/* No descriptor is left: the spare one is given for a peer, to tell it so. */
static int refuse_for_descriptors(struct door *d)
{
	struct serve *s = d->serve;
	struct rlimit r = {0};
	struct transport t;
	char text[120];
	int fd;

	if (s->spare < 0)
		return -1;
	getrlimit(RLIMIT_NOFILE, &r);
	snprintf(text, sizeof text,
	    "busy: the limit of %llu descriptors is reached (see ulimit -n)",
	    (unsigned long long)r.rlim_cur);
	close(s->spare);
	fd = listen_accept(&d->listener, &t);
	if (fd >= 0)
		refuse(s, &t, text);
	s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -1 : 0;
}

static int let_in(struct door *d, const struct transport *t)
{
	struct serve *s = d->serve;
	struct conn *c = conn_new(s);
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = c};

	if (!c)
		return -1;
	c->stream = *t;
	c->tcp = d->listener.tcp;
	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, t->fd_in, &ev) < 0) {
		c->state = CONN_DEAD;
		conn_settle(c);
		return 0;
	}
	c->events = EPOLLIN;
	s->config.stats->connections++;
	return 0;
}

void door_open(struct door *d)
{
	struct serve *s = d->serve;
	struct transport t;
	char text[120];

	for (int i = 0; i < AT_ONCE; i++) {
		if (listen_accept(&d->listener, &t) < 0) {
			if ((errno == EMFILE || errno == ENFILE) && refuse_for_descriptors(d) == 0)
				continue;
			return;
		}
		if (s->n_conns >= s->config.limits.connections) {
			snprintf(text, sizeof text,
			    "busy: %llu connection%s open (see --connections)",
			    (unsigned long long)s->n_conns, s->n_conns == 1 ? " is" : "s are");
			refuse(s, &t, text);
		} else if (let_in(d, &t) < 0) {
			refuse(s, &t, "busy: out of memory for a connection");
		}
	}
}
