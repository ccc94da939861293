/* L1: a stream of replies, each with the op, flags and labels it answers. */
#ifndef IPCTAX_MESSAGE_STREAM_H
#define IPCTAX_MESSAGE_STREAM_H

#include "lib/codec_rows.h"
#include "lib/grid.h"
#include "lib/message.h"

/*
 * Set up with reply_stream_init, then whichever of the options; next; free.
 * Rows of sweeps continue from one reply to the next, those of ticks start anew.
 */
struct reply_stream {
	struct frame_reader in;
	struct frame_reader *requests; /* of the requests answered, in step; or NULL: */
	uint8_t op, flags;             /* of every reply then; else of the current one */
	const struct grid *labels;     /* of the rows, started again after the last; or NULL */
	size_t label;                  /* of the next row */
	uint64_t row;                  /* rows of sweeps so far */
	struct buf sets;               /* with requests: of the sweep at hand */
	struct buf live;               /* and of the open that the ticks follow */
	struct reply reply;
	struct rows rows; /* of the current reply; for stats none: reply.text */
};

void reply_stream_init(struct reply_stream *s, int fd, const char *name);

/*
 * The next reply: 1. 0 at the end, where labels and requests must be used up.
 * -1 with *e: what cannot be read or be a reply (STATUS_INPUT), and error
 * frames (STATUS_FAILED, with their code and message).
 */
int reply_stream_next(struct reply_stream *s, struct err *e);

/* Frees what init and next made; requests and labels stay the caller's. */
void reply_stream_free(struct reply_stream *s);

/* One error frame as words: `error 2 (bad request): MESSAGE`, foreign bytes quoted. */
void reply_error_text(const struct reply *r, char *dst, size_t cap);

#endif
