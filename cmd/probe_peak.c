/* Suite legs, the exchange's peak: small preloaded calls in an open loop at its rate. */
#include "cmd/probe.h"
#include "lib/load.h"
#include "lib/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PEAK_RATE 20740.0 /* transactions a second on its record day */
#define PEAK_BARS 1000

static int open_unix(void *user, size_t index, struct transport_client *c, struct err *e)
{
	const struct probe_server *s = user;

	(void)index;
	return transport_unix(c, s->path, 1000000000u, e);
}

static int add_row(
    struct probe *p, const struct load_result *r, uint64_t duration_ns, struct err *e)
{
	struct row *row = row_add(&p->result, "legs", "open loop at the exchange's peak", "ns");
	double seconds = (double)r->elapsed_ns / 1e9;

	if (!row)
		return err_errno(e, "legs");
	row_label(row, "call", "open loop");
	row_label(row, "transport", "unix");
	row_label(row, "wait", "block");
	row_hist(row, &r->response);
	row_extra(row, "achieved_per_s", seconds > 0 ? (double)r->answered / seconds : 0);
	row_extra(row, "asked_per_s", PEAK_RATE);
	row_extra(row, "unsent_count", (double)r->unsent);
	row_note(row,
	    "one set on a slot of %d bars, one connection, %.1f s; response from when a call was "
	    "due",
	    PEAK_BARS, (double)duration_ns / 1e9);
	snprintf(row->published, sizeof row->published, "20740/s (exchange, measured)");
	return 0;
}

int probe_peak(struct probe *p, struct err *e)
{
	struct load_result *r = mem_alloc(sizeof *r);
	struct hma_set set = hma_set_of_length(20);
	struct probe_server server = {0};
	struct load_plan plan = {0};
	struct load_config c = {.plan = &plan,
	    .open = open_unix,
	    .user = &server,
	    .connections = 1,
	    .threads = 1,
	    .depth = 256,
	    .rate = PEAK_RATE,
	    .count = UINT64_MAX,
	    .duration_ns = p->quick ? 1000000000u : 10000000000u,
	    .timeout_ns = 2000000000u,
	    .verify = 1,
	    .warm_count = 200};
	int bad =
	    r ? load_plan_slot(&plan, 0, PEAK_BARS, &set, 1, p->work.fee, e) : err_errno(e, "legs");

	if (!bad)
		bad = probe_server_start(p, &server, NULL, e);
	if (!bad)
		bad = load_run(&c, r, e);
	if (!bad && load_faults(r) && !probe_stopped())
		bad = err_set(e, STATUS_DIFFER, "legs: peak: %.300s", r->first_fault);
	if (!bad && !probe_stopped())
		bad = add_row(p, r, c.duration_ns, e);
	probe_server_stop(&server);
	load_plan_free(&plan);
	mem_free(r);
	return bad;
}
