#include "lib/load_relay.h"
#include "lib/bytes.h"
#include "lib/frame.h"
#include "lib/io.h"
#include "lib/mem.h"
#include "lib/transport_client.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#define PIECE ((size_t)256 << 10)

void load_count(struct load_count *c, const void *p, size_t n)
{
	const unsigned char *at = p;

	c->bytes += n;
	while (n) {
		size_t step;

		if (c->left) {
			step = n < c->left ? n : (size_t)c->left;
			c->left -= step;
		} else {
			step = 4 - c->have < n ? 4 - c->have : n;
			memcpy(c->word + c->have, at, step);
			c->have += (unsigned)step;
			if (c->have == 4)
				c->left = get_u32(c->word) & ~FRAME_ERROR_BIT;
		}
		at += step;
		n -= step;
		if (c->have == 4 && c->left == 0) {
			c->frames++;
			c->have = 0;
		}
	}
}

int load_count_whole(const struct load_count *c)
{
	return c->have == 0;
}

/* What the two threads share. */
struct sender {
	struct transport *t;
	int in;
	struct load_count sent; /* the sender's until done */
	int error;              /* errno of reading input, 0: none */
	int peer_gone;          /* writing failed: the peer reads no more */
	int too_large;          /* a frame fits no ring: the peer is there, and told the end */
	atomic_int done;
	unsigned char piece[PIECE];
};

static void *send_all(void *user)
{
	struct sender *s = user;
	sigset_t pipe;
	ssize_t got;

	/* A peer that has gone is an answer here, not an end. */
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, NULL);
	while ((got = io_read(s->in, s->piece, PIECE)) > 0) {
		load_count(&s->sent, s->piece, (size_t)got);
		if (transport_send_all(s->t, s->piece, (size_t)got, NULL) < 0) {
			s->too_large = errno == EMSGSIZE;
			s->peer_gone = !s->too_large;
			break;
		}
	}
	if (got < 0)
		s->error = errno;
	/* First: the peer's end may follow on ours at once. */
	atomic_store(&s->done, 1);
	if (!s->peer_gone)
		s->t->ops->end_output(s->t);
	return NULL;
}

/* Everything that comes back, to out. */
static int receive_all(
    struct transport *t, int out, struct load_count *back, unsigned char *piece, struct err *e)
{
	ssize_t got;

	while ((got = transport_recv_some(t, piece, PIECE)) > 0) {
		load_count(back, piece, (size_t)got);
		if (io_write_all(out, piece, (size_t)got) < 0)
			return err_errno(e, "<stdout>: write");
	}
	/* A peer that closes with requests unread resets the connection: an end as well. */
	if (got < 0 && errno != ECONNRESET)
		return err_errno(e, "peer: read");
	return 0;
}

static int judge(
    const struct sender *s, const struct load_count *back, const char *in_name, struct err *e)
{
	unsigned long long asked = s->sent.frames, answered = back->frames;

	if (s->error) {
		errno = s->error;
		return err_errno(e, "%s: read", in_name);
	}
	if (s->too_large)
		return err_set(e, STATUS_FAILED,
		    "peer: a request does not fit the ring: ask for a larger one");
	if (s->peer_gone || answered < asked)
		return err_set(e, STATUS_FAILED,
		    "peer: closed early, after %llu repl%s to %llu request%s", answered,
		    answered == 1 ? "y" : "ies", asked, err_plural(asked));
	if (!load_count_whole(&s->sent))
		return err_set(
		    e, STATUS_INPUT, "%s: frame %llu: input ends inside it", in_name, asked + 1);
	return 0;
}

int load_relay(
    struct load_relay *r, struct transport *t, int in, const char *in_name, int out, struct err *e)
{
	struct sender *s = mem_alloc(sizeof *s);
	unsigned char *piece = mem_alloc(PIECE);
	struct load_count back = {0};
	pthread_t thread;
	int bad;

	*r = (struct load_relay){0};
	if (!s || !piece)
		return err_errno(e, "relay");
	memset(s, 0, offsetof(struct sender, piece));
	s->t = t;
	s->in = in;
	bad = pthread_create(&thread, NULL, send_all, s);
	if (bad) {
		errno = bad;
		return err_errno(e, "relay: thread");
	}
	bad = receive_all(t, out, &back, piece, e);
	r->replies = back.frames;
	r->bytes_back = back.bytes;
	if (!bad && !load_count_whole(&back))
		bad = err_set(e, STATUS_FAILED, "peer: closed inside reply %llu",
		    (unsigned long long)back.frames + 1);
	else if (!bad && !atomic_load(&s->done))
		bad = err_set(e, STATUS_FAILED,
		    "peer: closed early, after %llu repl%s, before the end of input",
		    (unsigned long long)back.frames, back.frames == 1 ? "y" : "ies");
	mem_free(piece);
	/* It may be waiting for input that never comes; a wait is where it can be cancelled. */
	if (bad)
		pthread_cancel(thread);
	pthread_join(thread, NULL);
	r->requests = s->sent.frames;
	r->bytes_there = s->sent.bytes;
	if (!bad)
		bad = judge(s, &back, in_name, e);
	mem_free(s);
	return bad;
}
