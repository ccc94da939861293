/*
 * Suite ladder: one load, and what each measure against tails does to it, every
 * rung beside an unpinned, blocking control. With fewer than four processors the
 * two take turns, A B B A; the one that waits is stopped, so that it cannot spin.
 */
#include "cmd/probe.h"
#include "lib/cpu.h"
#include "lib/load.h"
#include "lib/mem.h"
#include "lib/transport_ring.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define RATE 5000.0 /* requests a second */
#define FIFO_PRIORITY 10
#define RING_BYTES 65536 /* of each ring: for frames of a few bytes */
#define MAX_BLOCKS 60

struct rung {
	const char *name, *wait;
	const char *options[8];       /* of the server */
	int pinned, fifo, spin, ring; /* the client */
};

/* Processors: the server's loop on the first we may use, the client on the second. */
static char server_cpu[12];

static const struct rung rungs[] = {
    {.name = "pinned", .wait = "block", .options = {"--cpu", server_cpu}, .pinned = 1},
    {.name = "pinned, SCHED_FIFO",
	.wait = "block",
	.options = {"--cpu", server_cpu, "--fifo", "10"},
	.pinned = 1,
	.fifo = FIFO_PRIORITY},
    {.name = "pinned, busy poll",
	.wait = "spin",
	.options = {"--cpu", server_cpu, "--spin"},
	.pinned = 1,
	.spin = 1},
    {.name = "pinned, ring, busy poll",
	.wait = "spin",
	.options = {"--cpu", server_cpu, "--spin"},
	.pinned = 1,
	.spin = 1,
	.ring = 1},
};
#define RUNGS (sizeof rungs / sizeof rungs[0])
static const struct rung control = {.name = "control", .wait = "block"};

/* One of the two that take turns. */
struct arm {
	const struct rung *rung;
	struct probe_server server;
	struct hist *all;
	double p50[MAX_BLOCKS], p99[MAX_BLOCKS];
	char granted[160];
	struct cpu_grant pin, fifo;
	double achieved; /* requests a second, mean of the blocks */
};

static int open_link(void *user, size_t index, struct transport_client *c, struct err *e)
{
	const struct arm *a = user;

	(void)index;
	if (a->rung->ring)
		return transport_ring(
		    c, a->server.path, 1000000000u, RING_BYTES, RING_SPINS_FOREVER, e);
	return transport_unix(c, a->server.path, 1000000000u, e);
}

/* What the server really got, read from the kernel. */
static void read_back(struct arm *a)
{
	cpu_set_t set;
	struct sched_param param;
	pid_t pid = (pid_t)a->server.pid;
	int policy = sched_getscheduler(pid), n = -1;

	if (sched_getaffinity(pid, sizeof set, &set) == 0)
		n = CPU_COUNT(&set);
	if (sched_getparam(pid, &param) < 0)
		param.sched_priority = 0;
	snprintf(a->granted, sizeof a->granted, "server on %d processor%s%s", n, n == 1 ? "" : "s",
	    policy == SCHED_FIFO ? ", SCHED_FIFO" : "");
}

static int open_arm(struct probe *p, struct arm *a, const struct rung *rung, struct err *e)
{
	a->rung = rung;
	a->all = mem_alloc(sizeof *a->all);
	if (!a->all)
		return err_errno(e, "ladder");
	hist_reset(a->all);
	if (probe_server_start(p, &a->server, rung->options, e) < 0)
		return -1;
	read_back(a);
	kill((pid_t)a->server.pid, SIGSTOP);
	return 0;
}

static void close_arm(struct arm *a)
{
	if (a->server.pid > 0)
		kill((pid_t)a->server.pid, SIGCONT);
	probe_server_stop(&a->server);
	mem_free(a->all);
}

static int run_block(struct arm *a, const struct load_plan *plan, struct load_result *r, int block,
    uint64_t duration_ns, struct err *e)
{
	int cpu = cpu_nth(1);
	struct load_config c = {.plan = plan,
	    .open = open_link,
	    .user = a,
	    .connections = 1,
	    .threads = 1,
	    .depth = 64,
	    .rate = RATE,
	    .count = UINT64_MAX,
	    .duration_ns = duration_ns,
	    .timeout_ns = 2000000000u,
	    .verify = 1,
	    .spin = a->rung->spin,
	    .fifo = a->rung->fifo,
	    .cpus = &cpu,
	    .n_cpus = a->rung->pinned ? 1 : 0,
	    .warm_count = 20};
	int bad;

	kill((pid_t)a->server.pid, SIGCONT);
	bad = load_run(&c, r, e);
	kill((pid_t)a->server.pid, SIGSTOP);
	if (bad)
		return -1;
	if (load_faults(r))
		return err_set(
		    e, STATUS_DIFFER, "ladder: %s: %.300s", a->rung->name, r->first_fault);
	if (block < 0)
		return 0;
	a->pin = r->pin;
	a->fifo = r->fifo;
	a->achieved += r->elapsed_ns ? 1e9 * (double)r->answered / (double)r->elapsed_ns : 0;
	hist_merge(a->all, &r->response);
	for (int i = 0; i < 2; i++) {
		uint64_t v = r->response.max, n = r->response.n;

		hist_at_rank(&r->response, i ? (n * 99 + 99) / 100 : (n + 1) / 2, &v);
		(i ? a->p99 : a->p50)[block] = (double)v;
	}
	return 0;
}

static int denied(const struct arm *a, char *why, size_t cap)
{
	if (a->rung->pinned && a->pin.state != CPU_GRANTED)
		return snprintf(why, cap, "client not pinned: %s", a->pin.text);
	if (a->rung->fifo && a->fifo.state != CPU_GRANTED)
		return snprintf(why, cap, "client: %s", a->fifo.text);
	if (a->rung->fifo && !strstr(a->granted, "SCHED_FIFO"))
		return snprintf(why, cap, "the server got no SCHED_FIFO");
	return 0;
}

static int add_row(
    struct probe *p, struct arm *a, const struct arm *against, int blocks, struct err *e)
{
	double scratch[MAX_BLOCKS];
	struct stat_ratio p50;
	struct row *row;
	char name[80], why[200];

	snprintf(name, sizeof name, a == against ? "control of %s" : "%s",
	    a == against ? (a + 1)->rung->name : a->rung->name);
	row = row_add(&p->result, "ladder", name, "ns");
	if (!row)
		return err_errno(e, "ladder");
	row_label(row, "transport", "%s", a->rung->ring ? "ring" : "unix");
	row_label(row, "wait", "%s", a->rung->wait);
	row_label(row, "order", "A B B A, alternating");
	if (denied(a, why, sizeof why)) {
		row_skip(row, "%s", why);
		return 0;
	}
	row_hist(row, a->all);
	snprintf(name, sizeof name, "control of %s", (against + 1)->rung->name);
	row_ratio(row, name, stat_ratio_paired(a->p99, against->p99, (size_t)blocks, scratch));
	p50 = stat_ratio_paired(a->p50, against->p50, (size_t)blocks, scratch);
	row_extra(row, "p50_ratio", p50.ratio);
	row_extra(row, "p50_ratio_low", p50.has_interval ? p50.low : NAN);
	row_extra(row, "p50_ratio_high", p50.has_interval ? p50.high : NAN);
	row_extra(row, "achieved_per_s", a->achieved / blocks);
	row_note(row,
	    "8 B echoes, open loop at %.0f/s; response time; ratio is of p99 (blocks: %d); %s",
	    RATE, blocks, a->granted);
	return 0;
}

static int measure(struct probe *p, const struct rung *rung, const struct load_plan *plan,
    struct load_result *r, int blocks, uint64_t duration_ns, struct err *e)
{
	static struct arm arm[2];
	int done = 0, bad;

	memset(arm, 0, sizeof arm);
	bad = open_arm(p, &arm[0], &control, e) < 0 || open_arm(p, &arm[1], rung, e) < 0 ? -1 : 0;
	for (int b = -1; b < blocks && !bad && !probe_stopped(); b++) {
		for (int k = 0; k < 2 && !bad; k++)
			bad = run_block(&arm[(b + 1 + k) % 2], plan, r, b, duration_ns, e);
		done = b + 1;
		probe_progress(p, "ladder: %s: block %d of %d", rung->name, b + 1, blocks);
	}
	if (!bad && done > 0)
		bad = add_row(p, &arm[0], &arm[0], done, e) < 0 ||
			      add_row(p, &arm[1], &arm[0], done, e) < 0
			  ? -1
			  : 0;
	close_arm(&arm[0]);
	close_arm(&arm[1]);
	return bad;
}

int suite_ladder(struct probe *p, struct err *e)
{
	int blocks = p->rounds ? p->rounds : p->quick ? 9 : 15, bad;
	struct load_result *r = mem_alloc(sizeof *r);
	struct load_plan plan = {0};
	struct row *row;

	if (blocks > MAX_BLOCKS)
		blocks = MAX_BLOCKS;
	if (!r)
		return err_errno(e, "ladder");
	bad = load_plan_echo(&plan, 8, e);
	snprintf(server_cpu, sizeof server_cpu, "%d", cpu_nth(0));
	if (!bad && cpu_count() < 2) {
		row = row_add(&p->result, "ladder", "pinned", "ns");
		if (row)
			row_skip(row, "one processor: client and engine cannot be set apart");
		bad = row ? 1 : err_errno(e, "ladder");
	}
	for (size_t i = 0; i < RUNGS && !bad && !probe_stopped(); i++)
		bad =
		    measure(p, &rungs[i], &plan, r, blocks, p->quick ? 100000000u : 400000000u, e);
	load_plan_free(&plan);
	mem_free(r);
	return bad < 0 ? -1 : 0;
}
