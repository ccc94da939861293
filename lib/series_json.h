/* L1: a JSON document of closes. */
#ifndef IPCTAX_SERIES_JSON_H
#define IPCTAX_SERIES_JSON_H

#include "lib/series.h"

/*
 * Reads all of s->in into s->closes, by s->options: bars that have times and tickers are
 * looked at as rows of text are. *turn becomes 1 where they are to be turned round. 0, or -1
 * with *e.
 */
int series_json_read(struct series *s, int *turn, struct err *e);

#endif
