/* L1: the binary price files: raw, npy, the closes of a frame. */
#ifndef IPCTAX_SERIES_BINARY_H
#define IPCTAX_SERIES_BINARY_H

#include "lib/series.h"

/*
 * Reads the head of a raw, npy or frame file and sets type, size, start and count
 * of s; the input then stands at the first element. 0, or -1 with *e.
 */
int series_binary_head(struct series *s, enum series_format format, struct err *e);

/*
 * The next bars from the file: at most n, at least one unless it ends, policy
 * and scale applied. How many, or -1 with *e.
 */
int64_t series_binary_read(struct series *s, double *dst, size_t n, struct err *e);

#endif
