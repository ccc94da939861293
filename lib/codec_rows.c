#include "lib/codec_rows.h"

static const struct part {
	const char *name;
	enum rows_type type;
} parts[ROWS_PARTS] = {
    [ROWS_SET] = {"set", ROWS_I64},
    [ROWS_LENGTH] = {"length", ROWS_I64},
    [ROWS_PNL] = {"pnl", ROWS_F64},
    [ROWS_TRADES] = {"trades", ROWS_I64},
    [ROWS_SIDE] = {"side", ROWS_I64},
    [ROWS_CLOSE] = {"close", ROWS_F64},
    [ROWS_VERSION] = {"version", ROWS_I64},
    [ROWS_STAMP] = {"received_ns", ROWS_I64},
    [ROWS_STAMP + 1] = {"started_ns", ROWS_I64},
    [ROWS_STAMP + 2] = {"finished_ns", ROWS_I64},
    [ROWS_STAMP + 3] = {"replied_ns", ROWS_I64},
};

static int is_window(enum rows_part part)
{
	return part >= ROWS_WINDOW && part < ROWS_PNL;
}

const char *rows_name(enum rows_part part)
{
	return is_window(part) ? hma_set_names[part - ROWS_WINDOW] : parts[part].name;
}

enum rows_type rows_type(enum rows_part part)
{
	return parts[part].type;
}

int rows_is_label(enum rows_part part)
{
	return part < ROWS_PNL;
}

int rows_is_stamp(enum rows_part part)
{
	return part >= ROWS_STAMP;
}

static void add(struct rows *r, enum rows_part from, unsigned n)
{
	while (n--)
		r->columns[r->n_columns++] = from++;
}

int rows_are_sets(uint8_t op, uint8_t flags)
{
	return (op == OP_SWEEP || op == OP_SWEEP_SLOT || op == OP_TICK) && !(flags & FLAG_DRY);
}

static void add_sets(struct rows *r, uint8_t op)
{
	r->n_rows = r->reply->n_sets;
	if (r->sets)
		add(r, ROWS_LENGTH, 7);
	else
		add(r, ROWS_SET, 1);
	add(r, ROWS_PNL, op == OP_TICK ? 3 : 2);
}

void rows_of(struct rows *r, const struct reply *reply, uint8_t op, uint8_t flags)
{
	r->reply = reply;
	r->n_rows = r->n_columns = 0;
	if (rows_are_sets(op, flags)) {
		add_sets(r, op);
	} else if (op == OP_ECHO && !(flags & FLAG_DRY)) {
		r->n_rows = reply->n_bars;
		add(r, ROWS_CLOSE, 1);
	} else if ((op == OP_LOAD || op == OP_APPEND) && !(flags & FLAG_DRY)) {
		r->n_rows = 1;
		add(r, ROWS_VERSION, 1);
	}
	if (!reply->stamped)
		return;
	if (r->n_columns == 0)
		r->n_rows = 1;
	add(r, ROWS_STAMP, 4);
}

/* The length that gives this set, 0 where none does. */
static int64_t length_of(const struct hma_set *s)
{
	struct hma_set made = hma_set_of_length(s->full);

	return memcmp(&made, s, sizeof made) == 0 ? s->full : 0;
}

uint64_t rows_cell(const struct rows *r, size_t row, enum rows_part part)
{
	struct hma_set set;

	switch (part) {
	case ROWS_SET: return r->first + row;
	case ROWS_LENGTH:
		return (uint64_t)(r->lengths ? r->lengths[row] : length_of(&r->sets[row]));
	case ROWS_PNL: return get_u64(r->reply->pnl + 8 * row);
	case ROWS_TRADES: return get_u64(r->reply->trades + 8 * row);
	case ROWS_SIDE: return get_u64(r->reply->sides + 8 * row);
	case ROWS_CLOSE: return get_u64(r->reply->closes + 8 * row);
	case ROWS_VERSION: return r->reply->version;
	default: break;
	}
	if (rows_is_stamp(part))
		return r->reply->stamp[part - ROWS_STAMP];
	set = r->sets[row];
	return get_u64((const unsigned char *)&set + 8 * (part - ROWS_WINDOW));
}
