/* L1: requests written from a series that need not be in memory. */
#ifndef IPCTAX_SERIES_REQUEST_H
#define IPCTAX_SERIES_REQUEST_H

#include "lib/io.h"
#include "lib/message.h"
#include "lib/series.h"

/*
 * Writes the frame of head to o: the next head->n_bars bars of s (s may be NULL where
 * that is 0), then head->n_sets sets. 0, or -1 with *e: the series failed or ended too
 * soon, and the frame in o is cut. Write errors stick in o.
 */
int series_request_put(struct out *o, const struct frame_head *head, struct series *s,
    const struct hma_set *sets, struct err *e);

/* The same as a line of the JSON service; the bars go through (counted) memory. */
int series_request_json(struct out *o, const struct frame_head *head, struct series *s,
    const struct hma_set *sets, struct err *e);

/*
 * The whole series in tick frames of n bars (the last may hold fewer), flags as in
 * head. What was read is flushed before the source is waited for. 0, or -1 with *e.
 */
int series_ticks_put(
    struct out *o, const struct frame_head *head, struct series *s, uint32_t n, struct err *e);

#endif
