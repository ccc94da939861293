/* L4: what a load run found, as a table, JSON, NDJSON, and the percentile files of plotters. */
#ifndef IPCTAX_LOAD_REPORT_H
#define IPCTAX_LOAD_REPORT_H

#include "lib/host.h"
#include "lib/load.h"
#include "lib/report.h"

/* One run and what it was. */
struct load_row {
	const char *op;
	uint64_t bytes; /* of closes a request (a slot's load), or of the whole replayed stream */
	const struct load_result *r;
};

/* "block", "poll" or "spin": how a run's replies were waited for. */
const char *load_wait(const struct load_config *k, const struct load_result *r);

/* What all rows of a report share. */
struct load_head {
	const char *peer; /* "unix PATH", "tcp HOST:PORT", "command NAME", "ring PATH", "stdio" */
	const struct load_config *config;
	struct host_fact facts[HOST_FACTS];
	size_t n_facts;
	double min_achieved;  /* share of the rate, 0..1 */
	double others, steal; /* processors used by others and taken by the hypervisor */
	int has_noise;
};

/*
 * Requests a second answered, from the start to the last answer; 0 where nothing was. And whether
 * that is below the wanted share of the rate.
 */
double load_achieved(const struct load_result *r);
int load_fell_short(const struct load_head *h, const struct load_result *r);

/* A row a run: response times; in open loops service times and lateness as well. */
int load_report_table(struct out *o, enum report_format f, const struct load_head *h,
    const struct load_row *rows, size_t n, struct err *e);

/* What stands around the table for eyes: how it was measured before, faults after. */
void load_report_before(struct out *o, const struct load_head *h);
void load_report_after(
    struct out *o, const struct load_head *h, const struct load_row *rows, size_t n);

/* One document with everything, histograms included; load_compare reads it. */
void load_report_json(
    struct out *o, const struct load_head *h, const struct load_row *rows, size_t n);

/* A line of JSON for an interval, and one for a whole run. Times in ns from the start. */
void load_report_interval(
    struct out *o, const struct hist *response, uint64_t from_ns, uint64_t to_ns);
void load_report_total(struct out *o, const struct load_head *h, const struct load_row *row);

/*
 * The percentile distribution as HdrHistogram's tools write it (.hgrm), in
 * microseconds, 5 lines a halving of the distance to 100 %.
 */
void load_report_hgrm(struct out *o, const struct hist *h);

#endif
