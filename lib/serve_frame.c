#include "lib/serve_impl.h"

#include <stdio.h>

#define FIRST_OUT ((size_t)8 << 10)

/* Throws away what has come of a refused body. */
static int skip(struct conn *c)
{
	size_t have = c->in.len - c->at;
	size_t n = c->skip < have ? (size_t)c->skip : have;

	c->at += n;
	c->skip -= n;
	return c->skip == 0;
}

void request_begins(struct conn *c)
{
	c->in_hand = 1;
	c->number++;
	c->offset = c->next_offset;
	c->event = (struct serve_event){.number = c->number,
	    .connection = c->id,
	    .first_ns = c->recv_ns,
	    .received_ns = c->recv_ns,
	    .op = OP_COUNT};
}

void request_sampled(struct conn *c)
{
	c->untimed =
	    !c->serve->config.trace && c->number > TIMED_ALL && c->number % TIMED_EVERY != 0;
	c->event.untimed = (uint8_t)c->untimed;
}

/* An error that leaves the stream whole: the rest of the frame is passed over. */
static void refuse(struct conn *c, enum frame_error code, const struct err *e, uint64_t length)
{
	c->event.parsed_ns = c->event.started_ns = c->event.finished_ns = conn_clock(c);
	reply_error(c, code, e->text);
	if (c->ring)
		return; /* records are taken as a whole */
	c->next_offset = c->offset + 4 + length;
	c->skip = 4 + length;
	skip(c);
}

#define ASK "is this a request? frame(1) makes one from closes"

void frame_too_large(struct conn *c, uint64_t length)
{
	struct err e;

	/* What begins with such a length is more often something else than a large frame. */
	if (c->number == 1 && !c->ring)
		err_set(&e, STATUS_INPUT,
		    length & FRAME_ERROR_BIT ? "length %#llx has bit 31 set: " ASK
					     : "length %llu exceeds %llu: " ASK
					       " (or see --max-frame)",
		    (unsigned long long)length, (unsigned long long)c->serve->config.limits.frame);
	else
		err_set(&e, STATUS_INPUT,
		    length & FRAME_ERROR_BIT ? "length %#llx has bit 31 set: that is an error reply"
					     : "length %llu exceeds %llu (see --max-frame)",
		    (unsigned long long)length, (unsigned long long)c->serve->config.limits.frame);
	reply_error(c, FRAME_TOO_LARGE, e.text);
}

int frame_head_accept(struct conn *c, const unsigned char *head, size_t n, uint64_t length)
{
	struct frame_head *h = &c->request.head;
	enum frame_error code;
	struct err e;

	code = frame_head_parse(h, head, n, length, &e);
	if (length == 0 && c->number == 1 && !c->ring) /* closes of whole numbers begin with 0 */
		err_set(&e, STATUS_INPUT, "an empty body: " ASK);
	c->event.op = h->op;
	c->event.flags = h->flags;
	c->event.n_bars = h->n_bars;
	c->event.n_sets = h->n_sets;
	c->event.slot = h->slot;
	if (code == FRAME_OK)
		code = op_admit(c, &e);
	if (code == FRAME_OK)
		return 0;
	refuse(c, code, &e, length);
	return -1;
}

/* The length word and the head: 1 when parsed, 0 when more must come, -1 when refused. */
static int read_head(struct conn *c)
{
	size_t have = c->in.len - c->at, need;
	const unsigned char *p;
	uint64_t length;

	if (have == 0)
		return 0;
	p = c->in.p + c->at;
	if (!c->in_hand) {
		request_begins(c);
		request_sampled(c);
	}
	if (have < 4)
		return 0;
	length = get_u32(p);
	if (length > c->serve->config.limits.frame) {
		frame_too_large(c, length);
		return -1;
	}
	if (length && have < 5)
		return 0;
	need = length ? frame_head_size(p[4]) : 0;
	need = length < need ? (size_t)length : need;
	if (have < 4 + need)
		return 0;
	return frame_head_accept(c, p + 4, need, length) < 0 ? -1 : 1;
}

static uint64_t wanted(const struct conn *c)
{
	return c->head_known && !c->to_place ? 4 + frame_body_size(&c->request.head) : 0;
}

/*
 * The arrays of the request, aligned to 8 bytes: where they do not lie so they move
 * down over the head, which is not needed any more.
 */
static void locate(struct conn *c)
{
	struct frame_head head = c->request.head;
	unsigned char *body = c->in.p + c->at + 4;
	size_t size = frame_head_size(head.op);
	unsigned char *payload = body + size;
	size_t off = (uintptr_t)payload & 7;

	if (off && head.op != OP_ECHO)
		memmove(payload - off, payload, (size_t)frame_body_size(&head) - size);
	request_locate(&c->request, &head, off && head.op != OP_ECHO ? body - off : body);
}

/* The body is whole: carried out. */
static void complete(struct conn *c)
{
	c->event.received_ns = c->recv_ns;
	c->next_offset = c->offset + 4 + frame_body_size(&c->request.head);
	c->head_known = 0;
	c->to_place = 0;
	c->discard = 0;
	if (c->event.flags & FLAG_STAMP)
		c->untimed = c->event.untimed = 0;
	op_run(c);
}

static int step(struct conn *c)
{
	uint64_t whole;
	int r;

	if (c->skip && !skip(c))
		return 0;
	if (!c->head_known) {
		r = read_head(c);
		if (r <= 0)
			return r < 0;
		c->head_known = 1;
		if (place_begin(c) < 0) {
			reply_error(c, FRAME_BUSY, "out of address space for the series");
			return 1;
		}
	}
	if (c->to_place) {
		place_move(c);
		if (c->placed < c->to_place)
			return c->state != CONN_OPEN;
		complete(c);
		return 1;
	}
	whole = wanted(c);
	if (c->in.len - c->at < whole)
		return 0;
	locate(c);
	c->at += (size_t)whole;
	complete(c);
	return 1;
}

static void ended(struct conn *c)
{
	uint64_t want = 4 + frame_body_size(&c->request.head);
	uint64_t have = c->in.len - c->at;
	char text[120];

	if (!c->in_hand || c->skip || c->serve->stop_ns) {
		c->state = CONN_LAST;
		return;
	}
	if (c->to_place)
		have = c->placed + want - c->to_place;
	if (c->head_known)
		snprintf(text, sizeof text, "the input ends after %llu of the frame's %llu bytes",
		    (unsigned long long)have, (unsigned long long)want);
	else
		snprintf(text, sizeof text, "the input ends after %llu byte%s of a frame",
		    (unsigned long long)have, err_plural(have));
	reply_error(c, FRAME_MALFORMED, text);
}

/* Bytes before the payload: the length word, and the stamps where they were asked for. */
static size_t lead(const struct conn *c)
{
	return 4 + (c->event.flags & FLAG_STAMP ? FRAME_STAMP_SIZE : 0);
}

static unsigned char *begin(struct conn *c, size_t n)
{
	size_t need = lead(c) + n;

	/* At first enough for what varies in length, statistics, to find room later. */
	if (c->out.cap == 0 && need < FIRST_OUT)
		need = FIRST_OUT;
	return buf_reserve(&c->out, need) < 0 ? NULL : c->out.p + c->out.len + lead(c);
}

static enum frame_error end(struct conn *c, size_t n, size_t tail_len, struct err *e)
{
	unsigned char *p = c->out.p + c->out.len;
	size_t head = lead(c);

	(void)e;
	put_u32(p, (uint32_t)(head - 4 + n + tail_len));
	if (head > 4) {
		put_u64(p + 4, c->event.received_ns);
		put_u64(p + 12, c->event.started_ns);
		put_u64(p + 20, c->event.finished_ns);
		put_u64(p + 28, c->event.begun_ns);
	}
	c->out.len += head + n;
	return FRAME_OK;
}

static int error(struct conn *c, enum frame_error code, const char *text)
{
	size_t n = strlen(text);
	unsigned char *p;

	if (buf_reserve(&c->out, 8 + n) < 0)
		return -1;
	p = c->out.p + c->out.len;
	put_u32(p, FRAME_ERROR_BIT | (uint32_t)(4 + n));
	put_u32(p + 4, code);
	memcpy(p + 8, text, n);
	c->out.len += 8 + n;
	return 0;
}

const struct framing framing_frames = {step, wanted, ended, begin, end, error, 0};
