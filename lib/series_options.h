/* L1: the options of price files by their names, for whoever has users. */
#ifndef IPCTAX_SERIES_OPTIONS_H
#define IPCTAX_SERIES_OPTIONS_H

#include "lib/series.h"

/*
 * Sets the option of that name (as in ipctax's frame: "column", "missing", ...; value
 * NULL for those that take none). The text is kept by reference. 0; -1 with *e
 * (STATUS_USAGE): the value does not fit, or there is no such option.
 */
int series_option(struct series_options *o, const char *name, const char *value, struct err *e);

#endif
