/* L1: a price as text has it. */
#ifndef IPCTAX_SERIES_PRICE_H
#define IPCTAX_SERIES_PRICE_H

#include "lib/series_fields.h"
#include "lib/series_policy.h"

enum series_price {
	PRICE_OK,
	PRICE_MISSING,  /* empty, null, NA, ... or NaN: the value is NaN */
	PRICE_INFINITE, /* inf: the value is it */
	PRICE_RANGE,    /* beyond binary64 */
	PRICE_COMMA,    /* no number, but would be one with a decimal comma or digits grouped */
	PRICE_SYNTAX    /* no number */
};

/*
 * Reads a cell, scale applied: by a power of ten exactly (the decimal point is
 * moved, then rounded once), else one product. thousands 0: none; groups are of three
 * digits, or two before the last three.
 */
enum series_price series_price_parse(const struct series_field *f, char decimal, char thousands,
    const struct series_scale *scale, double *x);

#endif
