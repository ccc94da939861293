/* L4: two reports of load runs against each other. */
#ifndef IPCTAX_LOAD_COMPARE_H
#define IPCTAX_LOAD_COMPARE_H

#include "lib/err.h"
#include "lib/hist.h"

#include <stddef.h>
#include <stdint.h>

/* A run as its JSON report has it. */
struct load_saved {
	char op[24];
	uint64_t bytes;
	struct hist *response; /* counted memory */
};

struct load_document {
	struct load_saved *runs;
	size_t n;
};

/* Reads a report that load_report_json wrote. 0, or -1 with *e naming the place. */
int load_document_read(struct load_document *d, int fd, const char *name, struct err *e);
void load_document_free(struct load_document *d);

struct load_ratio {
	int known; /* both support the percentile */
	uint64_t a_ns, b_ns;
	double ratio;     /* b over a */
	double low, high; /* 95 %: the ranks of both percentiles drawn 2,000 times, fixed seed */
};

/*
 * Percentile p of b over that of a. The interval says how well the samples of these two
 * runs fix their percentiles; what differs from run to run it cannot know.
 */
struct load_ratio load_compare(const struct hist *a, const struct hist *b, double p);

#endif
