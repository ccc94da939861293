#include "lib/message.h"

/* Memory for a body grows with what has arrived: this much at first, then to twice. */
#define FIRST_STEP ((size_t)64 << 10)

void request_locate(struct request *r, const struct frame_head *h, const unsigned char *body)
{
	const unsigned char *at = body + frame_head_size(h->op);

	r->head = *h;
	r->closes = frame_op_has_closes(h->op) ? at : NULL;
	r->sets = frame_op_has_sets(h->op) ? at + (size_t)h->n_bars * sizeof(double) : NULL;
}

void request_put(struct out *o, const struct request *r)
{
	unsigned char head[4 + FRAME_HEAD_MAX];

	out_put(o, head, frame_head_write(head, &r->head));
	if (r->closes)
		out_put(o, r->closes, (size_t)r->head.n_bars * sizeof(double));
	if (r->sets)
		out_put(o, r->sets, (size_t)r->head.n_sets * FRAME_SET_SIZE);
}

static int parse_error(struct reply *r, const unsigned char *body, size_t n, struct err *e)
{
	if (n < 4)
		return err_set(
		    e, STATUS_INPUT, "an error frame of %zu byte%s: 4 or more", n, err_plural(n));
	r->error = get_u32(body);
	r->text = body + 4;
	r->text_len = n - 4;
	if (r->error == FRAME_OK)
		return err_set(e, STATUS_INPUT, "an error frame with code 0");
	return 0;
}

static int parse_stamp(struct reply *r, const unsigned char **body, size_t *n, struct err *e)
{
	if (*n < FRAME_STAMP_SIZE)
		return err_set(e, STATUS_INPUT, "a stamped reply of %zu byte%s: 32 or more", *n,
		    err_plural(*n));
	r->stamped = 1;
	memcpy(r->stamp, *body, sizeof r->stamp);
	*body += FRAME_STAMP_SIZE;
	*n -= FRAME_STAMP_SIZE;
	return 0;
}

/* The body of n bytes as `columns` arrays of one 8 byte value a set. */
static int parse_sets(struct reply *r, unsigned columns, const unsigned char *body, size_t n)
{
	size_t column;

	if (n % (8 * columns))
		return -1;
	column = n / columns;
	r->n_sets = (uint32_t)(column / 8);
	r->pnl = body;
	r->trades = body + column;
	r->sides = columns > 2 ? body + 2 * column : NULL;
	return 0;
}

static int parse_result(struct reply *r, uint8_t op, const unsigned char *body, size_t n)
{
	switch (op) {
	case OP_SWEEP:
	case OP_SWEEP_SLOT: return parse_sets(r, 2, body, n);
	case OP_TICK: return parse_sets(r, 3, body, n);
	case OP_ECHO:
		r->n_bars = (uint32_t)(n / 8);
		r->closes = body;
		return n % 8 ? -1 : 0;
	case OP_LOAD:
	case OP_APPEND:
		if (n != 8)
			return -1;
		r->version = get_u64(body);
		return 0;
	case OP_STATS:
		r->text = body;
		r->text_len = n;
		return 0;
	default: return n ? -1 : 0;
	}
}

int reply_parse(struct reply *r, uint8_t op, uint8_t flags, uint32_t word,
    const unsigned char *body, struct err *e)
{
	size_t n = word & ~FRAME_ERROR_BIT;

	*r = (struct reply){0};
	if (word & FRAME_ERROR_BIT)
		return parse_error(r, body, n, e);
	if (flags & FLAG_STAMP && parse_stamp(r, &body, &n, e) < 0)
		return -1;
	if (flags & FLAG_DRY ? n != 0 : parse_result(r, op, body, n) < 0)
		return err_set(e, STATUS_INPUT, "%zu byte%s no reply to %s%s%s", n,
		    n == 1 ? " is" : "s are", frame_op_name(op) ? frame_op_name(op) : "this op",
		    flags & FLAG_DRY ? " (dry run)" : "", r->stamped ? " (stamped)" : "");
	return 0;
}

void frame_reader_init(struct frame_reader *r, int fd, const char *name)
{
	*r = (struct frame_reader){.fd = fd, .name = name, .limit = FRAME_LIMIT, .n_ahead = -1};
}

void frame_reader_free(struct frame_reader *r)
{
	buf_free(&r->body);
}

static int reader_fail(const struct frame_reader *r, struct err *e, size_t have, size_t want)
{
	return err_set(e, STATUS_INPUT, "%s: frame %llu at byte %llu: ends after %zu of %zu bytes",
	    r->name, (unsigned long long)r->number, (unsigned long long)r->offset, have, want);
}

static int read_body(struct frame_reader *r, size_t want, struct err *e)
{
	r->body.len = 0;
	while (r->body.len < want) {
		size_t step = r->body.len > FIRST_STEP ? r->body.len : FIRST_STEP;
		ssize_t got;

		if (step < r->body.cap - r->body.len)
			step = r->body.cap - r->body.len;
		if (step > want - r->body.len)
			step = want - r->body.len;
		if (buf_reserve(&r->body, step) < 0)
			return err_errno(
			    e, "%s: frame %llu", r->name, (unsigned long long)r->number);
		got = io_read_full(r->fd, r->body.p + r->body.len, step);
		if (got < 0)
			return err_errno(e, "%s: read", r->name);
		r->body.len += (size_t)got;
		if ((size_t)got < step)
			return reader_fail(r, e, 4 + r->body.len, 4 + want);
	}
	r->next += 4 + want;
	return 1;
}

int frame_reader_peek(struct frame_reader *r, unsigned char word[4], struct err *e)
{
	if (r->n_ahead < 0)
		r->n_ahead = (int)io_read_full(r->fd, r->ahead, sizeof r->ahead);
	if (r->n_ahead < 0)
		return err_errno(e, "%s: read", r->name);
	memcpy(word, r->ahead, (size_t)r->n_ahead);
	return r->n_ahead;
}

int frame_reader_next(struct frame_reader *r, struct err *e)
{
	unsigned char word[4];
	int got = frame_reader_peek(r, word, e);
	size_t want;

	r->n_ahead = -1;

	if (got == 0)
		return 0;
	r->number++;
	r->offset = r->next;
	if (got < 0)
		return -1;
	if (got < 4)
		return reader_fail(r, e, (size_t)got, sizeof word);
	r->word = get_u32(word);
	want = r->word & ~FRAME_ERROR_BIT;
	if (want > r->limit)
		return err_set(e, STATUS_INPUT,
		    "%s: frame %llu at byte %llu: length %zu exceeds %llu%s", r->name,
		    (unsigned long long)r->number, (unsigned long long)r->offset, want,
		    (unsigned long long)r->limit,
		    r->number == 1 ? ": is this a frame? (or see --max-frame)"
				   : " (see --max-frame)");
	return read_body(r, want, e);
}
