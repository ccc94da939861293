/* L1: the equivalence gate: two streams of results, row by row. */
#ifndef IPCTAX_CODEC_GATE_H
#define IPCTAX_CODEC_GATE_H

#include "lib/message_stream.h"

/*
 * One side: replies, or (replies NULL) a table as text with a line of names
 * (rows_name; a # before it is fine) and TAB or comma between cells.
 */
struct gate_side {
	const char *name;
	struct reply_stream *replies;
	struct buf table;

	size_t at; /* next byte of table, or row of the reply */
	size_t line;
	char separator;
	int column[64]; /* part of each table column, -1: passed over */
	size_t n_columns;
	uint32_t has; /* bit per part: what the row holds */
	uint64_t cell[ROWS_PARTS];
};

/* How near is equal. Integers must be the same always. */
struct gate {
	int exact;        /* pnl and closes bit for bit; NaN is NaN, whatever its bits */
	double tolerance; /* otherwise: |a - b| at most this */
	uint64_t rows;    /* compared */
};

/*
 * Whether the first n (at most 4) bytes of a file are those of a table: no length word of a
 * reply with rows looks like that, being a multiple of 8 as no name's first letter is.
 */
int gate_is_table(const unsigned char *p, size_t n);

/* What else that unframe writes a file begins with: "npy" or "JSON"; NULL: neither. */
const char *gate_not_compared(const unsigned char *p, size_t n);

/*
 * Compares all rows: results that both hold, and windows where both are
 * labelled. 0; -1 with *e: STATUS_DIFFER naming set, both values and
 * their difference, or the count; otherwise what is wrong with a side.
 */
int gate_compare(struct gate *g, struct gate_side *a, struct gate_side *b, struct err *e);

#endif
