#include "lib/frame.h"
#include "lib/transport_ring_impl.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

/* Looks between two checks of what only a system call tells; some tens of microseconds. */
#define SPINS_A_CHECK 500u

/* Who never sleeps is heard of after so many of those. */
#define ROUNDS_A_SIGN 16u

/* In non-blocking use the socket is looked at once in so many vain looks at the ring. */
#define RECVS_A_CHECK 256u

static int broken(void)
{
	errno = EPROTO;
	return -1;
}

/* An engine that gives up says why on the socket. */
static int said_why(struct ring_client *r)
{
	unsigned char frame[8 + 400];
	char quoted[420];
	ssize_t n = recv(r->socket, frame, sizeof frame, MSG_DONTWAIT);

	if (n < 8 || !(get_u32(frame) & FRAME_ERROR_BIT)) {
		err_set(&r->why, STATUS_FAILED, "ring: stray bytes on its socket");
		return broken();
	}
	err_quote(quoted, sizeof quoted, frame + 8, (size_t)n - 8);
	err_set(
	    &r->why, STATUS_FAILED, "ring: closed with error %u: %s", get_u32(frame + 4), quoted);
	return broken();
}

/* Looks at the socket: 1 still there, 0 it has hung up, -1 with errno. */
static int peer_there(struct ring_client *r)
{
	char c;
	ssize_t n = recv(r->socket, &c, 1, MSG_PEEK | MSG_DONTWAIT);

	if (n > 0)
		return said_why(r);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 1;
	r->closed = 1;
	return 0;
}

/*
 * Sleeps until the peer wakes us or hangs up; a signal, or a tenth of a second,
 * ends it with EINTR. Where one thread sends and another receives, both sleep
 * on the same eventfd and one may take what was meant for the other: the sender,
 * who seldom sleeps, looks again by itself.
 */
static int nap(struct ring_client *r, int sender)
{
	struct pollfd p[2] = {{.fd = r->link.wake_me, .events = POLLIN},
	    {.fd = r->socket, .events = POLLIN | POLLRDHUP}};
	uint64_t n;

	int n_ready = poll(p, 2, sender ? 2 : 100);

	if (n_ready < 0)
		return -1;
	if (n_ready == 0 && !sender) {
		errno = EINTR;
		return -1;
	}
	if (p[0].revents)
		(void)!read(r->link.wake_me, &n, sizeof n);
	return p[1].revents ? peer_there(r) : 1;
}

/* Sets the sleeping flag, sleeps where it still holds, clears it: as nap. */
static int sleep_on(struct ring_client *r, int sender)
{
	int there = 1;

	if (sender ? ring_writer_sleep(&r->link.out) : ring_reader_sleep(&r->link.in))
		there = nap(r, sender);
	if (sender)
		ring_writer_wake(&r->link.out);
	else
		ring_reader_wake(&r->link.in);
	return there;
}

/*
 * Between two rounds of looks: 1 look again, 0 the peer is gone, -1 with errno.
 * Who never sleeps gets EINTR now and then, so that the caller can look at its watch.
 */
static int wait_a_bit(struct ring_client *r, uint64_t *rounds, int sender)
{
	int forever = r->spins == RING_SPINS_FOREVER, there;

	++*rounds;
	if (!forever && (r->yields || *rounds > r->spins / SPINS_A_CHECK))
		return sleep_on(r, sender);
	if (r->yields)
		sched_yield(); /* the processor is the peer's too */
	there = peer_there(r);
	if (there != 1 || !forever || *rounds % ROUNDS_A_SIGN)
		return there;
	errno = EINTR;
	return -1;
}

/* Nothing came and nobody is to wait here: the way to a poll is prepared. 1: look again. */
static int not_now(struct ring_client *r)
{
	int there = 1;

	if (r->vain++ % RECVS_A_CHECK == 0 || r->spins != RING_SPINS_FOREVER)
		there = peer_there(r);
	if (there <= 0)
		return there == 0 ? 1 : -1;
	if (r->spins != RING_SPINS_FOREVER) {
		r->flagged = 1;
		if (!ring_reader_sleep(&r->link.in))
			return 1;
	}
	errno = EAGAIN;
	return -1;
}

void ring_client_pollable(struct ring_client *r)
{
	uint64_t one = 1;

	if (r->spins == RING_SPINS_FOREVER)
		return;
	r->flagged = 1;
	/* What is there already makes the descriptor readable as what comes later will. */
	if ((r->has_record && r->given < (uint64_t)4 + r->there) || !ring_reader_sleep(&r->link.in))
		(void)!write(r->link.wake_me, &one, sizeof one);
}

/* After a poll: nobody needs to wake us now. */
static void unflag(struct ring_client *r)
{
	uint64_t n;

	ring_reader_wake(&r->link.in);
	(void)!read(r->link.wake_me, &n, sizeof n);
	r->flagged = 0;
}

/* Up to `spins` looks for a record, or for more of the one in hand, where its word was given out.
 */
static enum ring_state look(struct ring_client *r, uint64_t spins)
{
	enum ring_state s = RING_OK;

	if (!r->has_record) {
		s = ring_spin(&r->link.in, spins, &r->record, &r->why);
		if (s != RING_OK)
			return s;
		r->has_record = 1;
		r->given = 0;
		return ring_there(&r->link.in, &r->record, &r->there, &r->why);
	}
	while ((s = ring_there(&r->link.in, &r->record, &r->there, &r->why)) == RING_OK &&
	       r->given == (uint64_t)4 + r->there) {
		if (!spins--)
			return RING_WAIT;
		ring_relax();
	}
	return s;
}

int ring_client_next(struct ring_client *r, int blocking)
{
	uint64_t most = blocking || r->spins != RING_SPINS_FOREVER ? SPINS_A_CHECK : 0, rounds = 0;

	if (r->flagged)
		unflag(r);
	most = r->yields ? 0 : r->spins < most ? r->spins : most;
	for (;;) {
		enum ring_state s = look(r, r->closed ? 0 : most);

		if (s != RING_WAIT)
			return s == RING_OK ? 1 : broken();
		if (r->closed)
			return 0;
		/* Where the peer is gone: one more look, for what it said last. */
		if (!blocking) {
			if (not_now(r) < 0)
				return -1;
		} else if (wait_a_bit(r, &rounds, 0) < 0) {
			return -1;
		}
	}
}

int ring_client_room(
    struct ring_client *r, int blocking, uint32_t len, uint32_t offset, unsigned char **body)
{
	uint64_t rounds = 0;

	for (;;) {
		enum ring_state s = ring_reserve(&r->link.out, len, offset, body, &r->why);
		int there;

		if (s == RING_OK)
			return 1;
		if (s == RING_BAD) {
			errno = EMSGSIZE;
			return -1;
		}
		if (!blocking) {
			errno = EAGAIN;
			return -1;
		}
		for (unsigned i = 0; i < SPINS_A_CHECK && !r->yields && r->spins; i++)
			ring_relax();
		there = wait_a_bit(r, &rounds, 1);
		if (there == 0)
			errno = EPIPE;
		if (there <= 0)
			return -1;
	}
}
