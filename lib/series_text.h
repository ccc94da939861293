/* L1: delimited text: one close a row. */
#ifndef IPCTAX_SERIES_TEXT_H
#define IPCTAX_SERIES_TEXT_H

#include "lib/series.h"

/*
 * Reads all rows of s->in into s->closes, by s->options, which a preset fills where they
 * say nothing. *turn becomes 1 where the rows are newest first and that was
 * asked for. 0, or -1 with *e.
 */
int series_text_read(struct series *s, int *turn, struct err *e);

#endif
