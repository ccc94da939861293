/*
 * L4: the engine's serving loop: bytes -> frame -> validate -> kernel -> frame -> bytes,
 * for every transport. One thread runs the loop; sweeps that would hold
 * it up run on a pool of compute threads.
 */
#ifndef IPCTAX_SERVE_H
#define IPCTAX_SERVE_H

#include "lib/codec_json.h"
#include "lib/err.h"
#include "lib/hma.h"
#include "lib/io.h"
#include "lib/serve_placement.h"
#include "lib/serve_stats.h"
#include "lib/slot.h"
#include "lib/transport_listen.h"

struct serve_limits {
	uint64_t frame;       /* bytes of a body */
	uint64_t connections; /* open at once */
	uint64_t slots;
	uint64_t slot_bars; /* bars of one slot */
	uint64_t memory;    /* bytes of slots, buffers and live state of all sockets together */
	uint64_t live;      /* bytes of live state of one connection */
	uint64_t ring;      /* bytes of each ring of a connection */
	uint64_t idle_ns;   /* time without a finished request; 0: no limit */
	uint64_t grace_ns;  /* time to answer what was received, once told to stop */
};

struct serve;

struct serve_config {
	enum hma_kernel kernel;
	double fee;
	int gate;              /* compute with the reference too, and compare */
	unsigned threads;      /* that compute; 0: the loop's own */
	int json;              /* lines of JSON instead of frames */
	enum codec_nan nan;    /* of those: what becomes of a pnl that is not finite */
	int spin;              /* never sleep in the loop */
	uint64_t ring_spin_ns; /* how long a ring is looked at after its last request */
	struct serve_limits limits;
	struct placement placement;
	size_t trace;     /* requests that the flight recorder keeps; 0: off */
	uint64_t slow_ns; /* it is dumped when one takes longer from received to reply; 0: never */
	const char *trace_path;    /* appended to; NULL: stderr */
	struct serve_stats *stats; /* the caller's, static; initialized here */
	const char *output;        /* name of a filter's output, for messages; NULL: <stdout> */
	/* Told of each error frame sent, with the request's number and the byte it begins at; or
	 * NULL.
	 */
	void (*on_error)(
	    void *user, uint64_t number, uint64_t offset, enum frame_error code, const char *text);
	/* One line for the log: a peer was refused, and such; rate-limited; or NULL. */
	void (*say)(void *user, const char *text);
	/* SIGUSR1 or SIGUSR2 came to a server; or NULL. */
	void (*on_signal)(void *user, struct serve *s, int signal);
	void *user;
};

/* The limits that hold where no option says otherwise. */
extern const struct serve_limits serve_default_limits;

/* NULL with *e. */
struct serve *serve_new(const struct serve_config *config, struct err *e);
void serve_free(struct serve *s);

/* Serves stdin and stdout (or such) until the end of input; the one connection of a filter. */
int serve_add_stdio(struct serve *s, int in, int out, struct err *e);

/* Carries out config.placement, the calling thread being the loop's; what became of it. */
const struct placement *serve_place(struct serve *s);

/*
 * Makes it a server: SIGTERM and SIGINT stop it when what was received is answered, or
 * after the grace time; a second one at once. 0, or -1 with *e.
 */
int serve_as_server(struct serve *s, struct err *e);

/* Accepts peers there; l is taken over. 0, or -1 with *e. */
int serve_add_listener(struct serve *s, const struct listener *l, struct err *e);

/* The slots, to be filled before it runs. */
struct slots *serve_slots(struct serve *s);

/*
 * Runs until a filter's input has ended or a server was told to stop. 0, or -1
 * with *e: a filter's input could not be read or its output not be written.
 */
int serve_run(struct serve *s, struct err *e);

/* The status a filter ends with: of the gravest error it answered. */
enum status serve_status(const struct serve *s);

/* Asks the flight recorder for a dump, which is written when the loop turns. A filter writes one at
 * its end. */
void serve_dump_trace(struct serve *s);

/* Writes the statistics as `name TAB value` lines. */
void serve_write_stats(struct serve *s, struct out *o);

#endif
