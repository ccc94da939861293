/* Private to suite spawn: its two halves, and a program with nothing in it. */
#ifndef IPCTAX_PROBE_SPAWN_H
#define IPCTAX_PROBE_SPAWN_H

#include "cmd/probe.h"

/* How a process is started, by program and by the size of who starts it: 12 rows. */
int spawn_starts(struct probe *p, struct err *e);

/* A sweep and a set a process, and whether what a process costs depends on its payload. */
int spawn_engines(struct probe *p, struct err *e);

/*
 * A descriptor (close-on-exec) of the smallest static program there is: it
 * loads no library, runs no start-up code and exits with 0. -1 with *e: not on
 * this architecture, or no memory file.
 */
int spawn_tiny(struct err *e);

#endif
