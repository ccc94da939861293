#include "lib/clock.h"
#include "lib/load_conn.h"
#include "lib/mem.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

#define GRACE_NS ((uint64_t)1000000000) /* for a command to end after its input did */

/* What a spawned peer has to say by its end. */
static void reap(struct load_conn *c, struct rusage *child)
{
	char text[80];
	int status, ended;

	if (!c->peer.spawned)
		return;
	ended = transport_reap(&c->peer, GRACE_NS, &status, child);
	if (ended == 0)
		load_conn_fault(c, LOAD_CLOSED, c->last_answered,
		    "the command did not end after its input, killed");
	if (ended != 1 || status == 0)
		return;
	snprintf(text, sizeof text,
	    WIFSIGNALED(status) ? "the command died of signal %d"
				: "the command ended with status %d",
	    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	load_conn_fault(c, LOAD_CLOSED, c->last_answered, text);
}

void load_conn_end(struct load_conn *c)
{
	if (c->peer.t.ops && c->open && !c->overdue)
		c->peer.t.ops->end_output(&c->peer.t);
}

/* Whatever comes now answers nothing. */
static void hear_out(struct load_conn *c, uint64_t until)
{
	struct transport *t = &c->peer.t;

	while (clock_ns() < until) {
		ssize_t got;

		load_conn_await(c, 10);
		got = t->ops->recv(t, c->in + c->in_len, c->in_cap - c->in_len);
		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			break;
		c->in_len += got > 0 ? (size_t)got : 0;
		load_conn_take(c, clock_ns());
	}
	if (c->in_len)
		load_conn_fault(c, LOAD_UNASKED, c->last_answered, "bytes follow the last reply");
}

void load_conn_close(struct load_conn *c, uint64_t until, struct rusage *child)
{
	/* Replies to what was under way when a run is cut short are none of its business. */
	if (c->peer.t.ops && c->open && !c->overdue && c->head == c->tail)
		hear_out(c, until);
	if (c->peer.t.ops)
		c->peer.t.ops->close(&c->peer.t);
	reap(c, child);
	c->open = 0;
	mem_free(c->q);
	mem_free(c->in);
	mem_free(c->live);
}
