/* ipcprobe's suites: what they share. Every suite measures through the public library. */
#ifndef IPCTAX_PROBE_H
#define IPCTAX_PROBE_H

#include "lib/bytes.h"
#include "lib/err.h"
#include "lib/hist.h"
#include "lib/host.h"
#include "lib/hma.h"
#include "lib/io.h"
#include "lib/stat.h"

#include <stddef.h>
#include <stdint.h>

#define PROBE_SCHEMA 1 /* of result files; ipcprobe(1) documents it */
#define PROBE_ENGINES 8
#define PRESSURES 200
#define ROW_LABELS 8
#define ROW_EXTRAS 20
#define ROW_PERCENTILES 5

enum row_state { ROW_MEASURED, ROW_SKIPPED, ROW_FAILED };

/*
 * One line of a table. Values are in `unit` ("ns", "x", "bytes", "per_s", "count"),
 * which names them in a result file: median_ns, min_ns.
 */
struct row {
	char suite[16];
	char name[80]; /* unique in its suite; check finds rows by suite and name */
	char unit[12];
	enum row_state state;
	char why[240]; /* of a skip or failure, else a note, may be empty */
	struct {
		char key[24], text[160];
	} label[ROW_LABELS]; /* kernel, transport, wait, verdict, ... */
	size_t n_labels;
	uint64_t n; /* samples; 0: no statistics */
	double median, min, max;
	int has_percentile[ROW_PERCENTILES]; /* of row_percentiles; unset: n does not support it */
	double percentile[ROW_PERCENTILES];
	double *curve; /* n_curve pairs of percentile and value, for plots; owned */
	size_t n_curve;
	char ratio_to[80]; /* the row it is compared with, "" for none */
	struct stat_ratio ratio;
	struct {
		char key[32];
		double value; /* NaN: null */
	} extra[ROW_EXTRAS];  /* named with their unit: boundary_ns, bandwidth_bytes_per_s */
	size_t n_extras;
	char published[120]; /* the study's figure with machine and basis, or "" */
};

/* 50, 90, 99, 99.9, 99.99, and how their keys begin: "p50", ... "p9999". */
extern const double row_percentiles[ROW_PERCENTILES];
extern const char *const row_percentile_names[ROW_PERCENTILES];

/* What a run found, and where; what a result file holds. */
struct result {
	int schema, quick, interrupted;
	char version[32], started[40];
	struct buf command;     /* the command line, a NUL behind each word */
	struct buf workload;    /* "80 sets x 150000 bars, ..." with its NUL */
	struct host_fact *host; /* n_host facts about the machine, in order; owned */
	size_t n_host;
	struct row **row; /* owned */
	size_t n_rows;
};

/* The job that is measured, and what it must give. */
struct workload {
	const double *closes;
	size_t n_bars;
	const struct hma_set *sets;
	size_t n_sets;
	double fee;
	struct hma_result *expect; /* by the reference kernel; the gate of every row */
};

/* A foreign engine that speaks frames on stdin and stdout. */
struct probe_engine {
	const char *name;
	char **argv; /* split at blanks, NULL at the end */
};

struct probe {
	struct workload work;
	int quick;
	int rounds;        /* of interleaved measurements; 0: what the suite thinks right */
	int progress;      /* stderr is a terminal */
	const char *tools; /* the directory with hmasweep */
	char dir[128];     /* a private directory for sockets; "" until probe_dir made it */
	struct probe_engine engine[PROBE_ENGINES];
	size_t n_engines;
	struct {
		uint64_t seen[PRESSURES],
		    looks;             /* how often each pressure, in hundredths above 1 */
		double alone;          /* what it seems to be without a busy one */
		uint64_t kept, beside; /* samples, and those of them beside a busy sibling */
	} sibling;
	struct result result;
};

/* A published finding; all is text, the figure as it was printed. */
struct probe_finding {
	const char *id, *published, *unit;
	const char *basis; /* measured, derived, analytic, a rule, a conclusion, a method */
	const char *suite; /* whose rows tell whether it holds */
	const char *claim;
	const char *holds; /* the condition, on figures of one run here */
};
extern const struct probe_finding probe_findings[];
extern const size_t probe_n_findings;

/*
 * A suite adds its rows and returns 0; what the machine denies is a skipped row.
 * -1 with *e ends the run: STATUS_DIFFER where results were not identical.
 * It looks at probe_stopped between measurements and returns 0 early then.
 */
int suite_boundary(struct probe *p, struct err *e);
int suite_echo(struct probe *p, struct err *e);
int suite_serial(struct probe *p, struct err *e);
int suite_spawn(struct probe *p, struct err *e);
int suite_breakeven(struct probe *p, struct err *e);
int suite_perbar(struct probe *p, struct err *e);
int suite_ladder(struct probe *p, struct err *e);
int suite_numa(struct probe *p, struct err *e);
int suite_alloc(struct probe *p, struct err *e);
int probe_snapshot_readers(struct probe *p, struct err *e);
int suite_snapshot(struct probe *p, struct err *e);
int probe_peak(struct probe *p, struct err *e); /* a part of legs */
int suite_legs(struct probe *p, struct err *e);
int suite_kernel(struct probe *p, struct err *e);
int suite_claims(struct probe *p, struct err *e);

/* Appends a row; it stays where it is until result_free. NULL only with *e (memory). */
struct row *row_add(struct result *r, const char *suite, const char *name, const char *unit);

/* The row of that suite and name, or NULL. */
const struct row *row_find(const struct result *r, const char *suite, const char *name);

void row_label(struct row *row, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void row_extra(struct row *row, const char *key, double value);

/* The label's text or ""; the extra's value or NaN. */
const char *row_label_of(const struct row *row, const char *key);
double row_extra_of(const struct row *row, const char *key);

/* n, median, min, max of n samples, which get sorted. */
void row_samples(struct row *row, double *samples, size_t n);

/* The same from a histogram of ns, with percentiles and the curve. */
void row_hist(struct row *row, const struct hist *h);

void row_ratio(struct row *row, const char *to, struct stat_ratio ratio);
void row_note(struct row *row, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void row_skip(struct row *row, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The job `ipcprobe advise` is asked about. */
struct probe_question {
	uint64_t compute_ns; /* of the whole job, in process */
	uint64_t bytes;      /* of data that the engine needs */
	uint64_t calls;      /* that the job is cut into */
	double rate;         /* calls a second that must be kept up, 0: not asked */
};

/*
 * The commands that read result files and measure nothing. 0 or the status to
 * exit with; -1 with *e. check: `tolerance` is the relative change of a ratio
 * that counts, 0: its own choice; second may be NULL.
 */
int probe_check(const char *baseline, const char *result, const char *second, double tolerance,
    struct out *o, struct err *e);
int probe_advise(
    const char *result, const struct probe_question *q, int format, struct out *o, struct err *e);
int probe_report(const char *result, const char *directory, struct err *e);

/* How tables are written; the names stand in this order in probe_formats. */
enum probe_format { FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON, FORMAT_MARKDOWN };
extern const char *const probe_formats[];

/* Reads a result file; 0, or -1 with *e. The strings and rows are r's. */
int result_read(struct result *r, const char *path, struct err *e);

/* The same of a file that holds up to max results, one after another: *n of them, at least one. */
int result_read_all(struct result *r, size_t max, size_t *n, const char *path, struct err *e);
void result_free(struct result *r);

void result_write_json(const struct result *r, struct out *o);
void result_write_tsv(const struct result *r, struct out *o);
void result_write_text(const struct result *r, struct out *o);
void result_write_markdown(const struct result *r, struct out *o);

/*
 * The default workload (8 sets x 15,000 bars when quick), or one request frame
 * from path ("-": stdin), its results by the reference kernel with it. What it
 * holds is freed by probe_free. 0, or -1 with *e.
 */
int probe_workload(struct probe *p, const char *path, struct err *e);
void probe_free(struct probe *p);

/* Fills r->host, command line and time of start. */
int result_describe(struct result *r, int argc, char **argv, struct err *e);

/* Adds to the result's host what else ran since then, and whether that makes the run noisy. */
void result_noise(struct probe *p, const struct host_watch *since);

/*
 * One thing to be timed. run does it once and gives the ns it took (and keeps
 * what else it wants in ctx, by round); -1 with *e ends the suite. Round -1 is the
 * untimed one; a round that was disturbed is run again and replaces what was kept of it.
 */
struct variant {
	const char *name;
	int (*run)(void *ctx, int round, double *ns, struct err *e);
	void *ctx;
	int elsewhere;   /* an engine of its own does the work, on whichever processor */
	double pressure; /* found by probe_rounds: sibling_pressure beside its samples, median */
};

/*
 * Times n variants in turns, A B C then C B A, so that drift cancels: one untimed
 * round first, then `rounds`. samples[v * rounds + r]. Waits for a moment without a
 * busy sibling before a sample and takes it again where one was there after it, as far as an
 * allowance goes (a quarter of the time that the samples take, and a little). Returns the rounds
 * that are whole (fewer when stopped), or -1 with *e.
 */
int probe_rounds(
    struct probe *p, struct variant *v, size_t n, int rounds, double *samples, struct err *e);

/* Above the pressure when alone by this factor: somebody is at work beside us. */
#define PROBE_BUSY 1.06

/* The placement of rows whose processors moved between near and far while they were measured. */
#define PROBE_MOVED "moved"

/* Adds the larger pressure of the two, whose ratio the row holds, as sibling_x. */
void row_pressure(struct row *row, const struct variant *a, const struct variant *b);

/* From now on SIGINT, SIGTERM and SIGHUP only set what probe_stopped tells. */
void probe_catch_signals(void);

/* Whether one of them came. */
int probe_stopped(void);

/* "ipcprobe: echo: unix 8 B" on a terminal's line, overwritten by the next; nothing elsewhere. */
void probe_progress(const struct probe *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The private directory, made on first use, removed at exit with what is in it. */
const char *probe_dir(struct probe *p, struct err *e);

/* Compares results with the workload's; 0, or -1 with *e (STATUS_DIFFER) naming `who` and the set.
 */
int probe_gate(const struct workload *w, size_t first_set, size_t n_sets,
    const struct hma_result *got, const char *who, struct err *e);

/* The same for a reply body of pnl and trades as the wire has them. */
int probe_gate_reply(const struct workload *w, size_t first_set, size_t n_sets,
    const unsigned char *pnl, const unsigned char *trades, const char *who, struct err *e);

/*
 * hmasweep as a server, started by us: `options` (NULL-terminated) go between
 * our -u SOCKET --ready-fd N and nothing. Returns when it listens.
 */
struct probe_server {
	long pid;
	char path[160]; /* its Unix socket */
	char tcp[32];   /* HOST:PORT where options asked for -t, else "" */
};
int probe_server_start(
    struct probe *p, struct probe_server *s, const char *const *options, struct err *e);

/* CPU seconds it has used so far; NaN where the system does not tell. */
double probe_server_cpu(const struct probe_server *s);

/* Ends it (SIGTERM) and waits; CPU seconds it used. Also run at exit for those still there. */
double probe_server_stop(struct probe_server *s);

#endif
