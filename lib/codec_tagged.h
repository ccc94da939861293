/*
 * L1: a generic binary codec as reflecting libraries have it: a type byte before
 * every value. Here for contrast: what self-description costs where the layout
 * is known to both sides.
 */
#ifndef IPCTAX_CODEC_TAGGED_H
#define IPCTAX_CODEC_TAGGED_H

#include "lib/bytes.h"
#include "lib/err.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Closes as a list of f64, value by value. Write appends: 0, or -1 (ENOMEM; EOVERFLOW beyond
 * 2^32-1 values). Read appends to closes: 0, or -1 with *e.
 */
int codec_tagged_write(struct buf *b, const void *x, size_t n);
int codec_tagged_closes(
    struct buf *closes, const char *name, const void *p, size_t n, struct err *e);

#endif
