#include "lib/bytes.h"
#include "lib/frame.h"
#include "lib/io.h"
#include "lib/mem.h"
#include "lib/transport_ring.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

/* Looks between two checks of what only a system call tells; some tens of microseconds. */
#define SPINS_A_CHECK 2000u

static struct transport_ring *ring(struct transport *t)
{
	return (struct transport_ring *)(void *)t;
}

static int broken(struct transport_ring *r)
{
	(void)r;
	errno = EPROTO;
	return -1;
}

/* An engine that gives up says why on the socket. */
static int said_why(struct transport_ring *r)
{
	unsigned char frame[8 + 400];
	char quoted[420];
	ssize_t n = recv(r->c.t.fd_in, frame, sizeof frame, MSG_DONTWAIT);

	if (n < 8 || !(get_u32(frame) & FRAME_ERROR_BIT)) {
		err_set(&r->why, STATUS_FAILED, "ring: stray bytes on its socket");
		return broken(r);
	}
	err_quote(quoted, sizeof quoted, frame + 8, (size_t)n - 8);
	err_set(
	    &r->why, STATUS_FAILED, "ring: closed with error %u: %s", get_u32(frame + 4), quoted);
	return broken(r);
}

/* Looks at the socket: 1 still there, 0 it has hung up, -1 with errno. */
static int peer_there(struct transport_ring *r)
{
	char c;
	ssize_t n = recv(r->c.t.fd_in, &c, 1, MSG_PEEK | MSG_DONTWAIT);

	if (n > 0)
		return said_why(r);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 1;
	r->closed = 1;
	return 0;
}

/* Sleeps until the peer wakes us, hangs up, or a signal comes (-1 with EINTR). */
static int nap(struct transport_ring *r)
{
	struct pollfd p[2] = {{.fd = r->link.wake_me, .events = POLLIN},
	    {.fd = r->c.t.fd_in, .events = POLLIN | POLLRDHUP}};
	uint64_t n;

	if (poll(p, 2, -1) < 0)
		return -1;
	if (p[0].revents)
		(void)!read(r->link.wake_me, &n, sizeof n);
	return p[1].revents ? peer_there(r) : 1;
}

/*
 * Between two rounds of looks: 1 look again, 0 the peer is gone, -1 with errno.
 * Who never sleeps gets EINTR now and then, so that the caller can look at its watch.
 */
static int wait_a_bit(struct transport_ring *r, uint64_t *looked, int (*sleeps)(void *),
    void (*wakes)(void *), void *half)
{
	int there;

	if (*looked < r->spins && !r->yields) {
		*looked += SPINS_A_CHECK;
		there = peer_there(r);
		if (there == 1 && r->spins == UINT64_MAX && *looked / SPINS_A_CHECK % 16 == 0) {
			errno = EINTR;
			return -1;
		}
		return there;
	}
	if (r->spins == UINT64_MAX) {
		/* Never sleeps, but the processor is the peer's too. */
		sched_yield();
		there = peer_there(r);
		errno = EINTR;
		return there == 1 && ++*looked % 4096 == 0 ? -1 : there;
	}
	there = sleeps(half) ? nap(r) : 1;
	wakes(half);
	return there;
}

static int reader_sleeps(void *p)
{
	return ring_reader_sleep(p);
}

static void reader_wakes(void *p)
{
	ring_reader_wake(p);
}

static int writer_sleeps(void *p)
{
	return ring_writer_sleep(p);
}

static void writer_wakes(void *p)
{
	ring_writer_wake(p);
}

/* The next record into r->record: 1, 0 at the end, -1 with errno (EAGAIN: none now). */
static int next_record(struct transport_ring *r)
{
	uint64_t looked = 0;

	for (;;) {
		uint64_t spins = r->yields || r->spins < SPINS_A_CHECK ? 0 : SPINS_A_CHECK;
		enum ring_state s = ring_spin(
		    &r->link.in, r->c.t.blocking && !r->closed ? spins : 0, &r->record, &r->why);
		int there;

		if (s != RING_WAIT)
			return s == RING_OK ? 1 : broken(r);
		if (r->closed)
			return 0;
		if (!r->c.t.blocking) {
			there = peer_there(r);
			errno = there == 1 ? EAGAIN : errno;
			if (there)
				return -1;
			continue;
		}
		/* Gone: one more look, for what it said last. */
		there = wait_a_bit(r, &looked, reader_sleeps, reader_wakes, &r->link.in);
		if (there < 0)
			return -1;
	}
}

static ssize_t ring_recv(struct transport *t, void *p, size_t n)
{
	struct transport_ring *r = ring(t);
	unsigned char *to = p;
	size_t done = 0;
	int got;

	if (!r->has_record) {
		got = next_record(r);
		if (got <= 0)
			return got;
		r->has_record = 1;
		r->given = 0;
	}
	while (done < n && r->given < 4)
		to[done++] = (unsigned char)(r->record.word >> 8 * r->given++);
	if (r->given >= 4) {
		size_t at = (size_t)r->given - 4, left = r->record.len - at;
		size_t take = n - done < left ? n - done : left;

		memcpy(to + done, r->record.body + at, take);
		done += take;
		r->given += take;
	}
	if (r->given == (uint64_t)4 + r->record.len) {
		ring_link_release(&r->link, r->record.end);
		r->has_record = 0;
	}
	return (ssize_t)done;
}

/* Room for a frame's body: 1, or -1 with errno. */
static int make_room(struct transport_ring *r, uint32_t len, uint32_t offset, unsigned char **body)
{
	uint64_t looked = 0;

	for (;;) {
		enum ring_state s = ring_reserve(&r->link.out, len, offset, body, &r->why);
		int there;

		if (s == RING_OK)
			return 1;
		if (s == RING_BAD) {
			errno = EMSGSIZE;
			return -1;
		}
		if (!r->c.t.blocking) {
			errno = EAGAIN;
			return -1;
		}
		for (unsigned i = 0; i < SPINS_A_CHECK && !r->yields && r->spins; i++)
			ring_relax();
		there = wait_a_bit(r, &looked, writer_sleeps, writer_wakes, &r->link.out);
		if (there == 0)
			errno = EPIPE;
		if (there <= 0)
			return -1;
	}
}

/* One whole frame, the first `whole` bytes of v. */
static ssize_t send_frame(struct transport_ring *r, const struct iovec *v, int n, size_t whole)
{
	unsigned char head[5] = {0}, *body;
	size_t at = 0;
	uint32_t offset;
	int last = 0;

	for (int i = 0; i < n && at < sizeof head && at < whole; i++)
		for (size_t k = 0; k < v[i].iov_len && at < sizeof head && at < whole; k++)
			head[at++] = ((const unsigned char *)v[i].iov_base)[k];
	offset = RING_BODY_OFFSET(frame_head_size(head[4]));
	if (make_room(r, (uint32_t)(whole - 4), offset, &body) < 0)
		return -1;
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
	ring_tidy(&r->link.out);
	return (ssize_t)whole;
}

/* Keeps the piece of a frame; when that makes it whole it is sent. Bytes taken, or -1. */
static ssize_t keep_part(struct transport_ring *r, const struct iovec *v)
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
	if (send_frame(r, &whole, 1, r->part.len) < 0) {
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
	struct transport_ring *r = ring(t);
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
			return send_frame(r, v, n, (size_t)whole);
	}
	return keep_part(r, v);
}

static void ring_stop_input(struct transport *t)
{
	shutdown(t->fd_in, SHUT_RD);
}

static void ring_end_output(struct transport *t)
{
	shutdown(t->fd_out, SHUT_WR);
}

static void ring_close(struct transport *t)
{
	struct transport_ring *r = ring(t);

	ring_link_close(&r->link);
	buf_free(&r->part);
	if (t->fd_in >= 0)
		close(t->fd_in);
	t->fd_in = t->fd_out = -1;
}

static const struct transport_ops ring_ops = {
    .recv = ring_recv,
    .send = ring_send,
    .stop_input = ring_stop_input,
    .end_output = ring_end_output,
    .close = ring_close,
};

int transport_ring(struct transport_ring *r, const char *path, uint64_t timeout_ns,
    uint64_t largest, uint64_t spins, struct err *e)
{
	uint64_t size = ring_map_round(largest + largest / 3 + 3 * RING_LINE);

	memset(r, 0, sizeof *r);
	if (size == 0)
		return err_set(e, STATUS_FAILED, "ring: no ring holds frames of %llu bytes",
		    (unsigned long long)largest);
	if (transport_unix(&r->c, path, timeout_ns, e) < 0)
		return -1;
	if (ring_link_take(&r->link, r->c.t.fd_in, (uint32_t)size, e) < 0) {
		r->c.t.ops->close(&r->c.t);
		return -1;
	}
	r->c.t.ops = &ring_ops;
	r->spins = spins;
	r->yields = ring_link_shares_cpu(r->c.peer);
	return 0;
}
