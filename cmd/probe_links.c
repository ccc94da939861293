#include "cmd/probe_client.h"

#include <stdio.h>

static int open_link(struct probe_links *l, enum probe_link link, struct err *e)
{
	if (link == LINK_TCP && !l->server.tcp[0]) {
		snprintf(l->why[link], sizeof l->why[link], "no TCP port could be had");
		return 0;
	}
	return client_connect(&l->client[link], link, &l->server, probe_link_names[link], e);
}

int links_open(struct probe *p, struct probe_links *l, enum hma_kernel kernel, struct err *e)
{
	char program[4096], name[32], dash_k[] = "-k", *argv[] = {program, dash_k, name, NULL};
	const char *options[] = {"-k", name, "-t", "127.0.0.1:0", NULL};
	struct err why;

	*l = (struct probe_links){.server.pid = 0};
	snprintf(name, sizeof name, "%s", hma_kernel_name(kernel));
	snprintf(program, sizeof program, "%s/hmasweep", p->tools);
	if (probe_server_start(p, &l->server, options, &why) < 0) {
		options[2] = NULL; /* a machine without TCP still has the rest */
		if (probe_server_start(p, &l->server, options, e) < 0)
			return -1;
	}
	if (client_spawn(&l->client[LINK_PIPE], argv, probe_link_names[LINK_PIPE], e) < 0)
		return -1;
	for (int i = LINK_PIPE + 1; i < LINKS; i++)
		if (open_link(l, (enum probe_link)i, e) < 0)
			return -1;
	return 0;
}

void links_close(struct probe_links *l)
{
	for (int i = 0; i < LINKS; i++)
		client_close(&l->client[i]);
	probe_server_stop(&l->server);
}

double links_engine_cpu(const struct probe_links *l, enum probe_link link)
{
	struct probe_server filter = {.pid = l->client[LINK_PIPE].plain.peer};

	return probe_server_cpu(link == LINK_PIPE ? &filter : &l->server);
}

void links_label(struct row *row, enum probe_link link)
{
	row_label(row, "transport", "%s", probe_link_names[link]);
	row_label(row, "wait", "%s", probe_link_waits[link]);
}
