#include "lib/frame.h"
#include "lib/mem.h"
#include "lib/transport_ring_impl.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Its address is a mark of the thread. */
static _Thread_local char this_thread;

static struct ring_client *ring(struct transport *t)
{
	return ((struct transport_client *)(void *)t)->ring;
}

static ssize_t ring_recv(struct transport *t, void *p, size_t n)
{
	struct ring_client *r = ring(t);
	unsigned char *to = p;
	size_t done = 0;
	int got;

	if (!r->has_record || r->given == (uint64_t)4 + r->there) {
		got = ring_client_next(r, t->blocking);
		if (got <= 0)
			return got;
	}
	while (done < n && r->given < 4)
		to[done++] = (unsigned char)(r->record.word >> 8 * r->given++);
	if (r->given >= 4) {
		size_t at = (size_t)r->given - 4, left = r->there - at;
		size_t take = n - done < left ? n - done : left;

		memcpy(to + done, r->record.body + at, take);
		done += take;
		r->given += take;
	}
	if (r->given == (uint64_t)4 + r->record.len) {
		ring_link_release(&r->link, r->record.end);
		r->has_record = 0;
		/*
		 * Not sooner: who reads our request has its processor fetch the lines behind, too.
		 * Relaxed: only this thread stores this mark; then it is the one that sends.
		 */
		if (atomic_load_explicit(&r->sender, memory_order_relaxed) == &this_thread)
			ring_tidy(&r->link.out);
	}
	if (!t->blocking)
		ring_client_pollable(r);
	return (ssize_t)done;
}

/*
 * Frames from PARTS_FROM bytes on go in parts of PART: the engine reads one while
 * the next is written. They are a good deal smaller than its cache, and large
 * beside what telling costs.
 */
#define PARTS_FROM ((size_t)128 << 10)
#define PART ((size_t)64 << 10)

/* The first `whole` bytes of v, front to back. */
static void put_in_parts(
    struct ring_client *r, const struct iovec *v, size_t whole, uint32_t word, uint32_t offset)
{
	size_t at = 0, stop = PART, n;

	for (; at < whole; v++) {
		const unsigned char *p = v->iov_base;
		size_t left = v->iov_len < whole - at ? v->iov_len : whole - at;

		for (; left; left -= n, p += n) {
			/* The length word is not part of the body. */
			size_t end = at < 4 ? 4 : stop < whole ? stop : whole;

			n = left < end - at ? left : end - at;
			if (at >= 4)
				ring_put(&r->link.out, (uint32_t)(offset + at - 4), p, n);
			at += n;
			if (at == stop || at == whole) {
				ring_link_publish_part(&r->link, word, offset, (uint32_t)(at - 4));
				stop += PART;
			}
		}
	}
}

/* One whole frame, the first `whole` bytes of v. */
static ssize_t send_frame(
    struct ring_client *r, int blocking, const struct iovec *v, int n, size_t whole)
{
	unsigned char head[5] = {0}, *body;
	size_t at = 0;
	uint32_t offset;
	int last = 0;

	for (int i = 0; i < n && at < sizeof head && at < whole; i++)
		for (size_t k = 0; k < v[i].iov_len && at < sizeof head && at < whole; k++)
			head[at++] = ((const unsigned char *)v[i].iov_base)[k];
	offset = RING_BODY_OFFSET(frame_head_size(head[4]));
	if (ring_client_room(r, blocking, (uint32_t)(whole - 4), offset, &body) < 0)
		return -1;
	atomic_store_explicit(&r->sender, &this_thread, memory_order_relaxed);
	if (whole >= PARTS_FROM) {
		put_in_parts(r, v, whole, get_u32(head), offset);
		return (ssize_t)whole;
	}
	for (at = 0; last < n && at < whole; last++)
		at += v[last].iov_len;
	/* Back to front, as ring_put wants it; the length word is not part of the body. */
	while (last-- > 0) {
		size_t end = at < whole ? at : whole, skip;

		at -= v[last].iov_len;
		skip = at < 4 ? 4 - at : 0;
		if (end - at > skip)
			ring_put(&r->link.out, (uint32_t)(offset + at + skip - 4),
			    (const unsigned char *)v[last].iov_base + skip, end - at - skip);
	}
	ring_link_publish(&r->link, get_u32(head), offset);
	return (ssize_t)whole;
}

/* Keeps the piece of a frame; when that makes it whole it is sent. Bytes taken, or -1. */
static ssize_t keep_part(struct ring_client *r, int blocking, const struct iovec *v)
{
	uint64_t want = r->want ? r->want : 4;
	size_t n = want - r->part.len < v->iov_len ? (size_t)(want - r->part.len) : v->iov_len;
	struct iovec whole;

	if (buf_append(&r->part, v->iov_base, n) < 0)
		return -1;
	if (!r->want && r->part.len == 4)
		r->want = 4 + (uint64_t)(get_u32(r->part.p) & 0x7fffffffu);
	if (!r->want || r->part.len < r->want)
		return (ssize_t)n;
	whole = (struct iovec){r->part.p, r->part.len};
	if (send_frame(r, blocking, &whole, 1, r->part.len) < 0) {
		r->part.len -= n; /* as if it had not been handed over */
		r->want = r->part.len < 4 ? 0 : r->want;
		return -1;
	}
	r->part.len = 0;
	r->want = 0;
	return (ssize_t)n;
}

static ssize_t ring_send(struct transport *t, const struct iovec *v, int n)
{
	struct ring_client *r = ring(t);
	uint64_t total = 0, whole;

	while (n && v->iov_len == 0) {
		v++;
		n--;
	}
	if (!n)
		return 0;
	if (r->closed) {
		errno = EPIPE;
		return -1;
	}
	if (r->part.len == 0 && v->iov_len >= 4) {
		whole = 4 + (uint64_t)(get_u32(v->iov_base) & 0x7fffffffu);
		for (int i = 0; i < n; i++)
			total += v[i].iov_len;
		if (total >= whole)
			return send_frame(r, t->blocking, v, n, (size_t)whole);
	}
	return keep_part(r, t->blocking, v);
}

static void ring_stop_input(struct transport *t)
{
	shutdown(ring(t)->socket, SHUT_RD);
}

static void ring_end_output(struct transport *t)
{
	shutdown(ring(t)->socket, SHUT_WR);
}

static void ring_close(struct transport *t)
{
	struct ring_client *r = ring(t);

	if (!r)
		return;
	ring_link_close(&r->link);
	buf_free(&r->part);
	close(r->socket);
	if (r->ready >= 0)
		close(r->ready);
	t->fd_in = t->fd_out = -1;
	((struct transport_client *)(void *)t)->ring = NULL;
	mem_free(r);
}

static const struct transport_ops ring_ops = {
    .recv = ring_recv,
    .send = ring_send,
    .stop_input = ring_stop_input,
    .end_output = ring_end_output,
    .close = ring_close,
};

/* One descriptor that is readable when either the ring or the socket wants attention. */
static int watch_both(struct ring_client *r)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLRDHUP};

	r->ready = epoll_create1(EPOLL_CLOEXEC);
	return r->ready < 0 || epoll_ctl(r->ready, EPOLL_CTL_ADD, r->socket, &ev) < 0 ||
		       epoll_ctl(r->ready, EPOLL_CTL_ADD, r->link.wake_me, &ev) < 0
		   ? -1
		   : 0;
}

int transport_ring(struct transport_client *c, const char *path, uint64_t timeout_ns, uint64_t size,
    uint64_t spins, struct err *e)
{
	struct ring_client *r;

	if (size > RING_SIZE_MAX)
		return err_set(e, STATUS_FAILED, "ring: %llu bytes: at most %llu",
		    (unsigned long long)size, (unsigned long long)RING_SIZE_MAX);
	if (transport_unix(c, path, timeout_ns, e) < 0)
		return -1;
	r = mem_alloc(sizeof *r);
	if (!r) {
		err_errno(e, "ring");
		c->t.ops->close(&c->t);
		return -1;
	}
	*r = (struct ring_client){.socket = c->t.fd_in, .ready = -1, .spins = spins};
	if (ring_link_take(&r->link, r->socket, (uint32_t)size, e) < 0) {
		mem_free(r);
		c->t.ops->close(&c->t);
		return -1;
	}
	r->link.in.parts_allowed = 1;
	c->ring = r;
	c->t.ops = &ring_ops;
	if (watch_both(r) < 0) {
		err_errno(e, "ring: epoll");
		c->t.ops->close(&c->t);
		return -1;
	}
	c->t.fd_in = r->ready;
	r->yields = ring_link_shares_cpu(c->peer);
	ring_client_pollable(r);
	return 0;
}

int transport_ring_yields(const struct transport_client *c)
{
	return c->ring && c->ring->yields;
}

const char *transport_ring_why(const struct transport_client *c)
{
	return c->ring ? c->ring->why.text : "";
}
