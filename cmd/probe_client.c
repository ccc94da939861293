#include "cmd/probe_client.h"
#include "lib/clock.h"
#include "lib/mem.h"
#include "lib/transport_ring.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS ((uint64_t)2000000000)
#define FIRST_ROOM ((size_t)65536)

extern char **environ;

const char *const probe_link_names[LINKS] = {"pipe", "unix", "tcp", "ring", "ring spin"};
const char *const probe_link_waits[LINKS] = {
    "block", "block", "block", "spin then sleep", "spin, pinned"};

int client_connect(struct probe_client *c, enum probe_link link, const struct probe_server *s,
    const char *who, struct err *e)
{
	int bad;

	*c = (struct probe_client){.who = who, .link = link};
	bad = link == LINK_TCP ? transport_tcp(&c->plain, s->tcp, PATIENCE_NS, e)
			       : transport_unix(&c->plain, s->path, PATIENCE_NS, e);
	if (bad)
		return -1;
	c->t = &c->plain.t;
	return 0;
}

int client_ring(struct probe_client *c, enum probe_link link, const struct probe_server *s,
    uint64_t largest, const char *who, struct err *e)
{
	uint64_t spins = link == LINK_RING_SPIN ? RING_SPINS_FOREVER : RING_SPINS_DEFAULT;
	/* A record may have three quarters of its ring. */
	uint64_t size = largest + largest / 3 + 4 * RING_LINE;

	*c = (struct probe_client){.who = who, .link = link};
	if (transport_ring(&c->plain, s->path, PATIENCE_NS, size, spins, e) < 0)
		return -1;
	c->t = &c->plain.t;
	return 0;
}

uint64_t client_largest(const struct workload *w)
{
	uint64_t request = w->n_bars * sizeof(double) + w->n_sets * FRAME_SET_SIZE;
	uint64_t reply = w->n_sets * 3 * sizeof(double) + FRAME_STAMP_SIZE;

	return (request > reply ? request : reply) + 4 + FRAME_HEAD_MAX;
}

int client_spawn(struct probe_client *c, char *const argv[], const char *who, struct err *e)
{
	*c = (struct probe_client){.who = who};
	if (transport_spawn(&c->plain, argv, environ, e) < 0)
		return -1;
	c->t = &c->plain.t;
	return 0;
}

void client_close(struct probe_client *c)
{
	struct rusage use;
	int status;

	if (c->t) {
		c->t->ops->close(c->t);
		transport_reap(&c->plain, PATIENCE_NS, &status, &use);
	}
	mem_free(c->in);
	*c = (struct probe_client){0};
}

static int failed(const struct probe_client *c, const char *what, struct err *e)
{
	if (probe_stopped())
		return err_set(e, STATUS_FAILED, "%s: interrupted", c->who);
	if (c->link >= LINK_RING && (errno == EPROTO || errno == EMSGSIZE))
		return err_set(e, STATUS_FAILED, "%s: %s: %.800s", c->who, what,
		    transport_ring_why(&c->plain));
	return err_errno(e, "%s: %s", c->who, what);
}

/* All of v, which is used up; a signal that stops the run ends it. */
static int send_all(struct probe_client *c, struct iovec *v, int n, struct err *e)
{
	while (n) {
		ssize_t put = c->t->ops->send(c->t, v, n);

		if (put < 0) {
			if (errno == EINTR && !probe_stopped())
				continue;
			return failed(c, "the request could not be sent", e);
		}
		c->bytes_out += (uint64_t)put;
		for (; n && (size_t)put >= v->iov_len; v++, n--)
			put -= (ssize_t)v->iov_len;
		if (n) {
			v->iov_base = (char *)v->iov_base + put;
			v->iov_len -= (size_t)put;
		}
	}
	return 0;
}

/* Some more bytes, room for them made first: it doubles, so memory follows what has arrived. */
static int receive(struct probe_client *c, struct err *e)
{
	ssize_t got;

	if (c->in_len == c->in_cap) {
		size_t cap = c->in_cap ? 2 * c->in_cap : FIRST_ROOM;
		unsigned char *more = mem_resize(c->in, cap);

		if (!more)
			return failed(c, "the reply", e);
		c->in = more;
		c->in_cap = cap;
	}
	do
		got = c->t->ops->recv(c->t, c->in + c->in_len, c->in_cap - c->in_len);
	while (got < 0 && errno == EINTR && !probe_stopped());
	if (got < 0)
		return failed(c, "the reply could not be received", e);
	if (got == 0)
		return probe_stopped()
			   ? failed(c, "", e)
			   : err_set(e, STATUS_FAILED,
				 "%s: closed after %zu byte%s of a reply: is it an engine, and "
				 "did it say why on stderr?",
				 c->who, c->in_len, err_plural(c->in_len));
	c->in_len += (size_t)got;
	c->bytes_in += (uint64_t)got;
	return 0;
}

static int receive_frame(struct probe_client *c, struct err *e)
{
	uint64_t whole = 4;

	c->in_len = 0;
	while (c->in_len < whole) {
		if (receive(c, e) < 0)
			return -1;
		if (c->in_len >= 4)
			whole = 4 + (uint64_t)(get_u32(c->in) & ~FRAME_ERROR_BIT);
		if (whole > 4 + FRAME_LIMIT)
			return err_set(e, STATUS_FAILED, "%s: a reply of %llu bytes is no frame",
			    c->who, (unsigned long long)whole - 4);
	}
	if (c->in_len > whole)
		return err_set(e, STATUS_FAILED, "%s: %llu byte%s more than a reply", c->who,
		    (unsigned long long)(c->in_len - whole), err_plural(c->in_len - whole));
	return 0;
}

static int take_apart(struct probe_client *c, const struct request *r, struct err *e)
{
	struct reply *reply = &c->reply;
	char quoted[400];
	struct err why;

	if (reply_parse(reply, r->head.op, r->head.flags, get_u32(c->in), c->in + 4, &why) < 0)
		return err_set(e, STATUS_FAILED, "%s: %.800s", c->who, why.text);
	c->compute_ns = reply->stamped ? reply->stamp[2] - reply->stamp[1] : 0;
	if (!reply->error)
		return 0;
	err_quote(quoted, sizeof quoted, reply->text, reply->text_len);
	return err_set(e, STATUS_FAILED, "%s: error %u (%s): %s", c->who, reply->error,
	    frame_error_name(reply->error), quoted);
}

static int send_request(struct probe_client *c, const struct request *r, struct err *e)
{
	unsigned char head[4 + FRAME_HEAD_MAX];
	struct iovec v[3] = {{.iov_base = head}};
	int n = 1;

	v[0].iov_len = frame_head_write(head, &r->head);
	if (r->head.n_bars)
		v[n++] = (struct iovec){
		    (void *)(uintptr_t)r->closes, (size_t)r->head.n_bars * sizeof(double)};
	if (r->head.n_sets)
		v[n++] = (struct iovec){
		    (void *)(uintptr_t)r->sets, (size_t)r->head.n_sets * FRAME_SET_SIZE};
	return send_all(c, v, n, e);
}

int client_call(struct probe_client *c, const struct request *r, struct err *e)
{
	uint64_t start = clock_ns();

	if (send_request(c, r, e) < 0 || receive_frame(c, e) < 0)
		return -1;
	c->trip_ns = clock_ns() - start;
	c->calls++;
	return take_apart(c, r, e);
}

int client_call_line(struct probe_client *c, const struct buf *line, struct err *e)
{
	struct iovec v = {line->p, line->len};
	uint64_t start = clock_ns();

	c->in_len = 0;
	if (send_all(c, &v, 1, e) < 0)
		return -1;
	do
		if (receive(c, e) < 0)
			return -1;
	while (c->in[c->in_len - 1] != '\n');
	c->in_len--;
	c->trip_ns = clock_ns() - start;
	c->calls++;
	return 0;
}

struct request client_sweep(
    const struct workload *w, size_t first_set, size_t n_sets, uint8_t flags)
{
	return (struct request){
	    .head = {.op = OP_SWEEP,
		.flags = flags,
		.n_bars = (uint32_t)w->n_bars,
		.n_sets = (uint32_t)n_sets},
	    .closes = (const unsigned char *)w->closes,
	    .sets = (const unsigned char *)(w->sets + first_set),
	};
}

int client_gate(const struct probe_client *c, const struct workload *w, size_t first_set,
    size_t n_sets, struct err *e)
{
	if (c->reply.n_sets != n_sets)
		return err_set(e, STATUS_DIFFER, "%s: results of %u set%s, asked for %zu", c->who,
		    c->reply.n_sets, err_plural(c->reply.n_sets), n_sets);
	return probe_gate_reply(w, first_set, n_sets, c->reply.pnl, c->reply.trades, c->who, e);
}

/* The process's end, which is waited for without polling: its time is being taken. */
static int await_end(struct probe_client *c, struct rusage *use, struct err *e)
{
	int status;

	while (wait4(c->plain.peer, &status, 0, use) < 0)
		if (errno != EINTR || probe_stopped())
			return failed(c, "wait", e);
	c->plain.spawned = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return err_set(e, STATUS_FAILED, "%s: ended with %s %d", c->who,
	    WIFEXITED(status) ? "status" : "signal",
	    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

/* Between the start of a process and its end. */
static int exchange(struct probe_client *c, const struct request *r, struct err *e)
{
	if (send_request(c, r, e) < 0)
		return -1;
	c->t->ops->end_output(c->t);
	return receive_frame(c, e);
}

int client_process(struct probe_client *c, char *const argv[], const char *who,
    const struct request *r, struct rusage *use, struct err *e)
{
	uint64_t start = clock_ns();
	int bad, status;

	c->who = who;
	if (transport_spawn(&c->plain, argv, environ, e) < 0)
		return -1;
	c->t = &c->plain.t;
	bad = exchange(c, r, e);
	c->t->ops->close(c->t);
	c->t = NULL;
	if (!bad)
		bad = await_end(c, use, e);
	c->trip_ns = clock_ns() - start;
	c->calls++;
	if (bad)
		transport_reap(&c->plain, PATIENCE_NS, &status, use);
	return bad ? -1 : take_apart(c, r, e);
}

double client_cpu_s(const struct rusage *use)
{
	return (double)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) +
	       1e-6 * (double)(use->ru_utime.tv_usec + use->ru_stime.tv_usec);
}

double client_own_cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
