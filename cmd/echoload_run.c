#include "cmd/echoload.h"
#include "lib/mem.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int stop;

static void on_signal(int signal)
{
	(void)signal;
	atomic_store(&stop, 1);
}

/* Interrupted, the partial result is told; a second signal ends at once. */
static void catch_signals(void)
{
	struct sigaction once = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGINT, &once, NULL);
	sigaction(SIGTERM, &once, NULL);
	/* A peer that has gone is a result. */
	sigaction(SIGPIPE, &ignore, NULL);
}

static void read_sets(struct grid *g, const struct options *o)
{
	const char *name;
	struct err e;
	int fd;

	if (!o->sets) {
		if (grid_parse(g, o->grid ? o->grid : GRID_DEFAULT, &e) < 0)
			tool_die(&e);
		return;
	}
	fd = io_open(o->sets, &name, &e);
	if (fd < 0 || grid_read(g, fd, name, &e) < 0)
		tool_die(&e);
	close(fd);
	if (g->n == 0)
		tool_fail(STATUS_INPUT, "%s: no sets", name);
}

static int make_plan(struct load_plan *p, const struct options *o, uint64_t bytes, struct err *e)
{
	struct grid g = {0};
	const char *name;
	int fd, bad;

	if (o->op == OP_REPLAY) {
		fd = io_open(o->replay, &name, e);
		return fd < 0 ? -1 : load_plan_replay(p, fd, name, o->fee, e);
	}
	if (o->op == OP_ECHO)
		return load_plan_echo(p, bytes, e);
	read_sets(&g, o);
	if (o->op == OP_SWEEP)
		bad = load_plan_sweep(p, bytes / 8, g.sets, g.n, o->fee, e);
	else if (o->op == OP_SWEEP_SLOT)
		bad = load_plan_slot(p, o->slot, bytes / 8, g.sets, g.n, o->fee, e);
	else
		bad = load_plan_tick(p, bytes / 8, &g.sets[0], o->fee, e);
	grid_free(&g);
	return bad;
}

/* Bytes of all frames of a replayed stream. */
static uint64_t stream_bytes(const struct load_plan *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->requests[i].len;
	return n;
}

static const char *describe_peer(const struct options *o, char *text, size_t cap)
{
	if (o->unix_path)
		snprintf(text, cap, "unix %s", o->unix_path);
	else if (o->tcp)
		snprintf(text, cap, "tcp %s", o->tcp);
	else if (o->ring)
		snprintf(text, cap, "ring %s", o->ring);
	else if (o->command)
		snprintf(text, cap, "command %s", o->command[0]);
	else
		snprintf(text, cap, "stdio");
	return text;
}

static struct out report_out, samples_out;

static void on_interval(void *user, const struct hist *response, uint64_t from_ns, uint64_t to_ns)
{
	struct err e;

	(void)user;
	load_report_interval(&report_out, response, from_ns, to_ns);
	out_flush(&report_out, &e);
}

static void on_sample(void *user, size_t connection, int64_t due, int64_t sent, int64_t answered)
{
	(void)user;
	out_printf(&samples_out, "%zu\t%lld\t%lld\t%lld\n", connection + 1, (long long)due,
	    (long long)sent, (long long)answered);
}

static void open_outputs(struct options *o)
{
	struct err e;

	if (!o->output)
		out_init(&report_out, STDERR_FILENO, "<stderr>");
	else if (out_open(&report_out, o->output, &e) < 0)
		tool_die(&e);
	if (o->format == FORMAT_AUTO)
		o->format = io_is_terminal(report_out.fd) ? FORMAT_TABLE : FORMAT_TSV;
	if (o->format == FORMAT_NDJSON)
		o->load.on_interval = on_interval;
	if (!o->samples)
		return;
	if (out_open(&samples_out, o->samples, &e) < 0)
		tool_die(&e);
	out_str(&samples_out, "connection\tdue_ns\tsent_ns\tanswered_ns\n");
	o->load.on_sample = on_sample;
}

static void write_report(
    struct options *o, struct load_head *h, const struct load_row *rows, size_t n)
{
	struct err e;

	h->n_facts = host_facts(h->facts);
	if (o->format == FORMAT_TABLE)
		load_report_before(&report_out, h);
	if (o->format == FORMAT_JSON)
		load_report_json(&report_out, h, rows, n);
	else if (o->format != FORMAT_NDJSON &&
		 load_report_table(&report_out,
		     o->format == FORMAT_TABLE ? REPORT_TABLE : REPORT_TSV, h, rows, n, &e) < 0)
		tool_die(&e);
	if (o->format == FORMAT_TABLE)
		load_report_after(&report_out, h, rows, n);
	if (o->samples && out_close(&samples_out, &e) < 0)
		tool_die(&e);
	if (!o->hgrm || n == 0)
		return;
	if (out_open(&samples_out, o->hgrm, &e) < 0)
		tool_die(&e);
	load_report_hgrm(&samples_out, &rows[0].r->response);
	if (out_close(&samples_out, &e) < 0)
		tool_die(&e);
}

/* The first thing that is wrong, in a line; the status. */
static enum status verdict(const struct load_head *h, const struct load_row *rows, size_t n)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < n; i++) {
		const struct load_result *r = rows[i].r;
		int fell_short = load_fell_short(h, r);

		if (load_faults(r) && status == STATUS_OK)
			tool_say("%s: %llu fault%s: %s", h->peer,
			    (unsigned long long)load_faults(r), load_faults(r) == 1 ? "" : "s",
			    r->first_fault);
		else if (fell_short && status == STATUS_OK)
			tool_say("%s: %.0f requests a second of %.0f wanted (see --min-achieved)",
			    h->peer, load_achieved(r), h->config->rate);
		else if (r->interrupted && status == STATUS_OK)
			tool_say("interrupted: the report is of what was done by then");
		if (load_faults(r) || fell_short || r->interrupted)
			status = STATUS_FAILED;
	}
	return status;
}

/* One run of one size. The result is the caller's. */
static void run_one(const struct options *o, uint64_t *bytes, struct load_result *r)
{
	struct load_config k = o->load;
	struct load_plan plan = {.stamp = k.one_way};
	struct err e;

	if (make_plan(&plan, o, *bytes, &e) < 0)
		tool_die(&e);
	if (o->op == OP_REPLAY)
		*bytes = stream_bytes(&plan);
	k.plan = &plan;
	k.open = open_peer;
	k.user = (void *)(uintptr_t)o;
	k.stop = &stop;
	if (load_run(&k, r, &e) < 0)
		tool_die(&e);
	load_plan_free(&plan);
}

static void refuse_terminals(const struct options *o)
{
	if (o->unix_path || o->tcp || o->ring || o->command)
		return;
	if (io_is_terminal(STDIN_FILENO) || io_is_terminal(STDOUT_FILENO))
		tool_usage("no peer: give -u PATH, -t HOST:PORT or -- COMMAND, or close a loop of "
			   "pipes: mkfifo b; echoload <b | hmasweep >b");
	if (o->output && strcmp(o->output, "-") == 0)
		tool_usage("-o -: stdout carries the requests");
}

_Noreturn void run_load(struct options *o)
{
	static struct load_head h;
	struct load_row rows[MAX_SIZES];
	struct host_watch watch;
	char peer[300];
	size_t n = 0;

	refuse_terminals(o);
	if (o->n_sizes > 1 &&
	    (o->hgrm || o->samples || !(o->unix_path || o->tcp || o->ring || o->command)))
		tool_usage("several sizes need a peer to connect to, and files of one run each: "
			   "give one -b");
	open_outputs(o);
	catch_signals();
	h.peer = describe_peer(o, peer, sizeof peer);
	h.config = &o->load;
	h.min_achieved = o->min_achieved;
	host_watch(&watch);
	while (n < o->n_sizes && !atomic_load(&stop)) {
		struct load_result *r = mem_alloc(sizeof *r);

		if (!r)
			tool_fail(STATUS_FAILED, "out of memory");
		run_one(o, &o->sizes[n], r);
		rows[n] = (struct load_row){
		    o->op == OP_REPLAY ? "replay" : frame_op_name((unsigned)o->op), o->sizes[n], r};
		if (o->format == FORMAT_NDJSON)
			load_report_total(&report_out, &h, &rows[n]);
		n++;
	}
	h.has_noise = host_noise(&watch, &h.others, &h.steal) == 0;
	write_report(o, &h, rows, n);
	tool_finish(&report_out, verdict(&h, rows, n));
}
