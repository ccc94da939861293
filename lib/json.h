/* L1: JSON as RFC 8259 has it: a pull reader over bytes in memory, and a writer. */
#ifndef IPCTAX_JSON_H
#define IPCTAX_JSON_H

#include "lib/bytes.h"
#include "lib/err.h"
#include "lib/io.h"

#include <stddef.h>
#include <stdint.h>

#define JSON_DEPTH 64 /* arrays and objects open at once, read or written */

enum json_token {
	JSON_ERROR = -1,
	JSON_END, /* the document is whole and nothing follows it */
	JSON_OBJECT,
	JSON_OBJECT_END,
	JSON_ARRAY,
	JSON_ARRAY_END,
	JSON_KEY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL
};

/* A reader; the bytes stay the caller's and must outlive it. Allocates nothing. */
struct json {
	const char *name; /* of the source, for messages; by reference */
	const char *start, *at, *end;
	const char *token; /* where it begins */
	const char *text;  /* of the token: a number, or a string's inside, escapes as they stand */
	size_t text_len;
	double number; /* of JSON_NUMBER */
	unsigned depth;
	uint64_t objects; /* bit d: level d is an object */
	int expect;       /* private: what may come next */
};

void json_init(struct json *j, const char *name, const void *p, size_t n);

/*
 * The next token. Strict: no comments, trailing commas, leading zeros, NaN;
 * strings are valid UTF-8 with valid escapes; a number above the largest
 * binary64 is an error; at most JSON_DEPTH deep. JSON_ERROR sets *e
 * (STATUS_INPUT) to `NAME: line L column C: ...` with the text quoted; the
 * reader then stays there.
 */
enum json_token json_next(struct json *j, struct err *e);

/*
 * After a whole document: whether anything but blanks follows; json_next then reads on there, as
 * the beginning of another document.
 */
int json_more(struct json *j);

/* After a token: passes over the rest of the value it begins (nothing for a scalar). 0, or -1. */
int json_skip(struct json *j, enum json_token token, struct err *e);

/* Whether the string or key just read is s once its escapes are resolved. */
int json_is(const struct json *j, const char *s);

/*
 * The string or key just read as UTF-8, escapes resolved, to dst (cap bytes
 * with its NUL, cut where it is longer). Returns the whole length without NUL.
 */
size_t json_text(const struct json *j, char *dst, size_t cap);

/* The number just read as an integer: 0, or -1 where it has a point, an exponent, or does not fit.
 */
int json_i64(const struct json *j, int64_t *v);

/* Line and column (bytes), both from 1, of the token just read. */
void json_where(const struct json *j, size_t *line, size_t *column);

/* The caller's own complaint: sets *e to `NAME: line L column C: ...` of the token. Returns -1. */
int json_fail(const struct json *j, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* "an array", "a number" ...: for messages. */
const char *json_token_name(enum json_token token);

/*
 * The fast path for arrays of numbers: right after JSON_ARRAY appends the numbers
 * that follow to closes as binary64, until it meets anything else, which
 * json_next then gives; until then token, text and number are none of theirs. 0, or
 * -1 with *e (memory ends, or JSON is wrong).
 */
int json_numbers(struct json *j, struct buf *closes, struct err *e);

/*
 * A writer to a struct out or to a struct buf. Commas, colons and line breaks
 * are its business. Errors stick: of an out in the out, of a buf in error.
 */
struct json_writer {
	struct out *out; /* or */
	struct buf *buf;
	int error; /* errno: ENOMEM of the buf */
	unsigned depth;
	unsigned lined;           /* levels below this one break lines */
	uint64_t filled, objects; /* bit d: level d has a member; is an object */
	int after_key;
};

/*
 * lines: how many levels of nesting break the line after each member, two
 * blanks of indentation a level; 0 all on one line, 1 an outer array with a
 * row a line.
 */
void json_to_out(struct json_writer *w, struct out *o, unsigned lines);
void json_to_buf(struct json_writer *w, struct buf *b, unsigned lines);

void json_put_object(struct json_writer *w);
void json_put_array(struct json_writer *w);
void json_put_close(struct json_writer *w); /* the innermost; a line break after the outermost */
void json_put_key(struct json_writer *w, const char *key);
void json_put_str(struct json_writer *w, const char *s);
/* n bytes of text; what is not UTF-8 becomes U+FFFD, so that the result is always JSON. */
void json_put_text(struct json_writer *w, const void *s, size_t n);
void json_put_double(struct json_writer *w, double x); /* shortest; null for NaN, infinities */
void json_put_i64(struct json_writer *w, int64_t v);
void json_put_u64(struct json_writer *w, uint64_t v);
void json_put_bool(struct json_writer *w, int truth);
void json_put_null(struct json_writer *w);

/* n binary64 at any alignment as members of the open array, at full speed. */
void json_put_doubles(struct json_writer *w, const void *x, size_t n);

/*
 * The end of a document in a buf: 0; or -1 with *e (`WHAT: Cannot allocate memory`) where
 * it did not fit, the buf cut back to the `before` bytes it held.
 */
int json_put_done(struct json_writer *w, size_t before, const char *what, struct err *e);

#endif
