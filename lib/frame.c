#include "lib/frame.h"
#include "lib/bytes.h"

/* What requests of an op carry besides the two counts, and the size of its reply. */
enum { SLOT = 1, BYTES = 2, CLOSES = 4, SETS = 8 };

static const struct op {
	const char *name;
	unsigned carries;
} ops[OP_COUNT] = {
    [OP_SWEEP] = {"sweep", CLOSES | SETS},
    [OP_ECHO] = {"echo", CLOSES},
    [OP_LOAD] = {"load", SLOT | CLOSES},
    [OP_SWEEP_SLOT] = {"sweep-slot", SLOT | SETS},
    [OP_APPEND] = {"append", SLOT | CLOSES},
    [OP_OPEN] = {"open", SLOT | SETS},
    [OP_TICK] = {"tick", CLOSES},
    [OP_STATS] = {"stats", 0},
    [OP_RING] = {"ring", BYTES},
};

static unsigned carries(unsigned op)
{
	return op < OP_COUNT ? ops[op].carries : 0;
}

const char *frame_op_name(unsigned op)
{
	return op < OP_COUNT ? ops[op].name : NULL;
}

const char *frame_error_name(uint32_t code)
{
	static const char *const names[] = {"no error", "malformed", "bad request", "too large",
	    "empty slot", "busy", "internal", "unsupported"};

	return code < sizeof names / sizeof *names ? names[code] : "unknown code";
}

int frame_op_by_name(const char *name)
{
	for (int i = 0; i < OP_COUNT; i++)
		if (strcmp(ops[i].name, name) == 0)
			return i;
	return -1;
}

int frame_op_has_slot(unsigned op)
{
	return (carries(op) & SLOT) != 0;
}

int frame_op_has_closes(unsigned op)
{
	return (carries(op) & CLOSES) != 0;
}

int frame_op_has_sets(unsigned op)
{
	return (carries(op) & SETS) != 0;
}

size_t frame_head_size(uint8_t op_byte)
{
	return carries(op_byte & ~FLAG_ALL) & (SLOT | BYTES) ? FRAME_HEAD_MAX : FRAME_HEAD;
}

uint64_t frame_body_size(const struct frame_head *h)
{
	return frame_head_size(h->op) + (uint64_t)h->n_bars * sizeof(double) +
	       (uint64_t)h->n_sets * FRAME_SET_SIZE;
}

static enum frame_error refuse(enum frame_error code, struct err *e, const char *text)
{
	err_set(e, STATUS_INPUT, "%s", text);
	return code;
}

/* The counts against what the op carries and against the length. */
static enum frame_error check_counts(const struct frame_head *h, uint64_t body_len, struct err *e)
{
	const char *name = ops[h->op].name;
	unsigned has = carries(h->op);

	if (h->n_bars && !(has & CLOSES)) {
		err_set(e, STATUS_INPUT, "%s carries no closes: n_bars must be 0, not %u", name,
		    h->n_bars);
		return FRAME_BAD_REQUEST;
	}
	if (h->n_sets && !(has & SETS)) {
		err_set(e, STATUS_INPUT, "%s carries no sets: n_combos must be 0, not %u", name,
		    h->n_sets);
		return FRAME_BAD_REQUEST;
	}
	if (frame_body_size(h) != body_len) {
		err_set(e, STATUS_INPUT,
		    "length %llu, but %u bar%s and %u set%s of %s make it %llu",
		    (unsigned long long)body_len, h->n_bars, err_plural(h->n_bars), h->n_sets,
		    err_plural(h->n_sets), name, (unsigned long long)frame_body_size(h));
		return FRAME_MALFORMED;
	}
	if (h->op == OP_TICK && h->n_bars == 0)
		return refuse(FRAME_BAD_REQUEST, e, "tick needs a close or more");
	return FRAME_OK;
}

enum frame_error frame_head_parse(
    struct frame_head *h, const unsigned char *body, size_t have, uint64_t body_len, struct err *e)
{
	size_t size;

	*h = (struct frame_head){0};
	if (body_len == 0 || have == 0)
		return refuse(FRAME_MALFORMED, e, "an empty body: a request is 9 bytes or more");
	h->op = body[0] & (uint8_t)~FLAG_ALL;
	h->flags = body[0] & FLAG_ALL;
	if (h->op >= OP_COUNT) {
		err_set(e, STATUS_INPUT, "op %u is unknown: this engine has 0 to %d", h->op,
		    OP_COUNT - 1);
		return FRAME_UNSUPPORTED;
	}
	if (h->flags & FLAG_RESERVED)
		return refuse(
		    FRAME_UNSUPPORTED, e, "flag bits 0x30 are reserved and must be clear");
	size = frame_head_size(h->op);
	if (body_len < size || have < size) {
		err_set(e, STATUS_INPUT, "length %llu is shorter than the %zu byte header of %s",
		    (unsigned long long)body_len, size, ops[h->op].name);
		return FRAME_MALFORMED;
	}
	h->n_bars = get_u32(body + 1);
	h->n_sets = get_u32(body + 5);
	if (carries(h->op) & SLOT)
		h->slot = get_u32(body + 9);
	if (carries(h->op) & BYTES)
		h->bytes = get_u32(body + 9);
	return check_counts(h, body_len, e);
}

size_t frame_head_write(unsigned char *dst, const struct frame_head *h)
{
	size_t size = frame_head_size(h->op);

	put_u32(dst, (uint32_t)frame_body_size(h));
	dst[4] = h->op | h->flags;
	put_u32(dst + 5, h->n_bars);
	put_u32(dst + 9, h->n_sets);
	if (size > FRAME_HEAD)
		put_u32(dst + 13, carries(h->op) & SLOT ? h->slot : h->bytes);
	return 4 + size;
}

uint64_t frame_reply_size(const struct frame_head *h)
{
	uint64_t stamp = h->flags & FLAG_STAMP ? FRAME_STAMP_SIZE : 0;

	if (h->flags & FLAG_DRY)
		return stamp;
	switch (h->op) {
	case OP_SWEEP:
	case OP_SWEEP_SLOT: return stamp + (uint64_t)h->n_sets * 16;
	case OP_ECHO: return stamp + (uint64_t)h->n_bars * sizeof(double);
	case OP_LOAD:
	case OP_APPEND: return stamp + 8;
	case OP_OPEN:
	case OP_RING: return stamp;
	default: return UINT64_MAX;
	}
}
