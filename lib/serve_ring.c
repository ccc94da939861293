#include "lib/serve_ring.h"
#include "lib/mem.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum frame_error ring_admit(struct conn *c, struct err *e)
{
	uint64_t limit = c->serve->config.limits.ring, size = ring_map_round(c->request.head.bytes);

	if (c->transport->blocking || c->tcp) {
		err_set(e, STATUS_INPUT, "a ring is set up over a Unix socket only");
		return FRAME_UNSUPPORTED;
	}
	if (c->ring) {
		err_set(e, STATUS_INPUT, "this connection has a ring already");
		return FRAME_BAD_REQUEST;
	}
	if (size == 0 || size > limit) {
		err_set(e, STATUS_INPUT, "a ring of %u bytes exceeds %llu (see --max-ring)",
		    c->request.head.bytes, (unsigned long long)limit);
		return FRAME_BAD_REQUEST;
	}
	if (!serve_fits(c->serve, 3 * size)) {
		err_set(e, STATUS_INPUT,
		    "busy: the ring would exceed %llu bytes in all "
		    "(see --max-memory)",
		    (unsigned long long)c->serve->config.limits.memory);
		return FRAME_BUSY;
	}
	return FRAME_OK;
}

/* Whose process is at the other end, if the system tells. */
static int alone(int fd)
{
	struct ucred peer;
	socklen_t n = sizeof peer;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 && n == sizeof peer &&
	       ring_link_shares_cpu(peer.pid);
}

/* Makes the ring and sends the reply that hands it over. 0; -1: *e says why, and nothing was sent.
 */
static int hand_over(struct conn *c, struct ring_conn *r, struct err *e)
{
	uint64_t size = ring_map_round(c->request.head.bytes);

	if (!reply_begin(c, 0))
		return err_set(e, STATUS_FAILED, "out of memory for the reply");
	reply_end(c, 0, NULL, 0);
	c->unsent = 0;
	if (ring_link_offer(&r->link, c->transport->fd_out, size, c->out.p, c->out.len, e) < 0) {
		c->out.len = 0;
		return -1;
	}
	c->serve->config.stats->bytes_out += c->out.len;
	c->out.len = 0;
	return 0;
}

void ring_begin(struct conn *c)
{
	struct serve *s = c->serve;
	struct ring_conn *r;
	/* Edge-triggered and never read: its flags, which the client shares, do not matter. */
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET};
	struct err e;

	op_at_once(c);
	if (c->out.len || c->in.len != c->at) {
		reply_error(c, FRAME_BAD_REQUEST,
		    "ring: nothing else may be under way: wait for the earlier replies");
		return;
	}
	r = mem_alloc(sizeof *r);
	if (!r) {
		reply_error(c, FRAME_INTERNAL, "out of memory for the ring");
		return;
	}
	*r = (struct ring_conn){.source = SOURCE_RING, .conn = c};
	ev.data.ptr = r;
	if (hand_over(c, r, &e) < 0) {
		mem_free(r);
		reply_error(c, FRAME_INTERNAL, e.text);
		return;
	}
	c->ring = r;
	s->config.stats->rings++;
	rings_enlist(r);
	s->rings_ns = r->last_ns;
	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, r->link.wake_me, &ev) < 0)
		c->state = CONN_DEAD;
	r->alone = alone(c->transport->fd_in);
	if (r->alone && s->config.say)
		s->config.say(s->config.user,
		    "a ring's client shares the loop's only processor: no spinning for it");
}

void ring_end(struct conn *c)
{
	struct ring_conn *r = c->ring;
	struct serve *s = c->serve;

	if (!r)
		return;
	rings_delist(r);
	/* Not left to close: the client holds the same eventfd open. */
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, r->link.wake_me, NULL);
	ring_link_close(&r->link);
	mem_free(r);
	c->ring = NULL;
}

void ring_hung_up(struct conn *c)
{
	struct pollfd p = {.fd = c->transport->fd_in};
	struct err e;
	char byte;
	ssize_t n = c->transport->ops->recv(c->transport, &byte, 1);

	if (n < 0)
		c->state = errno == EAGAIN ? c->state : CONN_DEAD;
	if (n > 0) {
		err_set(&e, STATUS_INPUT, "ring: bytes on its socket, which must stay silent");
		ring_violation(c, &e);
	}
	if (n)
		return;
	c->ended = 1;
	/* Gone, and nobody reads replies any more; or only done with asking. */
	if (poll(&p, 1, 0) == 1 && p.revents & POLLHUP)
		c->state = CONN_DEAD;
}
