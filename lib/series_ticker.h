/* L1: the rows of one ticker among those of several. */
#ifndef IPCTAX_SERIES_TICKER_H
#define IPCTAX_SERIES_TICKER_H

#include "lib/err.h"

#include <stddef.h>

/* The ticker of the rows so far; {0} to begin. */
struct series_ticker {
	int seen;
	size_t n;
	char text[64];
};

/*
 * A row's ticker, n foreign bytes. 1: the row is the series'; 0: it is another's than
 * wanted (NULL: all, and they must agree), to be left out. Otherwise -1: t->text is one
 * and the row's another, which series_ticker_refuse says.
 */
int series_ticker_row(struct series_ticker *t, const char *wanted, const char *p, size_t n);

/* Several tickers, at that place. Returns -1 with *e. */
int series_ticker_refuse(const struct series_ticker *t, const char *p, size_t n, const char *name,
    size_t line, size_t column, struct err *e);

#endif
