/* Suite numa: nodes, distances, what a load from each node's memory costs. */
#include "cmd/probe.h"
#include "lib/clock.h"
#include "lib/cpu.h"
#include "lib/mem.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 64
#define LINE 64
#define CHASE_BYTES ((size_t)64 << 20) /* beyond any cache of a server's core */
#define QUICK_BYTES ((size_t)16 << 20)
#define STEPS 1000000

/* A cycle through all lines in an order no prefetcher follows. */
struct chase {
	int memory_node, cpu_node;
	char *lines;
	size_t n, at;
	struct cpu_grant grant;
};

static size_t *next_of(const struct chase *c, size_t line)
{
	return (size_t *)(void *)(c->lines + line * LINE);
}

/* Sattolo's shuffle: one cycle over all lines. */
static void link_lines(struct chase *c)
{
	uint64_t state = 1;

	for (size_t i = 0; i < c->n; i++)
		*next_of(c, i) = i;
	for (size_t i = c->n - 1; i > 0; i--) {
		size_t k = (size_t)(stat_random(&state) % i), keep = *next_of(c, i);

		*next_of(c, i) = *next_of(c, k);
		*next_of(c, k) = keep;
	}
}

/* Pages belong to the node of who touches them first: a thread that lives there. */
static void *touch(void *arg)
{
	struct chase *c = arg;

	if (cpu_nodes() == 1 || cpu_numa(c->memory_node, &c->grant) == 0)
		link_lines(c);
	return NULL;
}

static void *walk(void *arg)
{
	struct chase *c = arg;

	if (cpu_nodes() > 1 && cpu_numa(c->cpu_node, &c->grant) < 0)
		return NULL;
	for (int i = 0; i < STEPS; i++)
		c->at = *next_of(c, c->at);
	return c;
}

/* Runs f on a thread of its own, so that its placement is not ours. */
static void *on_thread(void *(*f)(void *), struct chase *c)
{
	pthread_t t;
	void *result = NULL;

	if (pthread_create(&t, NULL, f, c) == 0)
		pthread_join(t, &result);
	return result;
}

static int run_chase(void *ctx, int round, double *ns, struct err *e)
{
	struct chase *c = ctx;
	uint64_t start = clock_ns();

	(void)round;
	if (!on_thread(walk, c))
		return err_set(e, STATUS_FAILED, "numa: node %d: %s", c->cpu_node, c->grant.text);
	/* The thread's start is some ten microseconds of a hundred milliseconds. */
	*ns = (double)(clock_ns() - start) / STEPS;
	return 0;
}

static int chase_row(struct probe *p, int cpu_node, int memory_node, struct err *e)
{
	struct chase c = {.memory_node = memory_node, .cpu_node = cpu_node};
	struct variant v = {.name = "numa", .run = run_chase, .ctx = &c};
	int rounds = p->rounds ? p->rounds : p->quick ? 5 : 9, done;
	double samples[1024];
	char name[80];
	struct row *row;

	c.n = (p->quick ? QUICK_BYTES : CHASE_BYTES) / LINE;
	c.lines = mem_alloc(c.n * LINE);
	if (!c.lines)
		return err_errno(e, "numa");
	snprintf(
	    name, sizeof name, "load, processor node %d, memory node %d", cpu_node, memory_node);
	row = row_add(&p->result, "numa", name, "ns");
	if (!row) {
		mem_free(c.lines);
		return err_errno(e, "numa");
	}
	on_thread(touch, &c);
	done = c.grant.state == CPU_REFUSED ? 0 : probe_rounds(p, &v, 1, rounds, samples, e);
	mem_free(c.lines);
	if (c.grant.state == CPU_REFUSED)
		row_skip(row, "%s", c.grant.text);
	if (done < 0)
		return -1;
	row_samples(row, samples, (size_t)done);
	row_label(row, "place", cpu_node == memory_node ? "local" : "remote");
	row_extra(row, "size_bytes", (double)(c.n * LINE));
	return 0;
}

static void put_distances(struct row *row, const char *line)
{
	double each[NODES];
	size_t n = 0;
	char *end;

	for (; n < NODES; n++, line = end) {
		each[n] = (double)strtol(line, &end, 10);
		if (end == line)
			break;
	}
	row_samples(row, each, n);
}

/* sysfs: "10 21", the distances of a node to each. */
static int distance_rows(struct probe *p, int nodes, struct err *e)
{
	for (int i = 0; i < nodes; i++) {
		char path[80], line[512] = "", name[40];
		struct row *row;
		FILE *f;

		snprintf(path, sizeof path, "/sys/devices/system/node/node%d/distance", i);
		snprintf(name, sizeof name, "distances of node %d", i);
		row = row_add(&p->result, "numa", name, "count");
		if (!row)
			return err_errno(e, "numa");
		snprintf(row->published, sizeof row->published,
		    "10 at home, 100 away (exchange, sysfs)");
		f = fopen(path, "re");
		if (f && fgets(line, sizeof line, f)) {
			line[strcspn(line, "\n")] = '\0';
			row_label(row, "distances", "%s", line);
			put_distances(row, line);
		} else {
			row_skip(row, "%s: %s", path, strerror(errno));
		}
		if (f)
			fclose(f);
	}
	return 0;
}

int suite_numa(struct probe *p, struct err *e)
{
	int nodes = cpu_nodes();
	double count = nodes;
	struct row *row = row_add(&p->result, "numa", "nodes", "count");

	if (!row)
		return err_errno(e, "numa");
	row_samples(row, &count, 1);
	if (nodes == 1)
		row_note(row, "one node: no memory is remote here");
	if (distance_rows(p, nodes, e) < 0)
		return -1;
	for (int c = 0; c < nodes && c < 2 && !probe_stopped(); c++)
		for (int m = 0; m < nodes && m < NODES; m++)
			if (chase_row(p, c, m, e) < 0)
				return -1;
	if (nodes > 1)
		return 0;
	row = row_add(&p->result, "numa", "load, remote", "ns");
	if (!row)
		return err_errno(e, "numa");
	row_skip(row, "one node: no memory is remote here");
	return 0;
}
