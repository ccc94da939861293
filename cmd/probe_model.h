/* Private to ipcprobe advise: what crossing costs on the machine that a result file tells of. */
#ifndef IPCTAX_PROBE_MODEL_H
#define IPCTAX_PROBE_MODEL_H

#include "cmd/probe.h"

#define MODEL_LINKS 8
#define MODEL_POINTS 8

/*
 * One transport. A call costs floor + bytes * byte_ns where calls follow each other
 * (suite echo). Behind compute it costs more, as processors fall asleep and caches get
 * cold: points are calls of suite breakeven, by rising compute.
 */
struct model_link {
	const char *name; /* into the result */
	double floor_ns, byte_ns;
	struct {
		double compute_ns, boundary_ns; /* of one call without data */
	} point[MODEL_POINTS];
	size_t n_points;
};

struct model {
	struct model_link link[MODEL_LINKS];
	size_t n_links;
	double process_ns, process_byte_ns; /* NaN: not measured */
	double encode_ns, decode_ns;        /* JSON, of a byte of closes; NaN: not measured */
	double growth;                      /* text bytes of a byte of closes */
};

enum shape { BATCH, CHATTY, PRELOADED, JSON_BATCH, JSON_CHATTY, SPAWN_JOB, SPAWN_CALL, SHAPES };
extern const char *const shape_names[SHAPES];

/* Whether that way sends all at once. */
int shape_is_one_call(enum shape s);

/* Reads the model out of r, whose strings it keeps; -1 with *e where r has no links (path). */
int model_read(struct model *m, const struct result *r, const char *path, struct err *e);

/* The link of that name, or NULL. */
const struct model_link *model_link(const struct model *m, const char *name);

/*
 * What all calls of a job add together, ns: compute_ns and bytes are the whole
 * job's and what its engine needs. NaN where something was not measured.
 */
double model_tax(const struct model *m, enum shape s, const struct model_link *l, double compute_ns,
    double bytes, double calls);

/*
 * How many times the other's time the kernel takes for the same work (suite kernel); 1 where r does
 * not tell.
 */
double model_kernel(const struct result *r, const char *kernel, const char *other);

/*
 * How many times the compute of a sweep its sets take when they come in so many
 * calls, on that kernel: what is shared between sets is lost. 1 where r does not tell.
 */
double model_cut(const struct result *r, const char *kernel, double calls);

#endif
