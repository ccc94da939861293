#include "cmd/probe_client.h"
#include "lib/cpu.h"

#include <stdio.h>

static const struct probe_server *server_of(const struct probe_links *l, enum probe_link link)
{
	return link == LINK_RING_SPIN ? &l->spinning : link == LINK_RING ? &l->ringing : &l->server;
}

static int open_link(struct probe_links *l, enum probe_link link, struct err *e)
{
	const struct probe_server *s = server_of(l, link);

	if (link == LINK_TCP && !s->tcp[0]) {
		snprintf(l->why[link], sizeof l->why[link], "no TCP port could be had");
		return 0;
	}
	if (link >= LINK_RING) {
		if (client_ring(&l->client[link], link, s, l->largest, probe_link_names[link], e) ==
		    0)
			return 0;
		/* What one ring is refused for, the other would be too. */
		for (int i = LINK_RING; i < LINKS; i++)
			snprintf(l->why[i], sizeof l->why[i], "%.230s", e->text);
		return 0;
	}
	return client_connect(&l->client[link], link, s, probe_link_names[link], e);
}

static int start(struct probe_links *l, struct err *e)
{
	const char *options[] = {"-k", hma_kernel_name(l->kernel), "-t", "127.0.0.1:0", NULL};
	struct err why;

	if (probe_server_start(l->p, &l->server, options, &why) == 0)
		return 0;
	options[2] = NULL; /* a machine without TCP still has the rest */
	return probe_server_start(l->p, &l->server, options, e);
}

int links_open(
    struct probe *p, struct probe_links *l, enum hma_kernel kernel, uint64_t largest, struct err *e)
{
	char program[4096], name[32], dash_k[] = "-k", *argv[] = {program, dash_k, name, NULL};
	const char *kernel_only[] = {"-k", hma_kernel_name(kernel), NULL};

	*l = (struct probe_links){.p = p, .kernel = kernel, .largest = largest};
	snprintf(name, sizeof name, "%s", hma_kernel_name(kernel));
	snprintf(program, sizeof program, "%s/hmasweep", p->tools);
	if (cpu_count() < 2)
		snprintf(l->why[LINK_RING_SPIN], sizeof l->why[0],
		    "one processor: who spins keeps the other from running");
	if (start(l, e) < 0 || probe_server_start(p, &l->ringing, kernel_only, e) < 0 ||
	    client_spawn(&l->client[LINK_PIPE], argv, probe_link_names[LINK_PIPE], e) < 0)
		return -1;
	for (int i = LINK_UNIX; i < LINK_RING_SPIN; i++)
		if (open_link(l, (enum probe_link)i, e) < 0)
			return -1;
	return 0;
}

/* The spinning engine on the first processor, the client on the second. */
static int start_spinning(struct probe_links *l, struct err *e)
{
	char first[16];
	const char *options[] = {"-k", hma_kernel_name(l->kernel), "--spin", "--cpu", first, NULL};
	struct cpu_grant grant;

	snprintf(first, sizeof first, "%d", cpu_nth(0));
	if (probe_server_start(l->p, &l->spinning, options, e) < 0)
		return -1;
	sched_getaffinity(0, sizeof l->home, &l->home);
	cpu_pin(cpu_nth(1), &grant);
	return open_link(l, LINK_RING_SPIN, e);
}

static void stop_spinning(struct probe_links *l)
{
	if (!l->spinning.pid)
		return;
	client_close(&l->client[LINK_RING_SPIN]);
	probe_server_stop(&l->spinning);
	sched_setaffinity(0, sizeof l->home, &l->home);
}

int links_enter(struct probe_links *l, enum probe_link link, struct err *e)
{
	if (link == LINK_RING_SPIN)
		return l->spinning.pid ? 0 : start_spinning(l, e);
	stop_spinning(l);
	return 0;
}

void links_close(struct probe_links *l)
{
	stop_spinning(l);
	for (int i = 0; i < LINKS; i++)
		client_close(&l->client[i]);
	probe_server_stop(&l->server);
	probe_server_stop(&l->ringing);
}

int links_skipped(
    struct probe *p, const char *suite, const struct probe_links *l, int n, struct err *e)
{
	for (int i = 0; i < n; i++) {
		struct row *row;

		if (!l->why[i][0])
			continue;
		row = row_add(&p->result, suite, probe_link_names[i], "ns");
		if (!row)
			return err_errno(e, "%s", suite);
		row_skip(row, "%s", l->why[i]);
	}
	return 0;
}

double links_engine_cpu(const struct probe_links *l, enum probe_link link)
{
	struct probe_server filter = {.pid = l->client[LINK_PIPE].plain.peer};

	return probe_server_cpu(link == LINK_PIPE ? &filter : server_of(l, link));
}

void links_label(struct row *row, enum probe_link link)
{
	row_label(row, "transport", "%s", probe_link_names[link]);
	row_label(row, "wait", "%s", probe_link_waits[link]);
}
