#include "lib/codec_json.h"
#include "lib/num.h"

#include <limits.h>
#include <string.h>

#define NAME "request"

size_t codec_first_nonfinite(const void *x, size_t n)
{
	const unsigned char *p = x;
	size_t i = 0;

	while (i < n && (get_u64(p + 8 * i) >> 52 & 0x7ff) != 0x7ff)
		i++;
	return i;
}

static enum frame_error misshapen(
    const struct json *j, struct err *e, enum json_token got, const char *meant)
{
	if (got >= 0)
		json_fail(j, e, "%s where %s is meant", json_token_name(got), meant);
	return FRAME_MALFORMED;
}

static enum frame_error closes(struct codec_json_request *r, struct json *j, struct err *e)
{
	enum json_token t = json_next(j, e);

	if (t != JSON_ARRAY)
		return misshapen(j, e, t, "the array of closes");
	if (json_numbers(j, &r->closes, e) < 0)
		return e->status == STATUS_FAILED ? FRAME_INTERNAL : FRAME_MALFORMED;
	t = json_next(j, e);
	if (t == JSON_NULL) {
		json_fail(j, e, "null where a close is meant: closes are finite");
		return FRAME_BAD_REQUEST;
	}
	return t == JSON_ARRAY_END ? FRAME_OK : misshapen(j, e, t, "a close");
}

/* One set: six integers, and a seventh token that ends it. */
static enum frame_error set(struct codec_json_request *r, struct json *j, struct err *e)
{
	unsigned char six[FRAME_SET_SIZE];
	int64_t window;
	enum json_token t;

	for (size_t i = 0; i < 6; i++) {
		t = json_next(j, e);
		if (t != JSON_NUMBER)
			return misshapen(j, e, t, "a window (six a set)");
		if (json_i64(j, &window) < 0) {
			json_fail(j, e, "a window is a whole number below 2^63");
			return FRAME_MALFORMED;
		}
		if (window < 1) {
			json_fail(j, e, "window %lld: windows are at least 1", (long long)window);
			return FRAME_BAD_REQUEST;
		}
		put_u64(six + 8 * i, (uint64_t)window);
	}
	t = json_next(j, e);
	if (t != JSON_ARRAY_END)
		return misshapen(j, e, t, "the end of the set (six windows each)");
	if (buf_append(&r->sets, six, sizeof six) < 0) {
		err_errno(e, NAME);
		return FRAME_INTERNAL;
	}
	return FRAME_OK;
}

static enum frame_error sets(struct codec_json_request *r, struct json *j, struct err *e)
{
	enum json_token t = json_next(j, e);
	enum frame_error bad;

	if (t != JSON_ARRAY)
		return misshapen(j, e, t, "the array of sets");
	while ((t = json_next(j, e)) == JSON_ARRAY) {
		bad = set(r, j, e);
		if (bad)
			return bad;
	}
	return t == JSON_ARRAY_END ? FRAME_OK
				   : misshapen(j, e, t, "a set (six windows in brackets)");
}

static enum frame_error op(struct json *j, struct err *e)
{
	enum json_token t = json_next(j, e);

	if (t != JSON_STRING)
		return misshapen(j, e, t, "the name of an op");
	if (json_is(j, "sweep"))
		return FRAME_OK;
	json_fail(j, e, "only the op \"sweep\" is served as JSON");
	return FRAME_UNSUPPORTED;
}

/* Members in any order; the bits of `seen` say which there were. */
static enum frame_error members(
    struct codec_json_request *r, struct json *j, unsigned *seen, struct err *e)
{
	static const char *const names[] = {"op", "closes", "sets"};
	enum json_token t;
	enum frame_error bad;
	unsigned i;

	while ((t = json_next(j, e)) == JSON_KEY) {
		for (i = 0; i < 3 && !json_is(j, names[i]); i++)
			;
		if (i == 3 || (*seen & 1u << i)) {
			json_fail(j, e,
			    i == 3 ? "unknown member (op, closes, sets)"
				   : "the member stands twice");
			return FRAME_MALFORMED;
		}
		*seen |= 1u << i;
		bad = i == 0 ? op(j, e) : i == 1 ? closes(r, j, e) : sets(r, j, e);
		if (bad)
			return bad;
	}
	return t < 0 ? FRAME_MALFORMED : FRAME_OK;
}

enum frame_error codec_json_request_parse(
    struct codec_json_request *r, const void *line, size_t n, struct err *e)
{
	struct json j;
	enum json_token t;
	enum frame_error bad;
	unsigned seen = 0;

	r->closes.len = r->sets.len = 0;
	json_init(&j, NAME, line, n);
	t = json_next(&j, e);
	if (t != JSON_OBJECT)
		return misshapen(&j, e, t, "a request's object");
	bad = members(r, &j, &seen, e);
	if (bad)
		return bad;
	if (seen != 7) {
		json_fail(&j, e, "a request has op, closes and sets");
		return FRAME_MALFORMED;
	}
	if (json_next(&j, e) != JSON_END)
		return FRAME_MALFORMED;
	if (r->closes.len / 8 > UINT32_MAX || r->sets.len / FRAME_SET_SIZE > UINT32_MAX) {
		err_set(e, STATUS_INPUT, NAME ": more than %lu closes or sets",
		    (unsigned long)UINT32_MAX);
		return FRAME_TOO_LARGE;
	}
	r->request = (struct request){.head = {.op = OP_SWEEP,
					  .n_bars = (uint32_t)(r->closes.len / 8),
					  .n_sets = (uint32_t)(r->sets.len / FRAME_SET_SIZE)},
	    .closes = r->closes.p,
	    .sets = r->sets.p};
	return FRAME_OK;
}

void codec_json_request_free(struct codec_json_request *r)
{
	buf_free(&r->closes);
	buf_free(&r->sets);
}

int codec_json_request_write(struct buf *line, const struct request *r, struct err *e)
{
	struct json_writer w;
	size_t odd = codec_first_nonfinite(r->closes, r->head.n_bars), len = line->len;

	if (odd < r->head.n_bars)
		return err_set(
		    e, STATUS_INPUT, "close %zu is not finite: JSON has no such number", odd + 1);
	json_to_buf(&w, line, 0);
	json_put_object(&w);
	json_put_key(&w, "op");
	json_put_str(&w, frame_op_name(r->head.op));
	json_put_key(&w, "closes");
	json_put_array(&w);
	json_put_doubles(&w, r->closes, r->head.n_bars);
	json_put_close(&w);
	json_put_key(&w, "sets");
	json_put_array(&w);
	for (size_t i = 0; i < r->head.n_sets; i++) {
		json_put_array(&w);
		for (size_t k = 0; k < 6; k++)
			json_put_i64(&w, get_i64(r->sets + FRAME_SET_SIZE * i + 8 * k));
		json_put_close(&w);
	}
	json_put_close(&w);
	json_put_close(&w);
	return json_put_done(&w, len, "request", e);
}
