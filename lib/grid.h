/* L1: parameter sets as users give them: a grid of lengths, or a file. */
#ifndef IPCTAX_GRID_H
#define IPCTAX_GRID_H

#include "lib/err.h"
#include "lib/hma.h"

#include <stddef.h>
#include <stdint.h>

#define GRID_DEFAULT "6:200:80"
#define GRID_MAX_LENGTH 1000000000 /* so that the grid's products stay exact in 64 bits */
#define GRID_MAX_SETS 44739242     /* sets of 48 bytes in the largest frame */

/* Sets in order; lengths label them, and are NULL where a file gave bare sets. {0}: none. */
struct grid {
	struct hma_set *sets;
	int64_t *lengths;
	size_t n;
};

/*
 * MIN:MAX:COUNT: lengths MIN + k*(MAX-MIN)/(COUNT-1), floor, k = 0 ... COUNT-1, and the
 * sets hma_set_of_length makes of them. 0, or -1 with *e (STATUS_USAGE) saying
 * what a grid is; it starts with the text, no source before it.
 */
int grid_parse(struct grid *g, const char *text, struct err *e);

/*
 * Sets from text on fd: lines of one whole number (a length) or six (the
 * windows in the wire's order), split by comma, semicolon or blanks; empty lines and
 * those that start with # are passed over. A first line of names picks columns: length, or
 * the six of hma_set_names (and length as label), others ignored, so that what unframe
 * writes can be read back. Every window is 1 or more. 0, or -1 with *e naming
 * name and line (STATUS_INPUT; STATUS_FAILED when reading or memory fails).
 */
int grid_read(struct grid *g, int fd, const char *name, struct err *e);

/* grid_read of the file at path, "-": stdin. 0, or -1 with *e. */
int grid_load(struct grid *g, const char *path, struct err *e);

/* Frees the arrays and leaves none. */
void grid_free(struct grid *g);

#endif
