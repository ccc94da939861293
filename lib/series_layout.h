/* L1: which column of delimited text is what. */
#ifndef IPCTAX_SERIES_LAYOUT_H
#define IPCTAX_SERIES_LAYOUT_H

#include "lib/series.h"
#include "lib/series_fields.h"
#include "lib/series_preset.h"

/* Columns count from 1; 0: there is none. */
struct series_layout {
	const struct series_options *options;
	const struct series_preset *preset; /* never NULL: an empty one without --preset */
	char delimiter;                     /* 0: one column */
	char decimal, thousands;            /* thousands 0: none */
	size_t columns;                     /* cells a row must have */
	size_t close, ticker, time, clock;
	int clock_digits;    /* the clock may be HHMMSS */
	char close_name[64]; /* for messages: the header's, or "" */
};

/*
 * How well a name says what a column is: 1 best, then 2, ...; 0 not at all. In any case.
 * A time that is but a date is read with a clock where there is one.
 */
size_t series_names_ticker(const char *name);
size_t series_names_time(const char *name);
size_t series_names_date(const char *name);
size_t series_names_clock(const char *name);

/* What options and preset say before a line is seen. */
void series_layout_begin(struct series_layout *l, const struct series_options *o);

/*
 * Settles the layout by the first line (of number `line`; its BOM is gone), split
 * into row by the way. 1: it is a header; 0: it is the first row; -1 with *e.
 */
int series_layout_first(struct series_layout *l, const char *name, uint64_t line, const char *text,
    size_t n, struct series_row *row, struct err *e);

/* Splits a later line and checks that it has as many cells. 0, or -1 with *e. */
int series_layout_row(const struct series_layout *l, const char *name, uint64_t line,
    const char *text, size_t n, struct series_row *row, struct err *e);

#endif
