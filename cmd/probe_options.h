/* Private to ipcprobe.c: its commands, suites and options. */
#ifndef IPCTAX_PROBE_OPTIONS_H
#define IPCTAX_PROBE_OPTIONS_H

#include "cmd/probe.h"

#define PROBE_SUITES 13

struct probe_suite {
	const char *name;
	int (*run)(struct probe *p, struct err *e);
	const char *answers;
};
extern const struct probe_suite probe_suites[PROBE_SUITES]; /* in the order they run in */

/* What it is told to do; bits, as an option belongs to several. */
enum probe_command { MEASURE = 1, LIST = 2, ADVISE = 4, REPORT = 8, CHECK = 16 };

struct probe_options {
	enum probe_command command;
	int format, suite[PROBE_SUITES];
	const char *output, *directory, *workload;
	char **file; /* of advise, report and check: result files */
	int n_files;
	double tolerance;
	struct probe_question question;
};

/* Reads the command line into o and p, or ends with a usage error. */
void probe_options(struct probe_options *o, struct probe *p, int argc, char **argv);

#endif
