/* L1: a descriptor read block by block, its first bytes looked at before they are used. */
#ifndef IPCTAX_SERIES_INPUT_H
#define IPCTAX_SERIES_INPUT_H

#include "lib/bytes.h"
#include "lib/err.h"

#include <stddef.h>
#include <stdint.h>

#define INPUT_BLOCK ((size_t)256 << 10)
#define INPUT_LINE ((size_t)64 << 10) /* the longest line of text */

struct series_input {
	int fd;
	const char *name; /* for messages; by reference */
	unsigned char *p; /* INPUT_BLOCK bytes */
	size_t at, len;   /* p[at ... len) are there and unused */
	uint64_t before;  /* bytes of the input before p[0] */
	int ended;        /* nothing follows p[len] */
};

/* 0, or -1 with *e. fd stays the caller's. */
int series_input_open(struct series_input *in, int fd, const char *name, struct err *e);
void series_input_close(struct series_input *in);

/*
 * Reads until n (at most INPUT_BLOCK) unused bytes are there or the input ends;
 * len - at says how many. 0, or -1 with *e.
 */
int series_input_want(struct series_input *in, size_t n, struct err *e);

/*
 * The next line without its LF or CRLF; it stays valid until the next call. 1; 0 at the
 * end; -1 with *e (reading fails; longer than INPUT_LINE). line counts from 1.
 */
int series_input_line(
    struct series_input *in, const char **p, size_t *n, uint64_t line, struct err *e);

/* Appends all that is left. 0, or -1 with *e. */
int series_input_all(struct series_input *in, struct buf *b, struct err *e);

/* Starts again at byte `offset` of a seekable descriptor. 0, or -1 with *e. */
int series_input_seek(struct series_input *in, uint64_t offset, struct err *e);

#endif
