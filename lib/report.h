/* L4: tables of results: aligned for eyes, tsv and csv for filters, json, markdown. */
#ifndef IPCTAX_REPORT_H
#define IPCTAX_REPORT_H

#include "lib/bytes.h"
#include "lib/io.h"
#include "lib/json.h"

#include <stddef.h>
#include <stdint.h>

enum report_format { REPORT_TABLE, REPORT_TSV, REPORT_CSV, REPORT_JSON, REPORT_MARKDOWN };

/* "table", "tsv", "csv", "json", "markdown", NULL: in the order of the enum. */
extern const char *const report_format_names[];

#define REPORT_COLUMNS 40

/*
 * One table, put cell by cell, row by row. Column names carry their unit
 * ("p99_ns"). TSV, CSV and JSON are written as they come; TABLE and MARKDOWN
 * keep their cells (counted memory) until the end, to align them.
 */
struct report {
	enum report_format format;
	struct out *out;
	struct json_writer *json; /* JSON: the open writer; rows are members of an array */
	const char *const *names;
	size_t n_columns, column; /* column: the next cell's */
	uint64_t rows;
	int error;         /* errno of memory that was not there; out's errors are in the out */
	struct buf text;   /* cells kept, each ended by NUL */
	struct buf starts; /* u8 a cell: 1 is flush left */
};

/*
 * Begins a table with n names (by reference, at most REPORT_COLUMNS). For JSON
 * the caller has put the key, if any; an array of objects follows, a row each.
 */
void report_begin(struct report *r, enum report_format f, struct out *o, struct json_writer *json,
    const char *const *names, size_t n);

/* Other columns from here on: another table behind the first; in JSON the array goes on. 0, or -1
 * with *e. */
int report_columns(struct report *r, const char *const *names, size_t n, struct err *e);

/* One cell each, left to right; after the last the row is whole. */
void report_i64(struct report *r, int64_t v);
void report_u64(struct report *r, uint64_t v);
/* The shortest decimal that reads back; nan and inf as words, null in JSON. */
void report_real(struct report *r, double x);
/* Rounded to so many decimals: for what is not known better. Not finite: null. */
void report_fixed(struct report *r, double x, int decimals);
/* Text; foreign bytes are the caller's to quote. CSV quotes where needed; TAB and LF become blanks.
 */
void report_text(struct report *r, const char *s);
/* Nothing is known: null in JSON, "-" elsewhere. */
void report_null(struct report *r);
/* 1: report_u64, 0: report_null. */
void report_maybe(struct report *r, int known, uint64_t v);

/*
 * Ends the table: aligned ones are written now. 0, or -1 with *e where memory
 * was short. Frees what was kept.
 */
int report_end(struct report *r, struct err *e);

#endif
