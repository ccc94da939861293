/* L1: a reply as rows of 8 byte columns: what text, npy and the gate have in common. */
#ifndef IPCTAX_CODEC_ROWS_H
#define IPCTAX_CODEC_ROWS_H

#include "lib/message.h"

#include <stddef.h>
#include <stdint.h>

enum rows_type { ROWS_I64, ROWS_F64 };

/* Which part of a reply a column shows; its place in the enum is its place in a row. */
enum rows_part {
	ROWS_SET,
	ROWS_LENGTH,
	ROWS_WINDOW, /* six of them */
	ROWS_PNL = ROWS_WINDOW + 6,
	ROWS_TRADES,
	ROWS_SIDE,
	ROWS_CLOSE,
	ROWS_VERSION,
	ROWS_STAMP, /* four of them */
	ROWS_PARTS = ROWS_STAMP + 4
};

/* "set", "length", "hma_half", ... "replied_ns"; and what it holds. */
const char *rows_name(enum rows_part part);
enum rows_type rows_type(enum rows_part part);

/* Whether a column says which set a row is, or when it was made, rather than a result. */
int rows_is_label(enum rows_part part);
int rows_is_stamp(enum rows_part part);

/* Whether replies to op with flags hold results of sets. */
int rows_are_sets(uint8_t op, uint8_t flags);

struct rows {
	const struct reply *reply;
	const struct hma_set *sets; /* labels of the rows, or NULL: they are numbered */
	const int64_t *lengths; /* or NULL: found from the sets, 0 where they are of no length */
	uint64_t first;         /* number of the first row, from 1, where numbered */
	size_t n_rows, n_columns;
	enum rows_part columns[ROWS_PARTS];
};

/*
 * The table of a reply (no error, no stats) to op with flags. A reply of no
 * rows that is stamped has one, of stamps alone. Labels are the caller's to set
 * before: sets (n_rows of them), lengths, or first.
 */
void rows_of(struct rows *r, const struct reply *reply, uint8_t op, uint8_t flags);

/* The bits of a cell: an int64, or a binary64 as its type says. */
uint64_t rows_cell(const struct rows *r, size_t row, enum rows_part part);

#endif
