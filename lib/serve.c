#include "lib/serve_impl.h"
#include "lib/mem.h"
#include "lib/transport_stream.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

const struct serve_limits serve_default_limits = {
    .frame = FRAME_LIMIT,
    .connections = 1024,
    .slots = 64,
    .slot_bars = (uint64_t)16 << 20,
    .memory = (uint64_t)1 << 30,
    .live = (uint64_t)64 << 20,
    .idle_ns = 0,
    .grace_ns = 5000000000u,
};

struct serve *serve_new(const struct serve_config *config, struct err *e)
{
	struct serve *s = mem_alloc(sizeof *s);

	if (!s) {
		err_errno(e, "the server");
		return NULL;
	}
	*s = (struct serve){.config = *config, .epoll = epoll_create1(EPOLL_CLOEXEC)};
	serve_stats_init(config->stats);
	if (s->epoll < 0) {
		err_errno(e, "epoll_create1");
		serve_free(s);
		return NULL;
	}
	if (config->threads) {
		struct epoll_event ev = {.events = EPOLLIN, .data.ptr = NULL};

		s->pool = pool_start(config->threads, e);
		if (!s->pool) {
			serve_free(s);
			return NULL;
		}
		epoll_ctl(s->epoll, EPOLL_CTL_ADD, pool_fd(s->pool), &ev);
	}
	return s;
}

void serve_free(struct serve *s)
{
	pool_stop(s->pool);
	while (s->conns)
		conn_free(s->conns);
	scratch_free(&s->scratch);
	if (s->epoll >= 0)
		close(s->epoll);
	mem_free(s);
}

enum status serve_status(const struct serve *s)
{
	return s->status;
}

int serve_add_stdio(struct serve *s, int in, int out, struct err *e)
{
	struct conn *c = conn_new(s);

	if (!c)
		return err_errno(e, "the connection");
	transport_stdio(&c->stream, in, out);
	conn_ready(c);
	return 0;
}

/* After a turn: freed, or what it waits for is told to epoll. */
static void settle(struct conn *c)
{
	if (c->state == CONN_DEAD && !c->busy && !c->ready)
		conn_free(c);
	else if (c->transport->blocking && !c->busy)
		conn_ready(c);
}

static void serve_ready(struct serve *s)
{
	struct conn *c = s->ready_first;

	s->ready_first = NULL;
	while (c) {
		struct conn *next = c->next_ready;

		c->ready = 0;
		conn_turn(c, c->transport->blocking);
		settle(c);
		c = next;
	}
}

static void serve_computed(struct serve *s)
{
	struct pool_job *j;

	while ((j = pool_done(s->pool))) {
		struct conn *c =
		    (struct conn *)(void *)((char *)j - offsetof(struct conn, work.job));

		op_computed(c);
		conn_turn(c, c->transport->blocking);
		settle(c);
	}
}

static int wait_and_serve(struct serve *s)
{
	struct epoll_event ev[64];
	int n = epoll_wait(s->epoll, ev, 64, s->ready_first || s->config.spin ? 0 : -1);

	for (int i = 0; i < n; i++)
		if (!ev[i].data.ptr)
			serve_computed(s);
	return n < 0 && errno != EINTR ? -1 : 0;
}

int serve_run(struct serve *s, struct err *e)
{
	while (s->n_conns) {
		/* A filter's one connection waits by itself. */
		if ((s->n_conns > 1 || !s->ready_first) && wait_and_serve(s) < 0)
			return err_errno(e, "epoll_wait");
		serve_ready(s);
	}
	if (s->failure.text[0]) {
		*e = s->failure;
		return -1;
	}
	return 0;
}
