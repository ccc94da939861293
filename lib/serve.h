/*
 * L4: the engine's serving loop: bytes -> frame -> validate -> kernel -> frame -> bytes,
 * for every transport. One thread runs the loop; sweeps that would hold
 * it up run on a pool of compute threads.
 */
#ifndef IPCTAX_SERVE_H
#define IPCTAX_SERVE_H

#include "lib/err.h"
#include "lib/hma.h"
#include "lib/io.h"
#include "lib/serve_stats.h"
#include "lib/transport.h"

struct serve_limits {
	uint64_t frame;       /* bytes of a body */
	uint64_t connections; /* open at once */
	uint64_t slots;
	uint64_t slot_bars; /* bars of one slot */
	uint64_t memory;    /* bytes of slots, buffers and live state of all sockets together */
	uint64_t live;      /* bytes of live state of one connection */
	uint64_t idle_ns;   /* time without a finished request; 0: no limit */
	uint64_t grace_ns;  /* time to answer what was received, once told to stop */
};

struct serve_config {
	enum hma_kernel kernel;
	double fee;
	int gate;         /* compute with the reference too, and compare */
	unsigned threads; /* that compute; 0: the loop's own */
	int spin;         /* never sleep in the loop */
	struct serve_limits limits;
	struct serve_stats *stats; /* the caller's, static; initialized here */
	/* Told of each error frame sent, with the request's number and the byte it begins at; or
	 * NULL.
	 */
	void (*on_error)(
	    void *user, uint64_t number, uint64_t offset, enum frame_error code, const char *text);
	void *user;
};

/* The limits that hold where no option says otherwise. */
extern const struct serve_limits serve_default_limits;

struct serve;

/* NULL with *e. */
struct serve *serve_new(const struct serve_config *config, struct err *e);
void serve_free(struct serve *s);

/* Serves stdin and stdout (or such) until the end of input; the one connection of a filter. */
int serve_add_stdio(struct serve *s, int in, int out, struct err *e);

/*
 * Runs until a filter's input has ended or a server was told to stop. 0, or -1
 * with *e: a filter's input could not be read or its output not be written.
 */
int serve_run(struct serve *s, struct err *e);

/* The status a filter ends with: of the gravest error it answered. */
enum status serve_status(const struct serve *s);

/* Writes the statistics as `name TAB value` lines. */
void serve_write_stats(struct serve *s, struct out *o);

#endif
