#include "lib/load_conn.h"
#include "lib/clock.h"
#include "lib/mem.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define IN_LEAST ((size_t)64 << 10)
#define SMALL ((size_t)64 << 10) /* a request that socket buffers take whole */
#define SECOND ((uint64_t)1000000000)
#define BATCH 16              /* requests a call of send */
#define JOINED ((size_t)1024) /* frames up to this are sent as one piece */

/* Room for the largest reply that is expected, so that a reply is never moved to grow. */
static size_t largest(const struct load_plan *p)
{
	size_t most = p->each.frame ? p->each.n : 0;

	if (p->once.frame && p->once.n > most)
		most = p->once.n;
	for (size_t i = 0; i < p->n; i++)
		if (p->requests[i].want != LOAD_WANT_ANY && p->requests[i].n > most)
			most = p->requests[i].n;
	return most + FRAME_STAMP_SIZE + 4;
}

/*
 * One small request at a time on a socket can block in the kernel, which costs a
 * call less a round trip than polling. There is no time limit to such a wait, since
 * starting a timer costs more than the poll saved: the main thread ends it.
 */
static int choose_wait(struct load_conn *c)
{
	const struct load_config *k = c->config;
	int single = k->rate == 0 && k->depth == 1 && k->connections == k->threads;
	int small = c->peer.is_socket && !k->spin;

	/* A ring waits by itself, spinning first or for ever, and looks up often. */
	if (c->peer.ring)
		return transport_block(&c->peer, single);
	for (size_t i = 0; i < k->plan->n; i++)
		small = small && k->plan->requests[i].len <= SMALL;
	return transport_block(&c->peer, small && single);
}

static int make_live(struct load_conn *c)
{
	const struct load_plan *p = c->config->plan;

	if (!p->live_set)
		return 0;
	c->live = mem_alloc(hma_live_size(p->live_set));
	if (!c->live)
		return -1;
	hma_live_init(c->live, p->live_set, p->fee);
	return 0;
}

int load_conn_open(struct load_conn *c, const struct load_config *config, size_t index,
    struct load_tally *tally, struct err *e)
{
	size_t room = 1;

	*c = (struct load_conn){
	    .config = config, .tally = tally, .index = index, .number = 1, .turn = 0};
	while (room < config->depth)
		room *= 2;
	c->mask = room - 1;
	c->in_cap = largest(config->plan) + IN_LEAST;
	c->q = mem_alloc(room * sizeof *c->q);
	c->in = mem_alloc(c->in_cap);
	if (!c->q || !c->in || make_live(c) < 0)
		return err_errno(e, "connection %zu", index + 1);
	if (config->open(config->user, index, &c->peer, e) < 0)
		return -1;
	c->open = 1;
	return choose_wait(c) < 0 ? err_errno(e, "connection %zu", index + 1) : 0;
}

static void queue(struct load_conn *c, const struct load_request *r, uint64_t due, int measured)
{
	c->q[c->tail++ & c->mask] = (struct load_entry){
	    .request = r, .due = due, .number = c->number++, .measured = measured};
}

void load_conn_ask(struct load_conn *c, uint64_t due, int measured)
{
	const struct load_plan *p = c->config->plan;

	queue(c, &p->requests[c->turn], due, measured);
	c->turn = c->turn + 1 < p->n ? c->turn + 1 : 0;
}

/* The connection is of no use any more; what is under way will never be answered. */
static void give_up(struct load_conn *c, enum load_fault why, const char *text)
{
	uint64_t under_way = c->tail - c->head;

	if (why == LOAD_CLOSED)
		load_conn_fault(c, LOAD_CLOSED, c->last_answered + 1, text);
	if (under_way) {
		load_conn_fault(c, LOAD_MISSING, c->q[c->head & c->mask].number, text);
		c->tally->faults[LOAD_MISSING] += under_way - 1;
	}
	c->head = c->next = c->tail;
	c->open = 0;
}

/* How much longer than the timeout a late reply is waited for. */
static uint64_t patience(const struct load_config *k)
{
	return k->timeout_ns < SECOND ? k->timeout_ns : SECOND;
}

static void too_late(struct load_conn *c)
{
	char text[80];

	snprintf(text, sizeof text, "no reply within %llu ms",
	    (unsigned long long)(c->config->timeout_ns / 1000000));
	give_up(c, LOAD_MISSING, text);
}

/* The pieces of an entry's frame: an echo's first close is replaced by its number. */
static int pieces(struct iovec *v, struct load_entry *n)
{
	const struct load_request *r = n->request;
	unsigned char *frame = (unsigned char *)(uintptr_t)r->frame;

	v[0] = (struct iovec){frame, r->len};
	if (r->want != LOAD_WANT_ECHO || r->n < 8)
		return 1;
	v[0].iov_len = r->head;
	v[1] = (struct iovec){&n->number, 8};
	v[2] = (struct iovec){frame + r->head + 8, r->len - r->head - 8};
	return v[2].iov_len ? 3 : 2;
}

/* Takes `gone` bytes off the front; how many pieces were used up. */
static int skip_bytes(struct iovec *v, int n, size_t gone)
{
	int i = 0;

	while (i < n && gone >= v[i].iov_len)
		gone -= v[i++].iov_len;
	if (i < n) {
		v[i].iov_base = (char *)v[i].iov_base + gone;
		v[i].iov_len -= gone;
	}
	return i;
}

/* `put` bytes of the queue have left, the first of them at `now`. */
static void sent(struct load_conn *c, size_t put)
{
	c->tally->bytes_there += put;
	put += c->sent_bytes;
	while (c->next != c->tail && put >= c->q[c->next & c->mask].request->len) {
		put -= c->q[c->next & c->mask].request->len;
		c->tally->sent += (uint64_t)c->q[c->next & c->mask].measured;
		c->next++;
	}
	c->sent_bytes = put;
}

static void start_entry(struct load_conn *c, struct load_entry *n, uint64_t now)
{
	if (n->sent)
		return;
	n->sent = now;
	if (n->due == 0)
		n->due = now;
	if (n->measured && c->config->rate > 0)
		hist_record(&c->tally->lateness, (int64_t)(now - n->due));
}

/* The unsent pieces of the next requests; small ones are joined, which the kernel takes faster. */
static int gather(struct load_conn *c, struct iovec *v, unsigned char *joined, size_t *end)
{
	size_t i, bytes = 0;
	int n = 0, gone, k;

	for (i = c->next; i != c->tail && i - c->next < BATCH; i++)
		n += pieces(v + n, &c->q[i & c->mask]);
	*end = i;
	gone = skip_bytes(v, n, c->sent_bytes);
	for (k = gone; k < n && bytes <= JOINED; k++)
		bytes += v[k].iov_len;
	if (bytes > JOINED) {
		memmove(v, v + gone, (size_t)(n - gone) * sizeof *v);
		return n - gone;
	}
	for (bytes = 0, k = gone; k < n; k++) {
		memcpy(joined + bytes, v[k].iov_base, v[k].iov_len);
		bytes += v[k].iov_len;
	}
	v[0] = (struct iovec){joined, bytes};
	return 1;
}

/* A call on the peer failed or came to its end: the wait was too long, or the peer has gone. */
static void lost(struct load_conn *c, const char *why)
{
	const struct load_config *k = c->config;
	const struct load_entry *n = &c->q[c->head & c->mask];

	if (c->peer.t.blocking && k->stop && atomic_load(k->stop))
		c->open = 0;
	else if (c->head != c->tail && n->sent && clock_ns() - n->sent > k->timeout_ns)
		too_late(c);
	else
		give_up(c, LOAD_CLOSED, why);
}

/* What the main thread looks at: since when a call on a socket may block; 0: none does. */
static void waits_since(struct load_conn *c, uint64_t since)
{
	if (c->peer.t.blocking && c->peer.is_socket)
		atomic_store_explicit(&c->waiting_ns, since, memory_order_release);
}

void load_conn_rescue(struct load_conn *c, uint64_t now, int stopped)
{
	uint64_t since = atomic_load_explicit(&c->waiting_ns, memory_order_acquire);

	if (!since || now < since)
		return;
	/* Shut down, not closed: the descriptor stays its thread's. */
	if (stopped || now - since > c->config->timeout_ns + patience(c->config))
		shutdown(c->peer.t.fd_in, SHUT_RDWR);
}

void load_conn_send(struct load_conn *c)
{
	struct transport *t = &c->peer.t;

	while (c->open && c->next != c->tail) {
		unsigned char joined[JOINED];
		struct iovec v[3 * BATCH];
		size_t end, i;
		int n = gather(c, v, joined, &end);
		uint64_t now = clock_ns();
		ssize_t put;

		for (i = c->next; i != end; i++)
			start_entry(c, &c->q[i & c->mask], now);
		waits_since(c, now);
		put = t->ops->send(t, v, n);
		if (put > 0) {
			sent(c, (size_t)put);
			c->blocked_ns = 0;
		} else if (put < 0 && errno == EAGAIN) {
			c->blocked_ns = c->blocked_ns ? c->blocked_ns : now;
			return;
		} else if (put < 0 && errno != EINTR) {
			lost(c, errno == EPIPE ? "the peer closed" : strerror(errno));
		}
	}
}

int load_conn_receive(struct load_conn *c)
{
	struct transport *t = &c->peer.t;
	ssize_t got = t->ops->recv(t, c->in + c->in_len, c->in_cap - c->in_len);
	uint64_t now = clock_ns();

	waits_since(c, 0);
	c->received_ns = now;
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0) {
		lost(c, got < 0     ? strerror(errno)
			: c->in_len ? "closed inside a reply"
				    : "the peer closed");
		return 1;
	}
	c->tally->bytes_back += (uint64_t)got;
	if (c->skip) {
		size_t passed = (uint64_t)got < c->skip ? (size_t)got : (size_t)c->skip;

		c->skip -= passed;
		memmove(c->in, c->in + passed, (size_t)got - passed);
		got -= (ssize_t)passed;
	}
	c->in_len += (size_t)got;
	load_conn_take(c, now);
	return 1;
}

void load_conn_check(struct load_conn *c, uint64_t now)
{
	uint64_t since;

	if (!c->open || c->head == c->tail)
		return;
	since = c->head != c->next ? c->q[c->head & c->mask].sent : c->blocked_ns;
	if (!since || now < since || now - since <= c->config->timeout_ns)
		return;
	c->overdue = 1;
	if (now - since > c->config->timeout_ns + patience(c->config))
		too_late(c);
}

void load_conn_await(struct load_conn *c, int ms)
{
	struct pollfd p = {.fd = c->peer.t.fd_in, .events = POLLIN};

	if (!c->peer.t.blocking)
		poll(&p, 1, ms);
}

/* Asks one request and awaits its reply; whatever is wrong with it is a fault, counted. */
static void ask_alone(struct load_conn *c, const struct load_request *r)
{
	if (!r->frame)
		return;
	queue(c, r, clock_ns(), 0);
	while (load_conn_under_way(c)) {
		load_conn_send(c);
		load_conn_await(c, c->next == c->tail ? 100 : 1);
		load_conn_receive(c);
		load_conn_check(c, clock_ns());
	}
}

int load_conn_prepare(struct load_conn *c, struct err *e)
{
	if (c->index == 0)
		ask_alone(c, &c->config->plan->once);
	ask_alone(c, &c->config->plan->each);
	if (c->open && !c->tally->first_fault[0])
		return 0;
	return err_set(e, STATUS_FAILED, "peer: before the run: %s", c->tally->first_fault);
}
