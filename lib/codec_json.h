/* L1: closes, requests and replies as JSON text. */
#ifndef IPCTAX_CODEC_JSON_H
#define IPCTAX_CODEC_JSON_H

#include "lib/bytes.h"
#include "lib/codec_close.h"
#include "lib/err.h"
#include "lib/json.h"
#include "lib/message.h"

/*
 * Appends the closes (binary64) of a document of n bytes to closes:
 *   [1.5, 2, ...]                        an array of numbers
 *   [{"close": 1.5, ...}, ...]           an array of objects, a bar each
 *   {"close": [1.5, ...], ...}           an object of arrays; {"close": {"0": 1.5}} too
 * The key is `key`, or where that is NULL "close" (or "closes"), in any case; other members
 * are passed over. null
 * and numbers not above 0 go to the judge; without one they are refused. 0, or
 * -1 with *e (STATUS_INPUT; STATUS_FAILED where memory ends).
 */
int codec_json_closes(struct buf *closes, const char *name, const char *key, const void *p,
    size_t n, codec_judge *judge, void *user, struct err *e);

/* What a bar's object may say besides its close. */
enum codec_json_part { CODEC_TIME, CODEC_CLOCK, CODEC_TICKER, CODEC_PARTS };

/* A member where it stands: at is a reader that has just read token, its value. */
struct codec_json_member {
	struct json at;
	enum json_token token; /* JSON_END: the bar has none */
};

/* For those who look at more of a bar than its close; which keys matter the first bar says. */
struct codec_json_bars {
	/* How well a key names that part: 1 best, then 2, ...; 0 not at all. */
	size_t (*rank)(enum codec_json_part part, const char *key);
	/* Whether a time of that key is to be read with the clock's. */
	int (*has_clock)(const char *time_key);
	/* 1: take the bar's close; 0: leave the bar out; -1 with *e. */
	int (*bar)(void *user, const struct codec_json_member *parts,
	    const struct codec_json_member *close, struct err *e);
	void *user;
};

/*
 * codec_json_closes that asks `bars` about each bar, of an array of objects as of an
 * object of arrays, before its close is looked at; numbers alone are not bars.
 */
int codec_json_closes_of(struct buf *closes, const char *name, const char *key, const void *p,
    size_t n, codec_judge *judge, void *user, const struct codec_json_bars *bars, struct err *e);

/* What to write for NaN and infinities, which JSON cannot say. */
enum codec_nan { CODEC_NAN_REFUSE, CODEC_NAN_NULL };

/* The index of the first of n binary64 that is not finite, or n. Ask before writing JSON. */
size_t codec_first_nonfinite(const void *x, size_t n);

/*
 * A request line of the JSON service and its arrays, which are kept for the
 * next line. {0} is an empty one.
 */
struct codec_json_request {
	struct request request; /* op sweep, no flags; closes and sets point into: */
	struct buf closes;      /* binary64 */
	struct buf sets;        /* 6 x i64 a set */
};

/*
 * Reads {"op":"sweep","closes":[...],"sets":[[6 integers],...]}, members in any
 * order, each exactly once, no others. FRAME_OK, or the code for the peer with
 * *e->text the message: FRAME_MALFORMED (no JSON, or not of this shape),
 * FRAME_BAD_REQUEST (a window below 1, a close that is null), FRAME_UNSUPPORTED (another op),
 * FRAME_TOO_LARGE (counts beyond u32), FRAME_INTERNAL (out of memory). Memory:
 * at most eight times the line.
 */
enum frame_error codec_json_request_parse(
    struct codec_json_request *r, const void *line, size_t n, struct err *e);
void codec_json_request_free(struct codec_json_request *r);

/*
 * Appends the request as a line. 0; -1 with *e where a close is not finite and
 * nan says refuse (null would be refused by the peer), or memory ends.
 */
int codec_json_request_write(struct buf *line, const struct request *r, struct err *e);

/*
 * Appends the reply line, newline included, of a sweep ({"pnl":[...],"trades":[...]}) or an error.
 * 0; -1 with *e where a pnl is not finite and nan says refuse (line unchanged),
 * or memory ends.
 */
int codec_json_reply_write(
    struct buf *line, const struct reply *r, enum codec_nan nan, struct err *e);

/* Appends {"error":{"code":C,"message":"..."}} and a newline. 0, or -1 with *e. */
int codec_json_error_write(
    struct buf *line, enum frame_error code, const void *text, size_t n, struct err *e);

/*
 * Reads a reply line: appends pnl (binary64; null is NaN) and trades (i64). An
 * error object is STATUS_FAILED with its code and message in *e; what is no
 * reply STATUS_INPUT. 0, or -1 with *e.
 */
int codec_json_reply_parse(
    struct buf *pnl, struct buf *trades, const void *line, size_t n, struct err *e);

#endif
