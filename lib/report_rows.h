/* L4: replies as text or npy: rows of results under the names of their columns. */
#ifndef IPCTAX_REPORT_ROWS_H
#define IPCTAX_REPORT_ROWS_H

#include "lib/message_stream.h"
#include "lib/report.h"

/* Formats of rows: those of a report, the bodies as they are, a NumPy array. */
enum rows_format { ROWS_AS_TEXT, ROWS_AS_RAW, ROWS_AS_NPY };

struct report_rows {
	struct out *out;
	enum rows_format format;
	int nan_null; /* JSON: null for what is not finite, instead of an error */
	struct report report;
	struct json_writer json;
	const char *names[ROWS_PARTS];
	enum rows_part columns[ROWS_PARTS]; /* in force */
	size_t n_columns;
	uint64_t replies, rows;
	struct buf data; /* npy: its head needs the number of rows, so they are kept */
};

/* Begins; text is the report's format where format is ROWS_AS_TEXT. */
void report_rows_begin(
    struct report_rows *k, struct out *o, enum rows_format format, enum report_format text);

/*
 * The current reply of a stream: its rows behind those before, under a new line of
 * names where the columns change (npy: an error); stats as lines of name and value.
 * 0, or -1 with *e; nothing of the reply is then written.
 */
int report_rows_put(struct report_rows *k, const struct reply_stream *s, struct err *e);

/* Ends what was begun, so that the rows so far are whole. 0, or -1 with *e. */
int report_rows_end(struct report_rows *k, struct err *e);

#endif
