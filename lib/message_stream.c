#include "lib/message_stream.h"
#include "lib/json_text.h"

#include <stdio.h>

void reply_stream_init(struct reply_stream *s, int fd, const char *name)
{
	*s = (struct reply_stream){.op = OP_SWEEP};
	frame_reader_init(&s->in, fd, name);
}

void reply_stream_free(struct reply_stream *s)
{
	frame_reader_free(&s->in);
	buf_free(&s->sets);
	buf_free(&s->live);
}

void reply_error_text(const struct reply *r, char *dst, size_t cap)
{
	char quoted[700];

	err_quote(quoted, sizeof quoted, r->text, r->text_len);
	snprintf(dst, cap, "error %u (%s)%s%s", r->error, frame_error_name(r->error),
	    r->text_len ? ": " : "", quoted);
}

static int fail(const struct reply_stream *s, struct err *e, enum status status, const char *what)
{
	return err_set(e, status, "%s: frame %llu at byte %llu: %s", s->in.name,
	    (unsigned long long)s->in.number, (unsigned long long)s->in.offset, what);
}

/* Keeps the sets of a request, aligned, as labels. */
static int keep_sets(struct reply_stream *s, const struct request *q, struct err *e)
{
	struct buf *to = s->op == OP_OPEN ? &s->live : &s->sets;

	to->len = 0;
	if (buf_append(to, q->sets, (size_t)q->head.n_sets * FRAME_SET_SIZE) < 0)
		return err_errno(e, "%s", s->requests->name);
	return 0;
}

/*
 * Reads the request that the reply at hand answers. One that the engine cannot
 * have understood has no op to go by; its answer is an error frame, or wrong.
 */
static int read_request(struct reply_stream *s, struct err *e)
{
	struct frame_reader *in = s->requests;
	struct request q;
	struct err why;
	int got = frame_reader_next(in, e);

	if (got < 0)
		return -1;
	if (got == 0)
		return err_set(e, STATUS_INPUT,
		    "%s: frame %llu: a reply, but %s holds only %llu request%s", s->in.name,
		    (unsigned long long)s->in.number, in->name, (unsigned long long)in->number,
		    err_plural(in->number));
	if (s->in.word & FRAME_ERROR_BIT)
		return 0;
	if (in->word & FRAME_ERROR_BIT ||
	    frame_head_parse(&q.head, in->body.p, in->body.len, in->word, &why) != FRAME_OK)
		return err_set(e, STATUS_INPUT,
		    "%s: frame %llu at byte %llu: %s, yet %s has a result for it", in->name,
		    (unsigned long long)in->number, (unsigned long long)in->offset,
		    in->word & FRAME_ERROR_BIT ? "no request" : why.text, s->in.name);
	s->op = q.head.op;
	s->flags = q.head.flags;
	request_locate(&q, &q.head, in->body.p);
	if (q.sets && !(s->flags & FLAG_DRY))
		return keep_sets(s, &q, e);
	return 0;
}

static int unanswered(struct reply_stream *s, struct err *e)
{
	int got = frame_reader_next(s->requests, e);

	if (got <= 0)
		return got;
	return err_set(e, STATUS_INPUT, "%s: ends after %llu repl%s, but %s holds more requests",
	    s->in.name, (unsigned long long)s->in.number, s->in.number == 1 ? "y" : "ies",
	    s->requests->name);
}

static int at_end(struct reply_stream *s, struct err *e)
{
	if (s->labels && s->label)
		return err_set(e, STATUS_INPUT, "%s: ends after results for %zu of %zu set%s",
		    s->in.name, s->label, s->labels->n, err_plural(s->labels->n));
	return s->requests ? unanswered(s, e) : 0;
}

/* The labels of the n rows at hand: from the request, from the grid, or numbers. */
static int label(struct reply_stream *s, size_t n, struct err *e)
{
	static const struct hma_set none; /* labelled all the same */
	const struct buf *asked = s->op == OP_TICK ? &s->live : &s->sets;
	char text[160];

	s->rows.sets = NULL;
	s->rows.lengths = NULL;
	s->rows.first = s->op == OP_TICK ? 1 : s->row + 1;
	if (s->requests) {
		s->rows.sets = asked->p ? (const struct hma_set *)(const void *)asked->p : &none;
		if (n == asked->len / FRAME_SET_SIZE)
			return 0;
		snprintf(text, sizeof text, "results for %zu set%s, but %zu %s asked for", n,
		    err_plural(n), asked->len / FRAME_SET_SIZE,
		    asked->len == FRAME_SET_SIZE ? "was" : "were");
		return fail(s, e, STATUS_INPUT, text);
	}
	if (!s->labels)
		return 0;
	if (n > s->labels->n - s->label) {
		snprintf(text, sizeof text, "results for %zu set%s, but labels for %zu", n,
		    err_plural(n), s->labels->n - s->label);
		return fail(s, e, STATUS_INPUT, text);
	}
	s->rows.sets = s->labels->sets + s->label;
	s->rows.lengths = s->labels->lengths ? s->labels->lengths + s->label : NULL;
	s->label += n;
	if (s->label == s->labels->n)
		s->label = 0;
	return 0;
}

/* What reply_parse said; and if a request stands there, how to see it. */
static int no_reply(const struct reply_stream *s, const struct err *why, struct err *e)
{
	struct frame_head h;
	char text[sizeof why->text];
	int request =
	    !(s->in.word & FRAME_ERROR_BIT) &&
	    frame_head_parse(&h, s->in.body.p, s->in.body.len, s->in.word, NULL) == FRAME_OK;

	snprintf(text, sizeof text, "%.900s%s", why->text,
	    request ? ": a request? hmasweep answers it, --request shows it" : "");
	return fail(s, e, STATUS_INPUT, text);
}

/* Times of the clock rise, and no machine has been up for 73 years; other values seldom do so. */
static int check_stamp(const struct reply_stream *s, struct err *e)
{
	const uint64_t *t = s->reply.stamp;

	if (!s->reply.stamped || (t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3] && t[3] >> 61 == 0))
		return 0;
	return fail(s, e, STATUS_INPUT,
	    s->requests ? "the four times of the stamp do not rise: they are no times"
			: "the four times of the stamp do not rise: was it asked for? --for "
			  "REQUESTS knows");
}

/* Stats go out as they stand, so they are text indeed. */
static int check_stats(const struct reply_stream *s, struct err *e)
{
	const unsigned char *p = s->reply.text;
	size_t n = s->op == OP_STATS ? s->reply.text_len : 0, len;

	for (size_t i = 0; i < n; i += len) {
		len = json_utf8(p + i, n - i);
		if (len == 0 || p[i] == 0x7f || (p[i] < 0x20 && p[i] != '\t' && p[i] != '\n') ||
		    (p[i] == 0xc2 && p[i + 1] < 0xa0))
			return fail(s, e, STATUS_INPUT,
			    "the body is no text, as stats are: -x says what it answers, --for "
			    "REQUESTS knows");
	}
	return 0;
}

int reply_stream_next(struct reply_stream *s, struct err *e)
{
	char text[900];
	struct err why;
	int got = frame_reader_next(&s->in, e);

	if (got < 0)
		return -1;
	if (got == 0)
		return at_end(s, e);
	if (s->requests && read_request(s, e) < 0)
		return -1;
	if (reply_parse(&s->reply, s->op, s->flags, s->in.word, s->in.body.p, &why) < 0)
		return no_reply(s, &why, e);
	if (s->reply.error) {
		reply_error_text(&s->reply, text, sizeof text);
		return fail(s, e, STATUS_FAILED, text);
	}
	if (check_stamp(s, e) < 0 || check_stats(s, e) < 0)
		return -1;
	if (rows_are_sets(s->op, s->flags) && label(s, s->reply.n_sets, e) < 0)
		return -1;
	rows_of(&s->rows, &s->reply, s->op, s->flags);
	s->row += rows_are_sets(s->op, s->flags) && s->op != OP_TICK ? s->reply.n_sets : 0;
	return 1;
}
