/* L0: the machine a figure was measured on, and how quiet it was meanwhile. */
#ifndef IPCTAX_HOST_H
#define IPCTAX_HOST_H

#include <stddef.h>
#include <stdint.h>

struct host_fact {
	char key[32], text[200]; /* text is "unknown" where the machine does not tell */
};

#define HOST_FACTS 24 /* as many as host_facts may give */

/*
 * Fills f (room for HOST_FACTS) with what bears on a latency: cpu, processors,
 * allowed (to this process), smt, governor, mitigations, kernel, virtual,
 * clocksource, clock_call_ns, cpu_quota, memory, compiler, flags, commit, load.
 * Reads /proc and /sys only, changes nothing. Returns how many.
 */
size_t host_facts(struct host_fact *f);

/* Whether two measurements can be compared only where this fact is the same (not: load, commit). */
int host_fact_identifies(const char *key);

/* Processor time of the whole machine and of ours (children that were waited for too). */
struct host_watch {
	uint64_t wall_ns, busy_ms, steal_ms, own_ms;
};
void host_watch(struct host_watch *w);

/*
 * From `from` until now, in processors (1.0: one fully busy): what others used,
 * and what the hypervisor took. A child that still runs counts as others:
 * take the second reading when it has been waited for. -1 where /proc/stat does not tell.
 */
int host_noise(const struct host_watch *from, double *others, double *steal);

#define HOST_NOISY 0.15 /* processors used by others from which a run is called noisy */

#endif
