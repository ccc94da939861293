/* Private to cmd/hmasweep*.c: what was asked for. */
#ifndef IPCTAX_HMASWEEP_H
#define IPCTAX_HMASWEEP_H

#include "lib/serve.h"

#define WISHES 64 /* addresses, and files */

extern const char hmasweep_help[];

/* What was asked for, in words: sockets and files are opened when all options are known. */
struct wishes {
	struct serve_config serve;
	const char *output, *preload[WISHES], *where[WISHES];
	char kind[WISHES]; /* of where: 'u' or 't' */
	int n_preload, n_where, map, stats, ready_fd;
	uint64_t errors; /* a filter's, so far */
};

/* Fills in w, or ends the process with a usage error. */
void hmasweep_parse(struct wishes *w, int argc, char **argv);

#endif
