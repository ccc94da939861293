#include "lib/series_text.h"
#include "lib/series_layout.h"
#include "lib/series_price.h"
#include "lib/series_ticker.h"
#include "lib/series_time.h"
#include "lib/mem.h"

#include <math.h>
#include <string.h>

typedef unsigned long long ull;

/* A file being read. */
struct text {
	struct series *s;
	struct series_layout layout;
	struct series_order order;
	struct series_row row;
	uint64_t line;
	int in_body;    /* a row of prices was seen */
	uint64_t blank; /* the first of the empty lines just before, 0: none */
	struct series_ticker ticker;
};

/* A value that is no plain price: kept, replaced or dropped (0), or refused (-1). */
static int odd(struct text *t, const struct series_field *f, uint64_t line, double x, struct err *e)
{
	struct buf *b = &t->s->closes;
	struct codec_odd o = {
	    .name = t->s->in.name,
	    .row = b->len / sizeof x + 1,
	    .line = (size_t)line,
	    .column = t->layout.close,
	    .text = f->n ? f->p : "",
	    .text_len = f->n,
	    .value = x,
	    .taken = (const double *)(const void *)b->p,
	    .n_taken = b->len / sizeof x,
	};
	enum codec_verdict v = series_judge(&t->s->options.policy, &o, e);

	if (v == CODEC_KEEP && buf_append(b, &o.value, sizeof o.value) < 0)
		return err_errno(e, "%s", t->s->in.name);
	return v == CODEC_REFUSE ? -1 : 0;
}

static int no_number(
    const struct text *t, const struct series_field *f, enum series_price how, struct err *e)
{
	const struct series_layout *l = &t->layout;
	char quoted[80];

	err_quote(quoted, sizeof quoted, f->p, f->n);
	return err_set(e, STATUS_INPUT, "%s: line %llu, column %zu%s%s%s: '%s' is %s",
	    t->s->in.name, (ull)t->line, l->close, *l->close_name ? " (" : "", l->close_name,
	    *l->close_name ? ")" : "", quoted,
	    how == PRICE_RANGE   ? "beyond the range of binary64"
	    : how == PRICE_COMMA ? "no plain number: a decimal comma (--decimal ,) or grouped "
				   "digits (--thousands C)?"
	    : series_field_is(&t->row.field[0], "Ticker")
		? "no number: one of three header rows? --preset yfinance"
		: "no number: see --column and --preset");
}

static int price(struct text *t, struct err *e)
{
	const struct series_layout *l = &t->layout;
	const struct series_field *f = &t->row.field[l->close - 1];
	enum series_price how;
	double x;

	if (l->preset->missing && series_field_is(f, l->preset->missing))
		return odd(t, f, t->line, NAN, e);
	how = series_price_parse(f, l->decimal, l->thousands, &t->s->scale, &x);
	if (how > PRICE_INFINITE)
		return no_number(t, f, how, e);
	if (how != PRICE_OK || !(x > 0))
		return odd(t, f, t->line, x, e);
	return buf_append(&t->s->closes, &x, sizeof x) < 0 ? err_errno(e, "%s", t->s->in.name) : 0;
}

/* 1: the row is the series'; 0: another ticker's, to be left out; -1 with *e. */
static int ticker(struct text *t, struct err *e)
{
	const struct series_field *f;
	int own;

	if (!t->layout.ticker)
		return 1;
	f = &t->row.field[t->layout.ticker - 1];
	own = series_ticker_row(&t->ticker, t->s->options.ticker, f->p, f->n);
	return own >= 0 ? own
			: series_ticker_refuse(&t->ticker, f->p, f->n, t->s->in.name,
			      (size_t)t->line, t->layout.ticker, e);
}

/* Empty lines are missing values where a line is a value; at the end they are nothing. */
static int blanks(struct text *t, struct err *e)
{
	int bad = 0;

	for (uint64_t k = t->blank; !bad && k && k < t->line; k++)
		if (t->layout.columns == 1 && t->in_body)
			bad = odd(t, &(struct series_field){"", 0}, k, NAN, e);
	t->blank = 0;
	return bad;
}

/* A further header row of the layouts that have several. */
static int is_head(const struct text *t)
{
	const struct series_field *f = t->row.field;

	return t->layout.preset->heads && !t->in_body &&
	       (series_field_is(f, "Ticker") || series_field_is(f, "Date") ||
		   series_field_is(f, "Datetime"));
}

static int body(struct text *t, struct err *e)
{
	const struct series_layout *l = &t->layout;
	const struct series_field *f = t->row.field;
	int own;

	if (is_head(t))
		return 0;
	if (blanks(t, e) < 0)
		return -1;
	t->in_body = 1;
	own = ticker(t, e);
	if (own <= 0)
		return own;
	if (l->time && !t->s->options.unordered)
		series_order_row(&t->order, t->line, f[l->time - 1].p, f[l->time - 1].n,
		    l->clock ? f[l->clock - 1].p : "", l->clock ? f[l->clock - 1].n : 0);
	return price(t, e);
}

static int is_blank(const char *p, size_t n)
{
	while (n && (*p == ' ' || *p == '\t')) {
		p++;
		n--;
	}
	return n == 0;
}

static int one_line(struct text *t, const char *p, size_t n, struct err *e)
{
	int header;

	if (t->line == 1 && n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
		p += 3;
		n -= 3;
	}
	if (t->line <= t->layout.preset->skip)
		return 0;
	if (is_blank(p, n)) {
		t->blank = t->blank ? t->blank : t->line;
		return 0;
	}
	if (t->layout.columns) {
		if (series_layout_row(&t->layout, t->s->in.name, t->line, p, n, &t->row, e) < 0)
			return -1;
		return body(t, e);
	}
	header = series_layout_first(&t->layout, t->s->in.name, t->line, p, n, &t->row, e);
	return header ? (header < 0 ? -1 : 0) : body(t, e);
}

static int read_lines(struct text *t, struct err *e)
{
	const char *p;
	size_t n;
	int more;

	while ((more = series_input_line(&t->s->in, &p, &n, t->line + 1, e)) > 0) {
		t->line++;
		if (one_line(t, p, n, e) < 0)
			return -1;
	}
	return more;
}

int series_text_read(struct series *s, int *turn, struct err *e)
{
	struct text *t = mem_alloc(sizeof *t);
	int bad, newest;

	if (!t)
		return err_errno(e, "%s", s->in.name);
	memset(t, 0, sizeof *t);
	t->s = s;
	series_layout_begin(&t->layout, &s->options);
	if (s->options.scale == 0)
		s->scale =
		    series_scale_of(t->layout.preset->scale > 0 ? t->layout.preset->scale : 1);
	newest = s->options.reverse ? 2 : t->layout.preset->newest_first;
	bad = read_lines(t, e);
	if (!bad)
		bad = series_order_end(&t->order, s->in.name, newest, turn, e);
	mem_free(t);
	return bad;
}
