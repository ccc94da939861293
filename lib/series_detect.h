/* L1: what a price file is, from its first bytes. */
#ifndef IPCTAX_SERIES_DETECT_H
#define IPCTAX_SERIES_DETECT_H

#include "lib/series.h"

#define SERIES_PEEK ((size_t)4096)

/*
 * The format of a file that begins with the n bytes at p (its first SERIES_PEEK, or
 * all), or -1 with *e: a format that is not read here, and what makes it one that is.
 */
int series_detect(const char *name, const unsigned char *p, size_t n, struct err *e);

#endif
