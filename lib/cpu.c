#include "lib/cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_NODES 64
#define MPOL_PREFERRED_ 1 /* of set_mempolicy(2); its header is not libc's */

const char *cpu_state_name(enum cpu_state s)
{
	static const char *const names[] = {"not asked", "granted", "refused", "impossible"};

	return names[s];
}

static int settle(struct cpu_grant *g, enum cpu_state state, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int settle(struct cpu_grant *g, enum cpu_state state, const char *fmt, ...)
{
	va_list ap;

	g->state = state;
	va_start(ap, fmt);
	vsnprintf(g->text, sizeof g->text, fmt, ap);
	va_end(ap);
	return state == CPU_GRANTED ? 0 : -1;
}

size_t cpu_count(void)
{
	cpu_set_t set;
	int n;

	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return 1;
	n = CPU_COUNT(&set);
	return n < 1 ? 1 : (size_t)n;
}

int cpu_nth(size_t n)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return -1;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set) && n-- == 0)
			return i;
	return -1;
}

int cpu_node(int cpu)
{
	if (cpu < 0 || cpu >= sysconf(_SC_NPROCESSORS_CONF))
		return -1;
	for (int node = 0; node < MAX_NODES; node++) {
		char path[96];

		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/node%d", cpu, node);
		if (access(path, F_OK) == 0)
			return node;
	}
	return 0;
}

int cpu_nodes(void)
{
	int n = 0;

	for (int node = 0; node < MAX_NODES; node++) {
		char path[96];

		snprintf(path, sizeof path, "/sys/devices/system/node/node%d", node);
		n += access(path, F_OK) == 0;
	}
	return n ? n : 1;
}

/* Sets the affinity and reads it back: the kernel may narrow it without an error. */
static int run_on(const cpu_set_t *want)
{
	cpu_set_t got;

	if (sched_setaffinity(0, sizeof *want, want) < 0 ||
	    sched_getaffinity(0, sizeof got, &got) < 0)
		return -1;
	if (CPU_EQUAL(want, &got))
		return 0;
	errno = EINVAL;
	return -1;
}

int cpu_pin(int cpu, struct cpu_grant *g)
{
	long there = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t set;

	if (cpu < 0 || cpu >= there || cpu >= CPU_SETSIZE)
		return settle(
		    g, CPU_IMPOSSIBLE, "processor %d: this machine has 0 to %ld", cpu, there - 1);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (run_on(&set) < 0)
		return settle(g, CPU_REFUSED, "processor %d: %s", cpu,
		    errno == EINVAL ? "not in this process's cpuset" : strerror(errno));
	return settle(g, CPU_GRANTED, "processor %d", cpu);
}

int cpu_fifo(int priority, struct cpu_grant *g)
{
	struct sched_param p = {.sched_priority = priority}, got = {0};
	int max = sched_get_priority_max(SCHED_FIFO), min = sched_get_priority_min(SCHED_FIFO);

	if (priority < min || priority > max)
		return settle(g, CPU_IMPOSSIBLE, "SCHED_FIFO %d: priorities are %d to %d", priority,
		    min, max);
	/* The kernel's own calls: musl's wrappers of these two always fail. */
	if (syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &p) < 0)
		return settle(g, CPU_REFUSED, "SCHED_FIFO %d: %s%s", priority, strerror(errno),
		    errno == EPERM ? " (needs CAP_SYS_NICE or ulimit -r)" : "");
	if (syscall(SYS_sched_getscheduler, 0) != SCHED_FIFO ||
	    syscall(SYS_sched_getparam, 0, &got) < 0 || got.sched_priority != priority)
		return settle(
		    g, CPU_REFUSED, "SCHED_FIFO %d: set, but not there when read back", priority);
	return settle(g, CPU_GRANTED, "SCHED_FIFO %d", priority);
}

int cpu_numa(int node, struct cpu_grant *g)
{
	unsigned long mask[MAX_NODES / (8 * sizeof(unsigned long))] = {0};
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < CPU_SETSIZE && i < sysconf(_SC_NPROCESSORS_CONF); i++)
		if (cpu_node(i) == node)
			CPU_SET(i, &set);
	if (node < 0 || node >= MAX_NODES || CPU_COUNT(&set) == 0)
		return settle(g, CPU_IMPOSSIBLE, "node %d: this machine has %d", node, cpu_nodes());
	mask[(size_t)node / (8 * sizeof mask[0])] |= 1ul << ((size_t)node % (8 * sizeof mask[0]));
	if (run_on(&set) < 0)
		return settle(g, CPU_REFUSED, "node %d: processors: %s", node,
		    errno == EINVAL ? "not all in this process's cpuset" : strerror(errno));
	if (syscall(SYS_set_mempolicy, MPOL_PREFERRED_, mask, (unsigned long)MAX_NODES + 1) < 0)
		return settle(g, CPU_REFUSED, "node %d: memory: %s", node, strerror(errno));
	return settle(g, CPU_GRANTED, "node %d of %d", node, cpu_nodes());
}

/* What the kernel says is locked, KiB; -1 where it does not say. */
static long locked_kib(void)
{
	char line[256];
	long kib = -1;
	FILE *f = fopen("/proc/self/status", "re");

	if (!f)
		return -1;
	while (fgets(line, sizeof line, f) && sscanf(line, "VmLck: %ld kB", &kib) != 1)
		;
	fclose(f);
	return kib;
}

int cpu_mlock(struct cpu_grant *g)
{
	/* Later pages are locked as they are touched: address space that is only reserved stays so.
	 */
	if (mlockall(MCL_CURRENT) < 0 || mlockall(MCL_FUTURE | MCL_ONFAULT) < 0)
		return settle(g, CPU_REFUSED, "mlockall: %s%s", strerror(errno),
		    errno == EPERM || errno == ENOMEM ? " (see ulimit -l)" : "");
	if (locked_kib() == 0)
		return settle(
		    g, CPU_REFUSED, "mlockall: set, but nothing is locked when read back");
	return settle(g, CPU_GRANTED, "%ld KiB, and later pages when touched", locked_kib());
}
