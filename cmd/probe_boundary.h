/* Private to suite boundary: the ways a sweep can cross, and one of them being measured. */
#ifndef IPCTAX_PROBE_BOUNDARY_H
#define IPCTAX_PROBE_BOUNDARY_H

#include "cmd/probe_client.h"
#include "lib/codec_json.h"

enum shape {
	IN_PROCESS,
	BATCH,      /* one call for all sets */
	CHATTY,     /* a call a set, the closes sent again each time */
	PRELOADED,  /* a call a set, the closes lie in a slot */
	SPAWN,      /* a process for all sets */
	SPAWN_SETS, /* a process a set */
	JSON_BATCH,
	JSON_CHATTY
};

struct way {
	const char *name;
	enum shape shape;
	enum probe_link link;
	const char *published;
};

/* What a turn took, summed call by call. */
struct turn {
	double total_ns;
	double boundary_ns; /* total less the engine's own compute; NaN: not known */
	double engine_cpu_s, client_cpu_s;
	uint64_t calls, bytes_out, bytes_in;
	double encode_ns, decode_ns; /* of JSON, the client's */
};

struct job {
	const struct way *way;
	char name[80];
	const struct workload *work;
	enum hma_kernel kernel;
	uint8_t flags;               /* of requests: FLAG_STAMP where the engine knows it */
	const char *engine;          /* a foreign one's name, or NULL */
	char *const *argv;           /* of spawned ones */
	char why[240];               /* it is skipped; "" while it is not */
	struct probe_server *server; /* or NULL */
	struct probe_client client;
	void *scratch;
	struct hma_result *got;
	struct buf line, pnl, trades;
	struct codec_json_request parsed;
	double load_ns;    /* of preloading */
	struct turn *turn; /* by round, the untimed one before */
};

/*
 * Makes the job ready: connects, loads, allocates. 0, also where the machine
 * denies it, which job->why then tells; -1 with *e.
 */
int job_open(struct job *j, int rounds, struct err *e);

/* struct variant's run: does it once, gates the results, keeps the turn. */
int job_run(void *job, int round, double *ns, struct err *e);

void job_close(struct job *j);

#endif
