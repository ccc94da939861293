/* Private to suite echo: what is measured, and how it becomes rows. */
#ifndef IPCTAX_PROBE_ECHO_H
#define IPCTAX_PROBE_ECHO_H

#include "cmd/probe_client.h"

#define ECHO_SIZES 8
#define ECHO_CALLS_MAX 2000 /* a turn */

extern const size_t echo_floats[ECHO_SIZES];

/* One size over one transport. */
struct cell {
	struct echo *echo;
	enum probe_link link;
	size_t size;  /* index in echo_floats */
	size_t calls; /* of a turn; 0: not known yet */
	char name[80];
	struct hist *hist;
	double engine_cpu_s, client_cpu_s; /* of the timed calls */
};

struct echo {
	struct probe *p;
	struct probe_links links;
	double *payload, *copy;
	double took[ECHO_CALLS_MAX], memcpy_ns[ECHO_SIZES];
	struct cell cell[LINKS * ECHO_SIZES]; /* transport by transport */
	size_t n_sizes;
	uint64_t sequence;
};

/* What a transport buffers one way, in bytes; NaN where it does not tell. */
double echo_buffer_bytes(const struct echo *s, enum probe_link link);

/*
 * Adds the rows of all cells and the fit of each transport, from round medians
 * samples[column * stride + round], a column for each cell that was measured, in order.
 */
int echo_rows(struct echo *s, double *samples, size_t rounds, size_t stride, struct err *e);

/* Rows of one way through a ring between two processors. */
int echo_oneway(struct probe *p, struct err *e);

#endif
