#include "cmd/probe.h"
#include "lib/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROOM 4           /* facts that are known at the end */
#define PROBE_NOISY 0.25 /* samples beside a busy sibling from which a run is called noisy */

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
	r->host = mem_alloc((HOST_FACTS + ROOM) * sizeof *r->host);
	if (!r->host)
		return err_errno(e, "host");
	r->n_host = host_facts(r->host);
	return 0;
}

static void add_fact(struct result *r, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void add_fact(struct result *r, const char *key, const char *fmt, ...)
{
	struct host_fact *f = &r->host[r->n_host++];
	va_list ap;

	snprintf(f->key, sizeof f->key, "%s", key);
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof f->text, fmt, ap);
	va_end(ap);
}

void result_noise(struct probe *p, const struct host_watch *since)
{
	double others, steal, beside = 0;
	int known = host_noise(since, &others, &steal) == 0, noisy;

	if (known) {
		add_fact(
		    &p->result, "others_cpu", "%.2f processors used by others meanwhile", others);
		add_fact(&p->result, "steal_cpu", "%.2f processors taken by the hypervisor", steal);
	}
	if (p->sibling.kept) {
		beside = (double)p->sibling.beside / (double)p->sibling.kept;
		add_fact(&p->result, "sibling",
		    "%.0f%% of %llu samples beside a busy thread of the same core", 100 * beside,
		    (unsigned long long)p->sibling.kept);
	}
	noisy = (known && others + steal >= HOST_NOISY) || beside >= PROBE_NOISY;
	if (known || p->sibling.kept)
		add_fact(&p->result, "noise", "%s",
		    noisy ? "noisy: absolute times and tails are not to be trusted" : "quiet");
}
