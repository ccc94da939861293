#include "cmd/probe.h"
#include "lib/mem.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

int result_describe(struct result *r, int argc, char **argv, struct err *e)
{
	time_t now = time(NULL);
	struct tm utc;

	r->schema = PROBE_SCHEMA;
	snprintf(r->version, sizeof r->version, "%s", IPCTAX_VERSION);
	gmtime_r(&now, &utc);
	strftime(r->started, sizeof r->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
	for (int i = 0; i < argc; i++)
		if (buf_append(&r->command, argv[i], strlen(argv[i]) + 1) < 0)
			return err_errno(e, "command line");
	r->host = mem_alloc((HOST_FACTS + 4) * sizeof *r->host);
	if (!r->host)
		return err_errno(e, "host");
	r->n_host = host_facts(r->host);
	return 0;
}

void result_noise(struct result *r, const struct host_watch *since)
{
	struct host_fact *f = r->host + r->n_host;
	double others, steal;

	if (host_noise(since, &others, &steal) < 0)
		return;
	f[0] = (struct host_fact){.key = "others_cpu"};
	snprintf(f[0].text, sizeof f[0].text, "%.2f processors used by others meanwhile", others);
	f[1] = (struct host_fact){.key = "steal_cpu"};
	snprintf(f[1].text, sizeof f[1].text, "%.2f processors taken by the hypervisor", steal);
	f[2] = (struct host_fact){.key = "noise"};
	snprintf(f[2].text, sizeof f[2].text, "%s",
	    others + steal >= HOST_NOISY ? "noisy: absolute times and tails are not to be trusted"
					 : "quiet");
	r->n_host += 3;
}
