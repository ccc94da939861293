/* L1: closes as text, one number a line under the header `close`. */
#ifndef IPCTAX_CODEC_CSV_H
#define IPCTAX_CODEC_CSV_H

#include "lib/bytes.h"
#include "lib/codec_close.h"
#include "lib/err.h"

#include <stddef.h>

#define CODEC_CSV_HEAD "close\n"

/*
 * Appends n binary64 (any alignment), shortest decimals, "\n" after each; nan,
 * inf and -inf as those words. The header is the caller's to put. 0, or -1 (errno ENOMEM).
 */
int codec_csv_write(struct buf *text, const void *x, size_t n);

/*
 * Appends the numbers of a one-column text to closes: an optional first line
 * `close`, then a number a line, LF or CRLF, the last line break optional. An
 * empty line, nan, inf and numbers not above 0 go to the judge; without one they
 * are refused. Users' tables are read elsewhere. 0, or -1 with *e.
 */
int codec_csv_closes(struct buf *closes, const char *name, const void *p, size_t n,
    codec_judge *judge, void *user, struct err *e);

#endif
