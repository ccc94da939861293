/* L1: the times of bars, read well enough to see their order. */
#ifndef IPCTAX_SERIES_TIME_H
#define IPCTAX_SERIES_TIME_H

#include "lib/err.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Reads a time: ISO 8601 (with offset), dates with . or / between, day or month names,
 * a time of day behind (12 hours too), YYYYMMDD [HHMMSS], seconds, milli-, micro- or
 * nanoseconds of the epoch by their size. day_first says how 03/04/2020 is meant.
 * ns of the epoch in *t; 1, or 0 where it is no time known here (years 1700 to 2261).
 */
int series_time_parse(const char *p, size_t n, int day_first, int64_t *t);

/* A time of day, HH:MM[:SS[.fraction]] or HHMM[SS]: ns in *t; 1, or 0. */
int series_clock_parse(const char *p, size_t n, int64_t *t);

/* Whether times rise or fall, for both readings of 03/04/2020; {0} to begin. */
struct series_order {
	/*
	 * Of a text that is not a bar a line: then a row's line is its offset in there, and
	 * what is said has line and column.
	 */
	const char *text;
	uint64_t rows;
	struct series_reading {
		int dead; /* a time was not one */
		int64_t last;
		int direction;    /* of the first step: 1 up, -1 down, 0 none yet */
		uint64_t against; /* the first line that goes against it, 0: none */
		uint64_t same;    /* the first line that repeats the time before */
		uint64_t first;   /* the line of the first step */
		char first_text[40], against_text[40], same_text[40];
	} reading[2];
};

/* The time of a row: of the cell, and of clock where clock_n is not 0. */
void series_order_row(struct series_order *o, uint64_t line, const char *p, size_t n,
    const char *clock, size_t clock_n);

/*
 * What the order says when newest first is asked for (2: by the user, 1: as the
 * layout usually is) or not (0): *turn is whether to turn the rows round. Times that
 * are not known here, or too few, are as asked. 0, or -1 with *e: the
 * other way round, mixed, or repeated.
 */
int series_order_end(
    const struct series_order *o, const char *name, int newest_first, int *turn, struct err *e);

#endif
