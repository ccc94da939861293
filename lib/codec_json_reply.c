#include "lib/codec_json.h"

#include <math.h>
#include <string.h>

int codec_json_reply_write(
    struct buf *line, const struct reply *r, enum codec_nan nan, struct err *e)
{
	struct json_writer w;
	size_t len = line->len, odd = codec_first_nonfinite(r->pnl, r->n_sets);

	if (r->error)
		return codec_json_error_write(line, r->error, r->text, r->text_len, e);
	if (odd < r->n_sets && nan == CODEC_NAN_REFUSE)
		return err_set(e, STATUS_INPUT,
		    "set %zu: the pnl is not finite and JSON has no such number (--nan null writes "
		    "null)",
		    odd + 1);
	json_to_buf(&w, line, 0);
	json_put_object(&w);
	json_put_key(&w, "pnl");
	json_put_array(&w);
	json_put_doubles(&w, r->pnl, r->n_sets);
	json_put_close(&w);
	json_put_key(&w, "trades");
	json_put_array(&w);
	for (size_t i = 0; i < r->n_sets; i++)
		json_put_i64(&w, get_i64(r->trades + 8 * i));
	json_put_close(&w);
	json_put_close(&w);
	return json_put_done(&w, len, "reply", e);
}

int codec_json_error_write(
    struct buf *line, enum frame_error code, const void *text, size_t n, struct err *e)
{
	struct json_writer w;
	size_t len = line->len;

	json_to_buf(&w, line, 0);
	json_put_object(&w);
	json_put_key(&w, "error");
	json_put_object(&w);
	json_put_key(&w, "code");
	json_put_u64(&w, code);
	json_put_key(&w, "message");
	json_put_text(&w, text, n);
	json_put_close(&w);
	json_put_close(&w);
	return json_put_done(&w, len, "error", e);
}

static int misshapen(const struct json *j, struct err *e, enum json_token got, const char *meant)
{
	if (got >= 0)
		json_fail(j, e, "%s where %s is meant", json_token_name(got), meant);
	return -1;
}

/* The error object is open: hands its code and message up. */
static int peer_error(struct json *j, struct err *e)
{
	char message[400] = "", quoted[800];
	int64_t code = 0;
	size_t n = 0;
	enum json_token t = json_next(j, e);

	if (t != JSON_OBJECT)
		return misshapen(j, e, t, "the error's object");
	while ((t = json_next(j, e)) == JSON_KEY) {
		int is_code = json_is(j, "code"), is_message = json_is(j, "message");

		t = json_next(j, e);
		if (is_message && t == JSON_STRING) {
			n = json_text(j, message, sizeof message);
			n = n < sizeof message ? n : sizeof message - 1;
		} else if ((is_code && (t != JSON_NUMBER || json_i64(j, &code) < 0)) ||
			   json_skip(j, t, e) < 0) {
			return misshapen(j, e, t, "the error's code");
		}
	}
	if (t < 0)
		return -1;
	err_quote(quoted, sizeof quoted, message, n);
	return err_set(e, STATUS_FAILED, "reply: error %lld: %s", (long long)code, quoted);
}

static int pnl_array(struct buf *pnl, struct json *j, struct err *e)
{
	const double nan = NAN;
	enum json_token t = json_next(j, e);

	if (t != JSON_ARRAY)
		return misshapen(j, e, t, "the array of pnl");
	for (;;) {
		if (json_numbers(j, pnl, e) < 0)
			return -1;
		t = json_next(j, e);
		if (t != JSON_NULL)
			return t == JSON_ARRAY_END ? 0 : misshapen(j, e, t, "a pnl");
		if (buf_append(pnl, &nan, sizeof nan) < 0)
			return err_errno(e, "reply");
	}
}

static int trades_array(struct buf *trades, struct json *j, struct err *e)
{
	int64_t v;
	enum json_token t = json_next(j, e);

	if (t != JSON_ARRAY)
		return misshapen(j, e, t, "the array of trades");
	while ((t = json_next(j, e)) == JSON_NUMBER) {
		if (json_i64(j, &v) < 0)
			return json_fail(j, e, "a count of trades is a whole number");
		if (buf_append(trades, &v, sizeof v) < 0)
			return err_errno(e, "reply");
	}
	return t == JSON_ARRAY_END ? 0 : misshapen(j, e, t, "a count of trades");
}

int codec_json_reply_parse(
    struct buf *pnl, struct buf *trades, const void *line, size_t n, struct err *e)
{
	struct json j;
	size_t before = pnl->len - trades->len;
	unsigned seen = 0, bit;
	int bad;
	enum json_token t;

	json_init(&j, "reply", line, n);
	t = json_next(&j, e);
	if (t != JSON_OBJECT)
		return misshapen(&j, e, t, "a reply's object");
	while ((t = json_next(&j, e)) == JSON_KEY) {
		if (json_is(&j, "error"))
			return peer_error(&j, e);
		bit = json_is(&j, "pnl") ? 1 : json_is(&j, "trades") ? 2 : 4;
		if (bit == 4 || (seen & bit))
			return json_fail(&j, e, "a reply has pnl and trades, or error");
		seen |= bit;
		bad = bit == 1 ? pnl_array(pnl, &j, e) : trades_array(trades, &j, e);
		if (bad < 0)
			return -1;
	}
	if (t < 0)
		return -1;
	if (seen != 3 || pnl->len - trades->len != before)
		return json_fail(&j, e, "a reply has as many pnl as trades");
	return json_next(&j, e) == JSON_END ? 0 : -1;
}
