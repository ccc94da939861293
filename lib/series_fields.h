/* L1: a line of delimited text taken apart. */
#ifndef IPCTAX_SERIES_FIELDS_H
#define IPCTAX_SERIES_FIELDS_H

#include <stddef.h>

#define SERIES_FIELDS 1024 /* the most columns */

/* A cell: without its quotes and the blanks around it; foreign bytes, no NUL. */
struct series_field {
	const char *p;
	size_t n;
};

struct series_row {
	size_t n;
	struct series_field field[SERIES_FIELDS];
};

enum series_split { SPLIT_OK, SPLIT_QUOTE, SPLIT_MANY };

/*
 * Splits a line at the delimiter (0: the line is one cell). Cells may be quoted with
 * "; a quote inside is doubled and stays so. SPLIT_QUOTE: a quote is not closed on the
 * line, or text follows one; r->n is then the cell's index.
 */
enum series_split series_fields(struct series_row *r, const char *line, size_t n, char delimiter);

/* TAB, else ;, else , if the line has it outside quotes; else 0. */
char series_find_delimiter(const char *line, size_t n);

/* Whether the cell is that text, in any case. */
int series_field_is(const struct series_field *f, const char *text);

#endif
