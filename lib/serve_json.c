#include "lib/serve_impl.h"

/* A line whole, without its end: carried out, or answered with what is wrong with it. */
static void take_line(struct conn *c, const unsigned char *line, size_t n)
{
	enum frame_error code;
	struct err e;

	request_begins(c);
	request_sampled(c);
	c->next_offset = c->offset + n + 1;
	code = codec_json_request_parse(&c->json, line, n, &e);
	if (code != FRAME_OK) {
		c->event.parsed_ns = c->event.started_ns = c->event.finished_ns = conn_clock(c);
		reply_error(c, code, e.text);
		return;
	}
	c->request = c->json.request;
	c->event.op = c->request.head.op;
	c->event.n_bars = c->request.head.n_bars;
	c->event.n_sets = c->request.head.n_sets;
	op_run(c);
}

static int step(struct conn *c)
{
	const unsigned char *line, *end;
	size_t have = c->in.len - c->at;
	uint64_t limit = c->serve->config.limits.frame;

	if (have == 0)
		return 0;
	line = c->in.p + c->at;
	end = memchr(line + c->scanned, '\n', have - c->scanned);
	if (!end && have <= limit) {
		c->scanned = have;
		return 0;
	}
	c->scanned = 0;
	if (!end || (size_t)(end - line) > limit) {
		request_begins(c);
		reply_error(c, FRAME_TOO_LARGE, "the line is too long (see --max-frame)");
		return 1;
	}
	c->at += (size_t)(end - line) + 1;
	take_line(c, line, (size_t)(end - line));
	return 1;
}

/* A line of unknown length: as much room again as has come. */
static uint64_t wanted(const struct conn *c)
{
	return 2 * (c->in.len - c->at);
}

/* The last line may lack its end. */
static void ended(struct conn *c)
{
	size_t have = c->in.len - c->at;

	if (have == 0 || c->serve->stop_ns) {
		c->state = CONN_LAST;
		return;
	}
	c->at = c->in.len;
	take_line(c, c->in.p + c->at - have, have);
}

static unsigned char *begin(struct conn *c, size_t n)
{
	c->columns.len = 0;
	return buf_reserve(&c->columns, n + 1) < 0 ? NULL : c->columns.p;
}

static enum frame_error end(struct conn *c, size_t n, size_t tail_len, struct err *e)
{
	struct reply r;

	(void)tail_len; /* of an echo, which has no form as text */
	if (reply_parse(&r, c->event.op, 0, (uint32_t)n, c->columns.p, e) < 0)
		return FRAME_INTERNAL;
	if (codec_json_reply_write(&c->out, &r, c->serve->config.nan, e) == 0)
		return FRAME_OK;
	return e->status == STATUS_INPUT ? FRAME_BAD_REQUEST : FRAME_INTERNAL;
}

static int error(struct conn *c, enum frame_error code, const char *text)
{
	struct err e;

	return codec_json_error_write(&c->out, code, text, strlen(text), &e);
}

const struct framing framing_json = {step, wanted, ended, begin, end, error, 1};
