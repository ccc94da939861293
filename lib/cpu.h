/* L0: processors, priority and memory locking: asked for, and read back. */
#ifndef IPCTAX_CPU_H
#define IPCTAX_CPU_H

#include <stddef.h>

enum cpu_state {
	CPU_NOT_ASKED,
	CPU_GRANTED,   /* asked for, and there when read back */
	CPU_REFUSED,   /* the system said no (EPERM, cpuset, limit) */
	CPU_IMPOSSIBLE /* this machine has no such thing */
};

/* What became of one wish; text says it in a line: "processor 1", "Operation not permitted ...". */
struct cpu_grant {
	enum cpu_state state;
	char text[160];
};

/* "not asked", "granted", "refused", "impossible". */
const char *cpu_state_name(enum cpu_state s);

/* How many processors this thread may run on, at least 1. */
size_t cpu_count(void);

/* The nth of them (from 0), or -1 where there are fewer. */
int cpu_nth(size_t n);

/* The NUMA node of a processor; 0 where the kernel does not say; -1 where there is no such
 * processor. */
int cpu_node(int cpu);

/* How many NUMA nodes the machine shows, at least 1. */
int cpu_nodes(void);

/*
 * Each asks for the calling thread (and the threads it starts later) and reads
 * back what it got. 0 when granted, -1 when not; *g tells in both cases.
 */
int cpu_pin(int cpu, struct cpu_grant *g);
int cpu_fifo(int priority, struct cpu_grant *g);

/* Runs on the processors of the node and prefers its memory. */
int cpu_numa(int node, struct cpu_grant *g);

/* Locks the pages of the whole process, those of today and those to come. */
int cpu_mlock(struct cpu_grant *g);

#endif
