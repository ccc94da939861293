/* echoload's options, and what it does with them. */
#ifndef IPCTAX_CMD_ECHOLOAD_H
#define IPCTAX_CMD_ECHOLOAD_H

#include "cmd/tool.h"
#include "lib/grid.h"
#include "lib/load_report.h"

#define MAX_SIZES 64
#define MAX_CPUS 64

enum echoload_op { OP_REPLAY = OP_COUNT };
enum echoload_format { FORMAT_AUTO, FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON, FORMAT_NDJSON };

struct options {
	const char *unix_path, *tcp, *ring;
	char **command;
	int relay;
	const char *compare[2];
	int op;
	const char *replay, *grid, *sets, *output, *hgrm, *samples;
	uint64_t sizes[MAX_SIZES];
	size_t n_sizes;
	uint32_t slot;
	double fee, min_achieved;
	enum echoload_format format;
	uint64_t connect_ns, ring_size;
	int cpus[MAX_CPUS];
	struct load_config load; /* what is measured and how, but for plan and open */
};

/* Reads and checks the command line; ends the program where it is wrong. */
void read_options(struct options *o, int argc, char **argv);

/* Opens connection `index` to the peer of the options (user). 0, or -1 with *e. */
int open_peer(void *user, size_t index, struct transport_client *c, struct err *e);

_Noreturn void run_relay(struct options *o);
_Noreturn void run_load(struct options *o);
_Noreturn void run_compare(struct options *o);

#endif
