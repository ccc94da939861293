/* L1: whole messages: requests and replies as arrays, to and from the wire. */
#ifndef IPCTAX_MESSAGE_H
#define IPCTAX_MESSAGE_H

#include "lib/bytes.h"
#include "lib/err.h"
#include "lib/frame.h"
#include "lib/hma.h"
#include "lib/io.h"

/* struct hma_set has the wire's layout, so sets are read in place. */
_Static_assert(sizeof(struct hma_set) == FRAME_SET_SIZE, "six i64, no padding");

/* A request, its arrays elsewhere: closes at any alignment, sets too. */
struct request {
	struct frame_head head;
	const unsigned char *closes; /* head.n_bars x f64, or NULL */
	const unsigned char *sets;   /* head.n_sets x 6 x i64, or NULL */
};

/* The arrays of a body that frame_head_parse accepted. */
void request_locate(struct request *r, const struct frame_head *h, const unsigned char *body);

/* Writes the whole frame of a request to a writer; length from the head's counts. */
void request_put(struct out *o, const struct request *r);

/* A reply body taken apart; pointers into it, any alignment. */
struct reply {
	uint32_t error;            /* enum frame_error, 0: a result */
	const unsigned char *text; /* of an error or of stats; text_len bytes */
	size_t text_len;
	int stamped;
	uint64_t stamp[4];           /* received, compute start, compute end, reply begun: ns */
	uint32_t n_sets;             /* of pnl, trades, sides */
	const unsigned char *pnl;    /* f64 */
	const unsigned char *trades; /* i64 */
	const unsigned char *sides;  /* i64, ticks only, else NULL */
	uint32_t n_bars;             /* of closes (echo) */
	const unsigned char *closes;
	uint64_t version; /* of load and append */
};

/*
 * Takes apart the reply of length word `word` (bit 31: an error) to a request
 * of op with flags. 0, or -1 with *e (STATUS_INPUT) when the body cannot be one.
 */
int reply_parse(struct reply *r, uint8_t op, uint8_t flags, uint32_t word,
    const unsigned char *body, struct err *e);

/* Reads frames off a descriptor, blocking; for clients and text tools. */
struct frame_reader {
	int fd;
	const char *name; /* for messages: "<stdin>" or a path; by reference */
	uint64_t limit;   /* of a body */
	uint64_t number;  /* of the frame last read, from 1 */
	uint64_t offset;  /* of its length word in the stream */
	uint64_t next;    /* of the next */
	uint32_t word;    /* its length word */
	unsigned char ahead[4];
	int n_ahead;     /* bytes of the next length word that were peeked at; -1 none */
	struct buf body; /* body.len bytes; grows with what arrives, kept for the next */
};

void frame_reader_init(struct frame_reader *r, int fd, const char *name);

/* The next frame into r->body: 1; at a clean end 0; else -1 with *e naming frame and byte. */
int frame_reader_next(struct frame_reader *r, struct err *e);

/*
 * Looks at the next length word without taking it, to tell frames from text:
 * how many of its 4 bytes there are (0 at a clean end), or -1 with *e.
 */
int frame_reader_peek(struct frame_reader *r, unsigned char word[4], struct err *e);

void frame_reader_free(struct frame_reader *r);

#endif
