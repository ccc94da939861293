#include "lib/report_request.h"

#include <stdio.h>

static const char *const names[] = {"frame", "byte", "length", "op", "flags", "slot", "bars",
    "sets", "first", "last", "first_set", "last_set"};

static void put_slot(struct report *r, const struct frame_head *h)
{
	if (!frame_op_has_slot(h->op))
		report_null(r);
	else if (h->slot == FRAME_NO_SLOT)
		report_text(r, "none");
	else
		report_u64(r, h->slot);
}

/* The close at index i as it stands, whatever it is. */
static void put_close(struct report *r, const struct request *q, size_t i)
{
	if (q->closes && q->head.n_bars)
		report_real(r, get_f64(q->closes + 8 * i));
	else
		report_null(r);
}

/* The six windows of set i, split by colons. */
static void put_set(struct report *r, const struct request *q, size_t i)
{
	char text[6 * 21 + 1];
	int n = 0;

	if (!q->sets || !q->head.n_sets) {
		report_null(r);
		return;
	}
	for (size_t k = 0; k < 6; k++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%s%lld", k ? ":" : "",
		    (long long)get_i64(q->sets + i * FRAME_SET_SIZE + 8 * k));
	report_text(r, text);
}

static void put_request(struct report *r, const struct frame_reader *in, const struct request *q)
{
	const struct frame_head *h = &q->head;

	report_u64(r, in->number);
	report_u64(r, in->offset);
	report_u64(r, in->word);
	report_text(r, frame_op_name(h->op));
	report_text(r, h->flags == (FLAG_STAMP | FLAG_DRY) ? "stamp+dry-run"
		       : h->flags & FLAG_STAMP             ? "stamp"
		       : h->flags & FLAG_DRY               ? "dry-run"
							   : "-");
	put_slot(r, h);
	report_u64(r, h->n_bars);
	report_u64(r, h->n_sets);
	put_close(r, q, 0);
	put_close(r, q, h->n_bars ? h->n_bars - 1 : 0);
	put_set(r, q, 0);
	put_set(r, q, h->n_sets ? h->n_sets - 1 : 0);
}

static int next(struct frame_reader *in, struct request *q, struct err *e)
{
	struct frame_head h;
	struct err why;
	int got = frame_reader_next(in, e);

	if (got <= 0)
		return got;
	if (in->word & FRAME_ERROR_BIT)
		err_set(&why, STATUS_INPUT, "an error frame, no request");
	else if (frame_head_parse(&h, in->body.p, in->body.len, in->word, &why) == FRAME_OK) {
		request_locate(q, &h, in->body.p);
		return 1;
	}
	return err_set(e, STATUS_INPUT, "%s: frame %llu at byte %llu: %s", in->name,
	    (unsigned long long)in->number, (unsigned long long)in->offset, why.text);
}

int report_requests(
    struct out *o, enum report_format format, struct frame_reader *in, struct err *e)
{
	struct json_writer json;
	struct report r;
	struct request q;
	struct err why;
	int got;

	json_to_out(&json, o, 1);
	report_begin(&r, format, o, &json, names, sizeof names / sizeof *names);
	while ((got = next(in, &q, e)) > 0)
		put_request(&r, in, &q);
	if (report_end(&r, &why) == 0)
		return got;
	if (got == 0)
		*e = why;
	return -1;
}
