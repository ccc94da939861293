#include "lib/series_json.h"
#include "lib/codec_json.h"
#include "lib/series_layout.h"
#include "lib/series_ticker.h"
#include "lib/series_time.h"

/* A document being read. */
struct document {
	struct series *s;
	struct series_order order;
	struct series_ticker ticker;
	int tickers; /* bars have them */
};

static size_t rank(enum codec_json_part part, const char *key)
{
	return part == CODEC_TIME    ? series_names_time(key)
	       : part == CODEC_CLOCK ? series_names_clock(key)
				     : series_names_ticker(key);
}

static int has_clock(const char *time_key)
{
	return series_names_date(time_key) > 0;
}

/* A value as a cell of text; what is neither string nor number is an empty one. */
static size_t cell(const struct codec_json_member *m, char *dst, size_t cap)
{
	size_t n;

	*dst = '\0';
	if (m->token != JSON_STRING && m->token != JSON_NUMBER)
		return 0;
	n = json_text(&m->at, dst, cap);
	return n < cap ? n : cap - 1;
}

static int own_ticker(struct document *d, const struct codec_json_member *m,
    const struct codec_json_member *close, struct err *e)
{
	const char *wanted = d->s->options.ticker;
	char text[256];
	size_t n, line, column;
	int own;

	if (m->token == JSON_END && !d->tickers)
		return wanted ? json_fail(&close->at, e, "the bar has no ticker for --ticker") : 1;
	d->tickers = 1;
	n = cell(m, text, sizeof text);
	own = series_ticker_row(&d->ticker, wanted, text, n);
	if (own >= 0)
		return own;
	json_where(m->token == JSON_END ? &close->at : &m->at, &line, &column);
	return series_ticker_refuse(&d->ticker, text, n, d->s->in.name, line, column, e);
}

static int bar(void *user, const struct codec_json_member *parts,
    const struct codec_json_member *close, struct err *e)
{
	struct document *d = user;
	const struct codec_json_member *time = &parts[CODEC_TIME];
	char text[80], clock[80];
	int own = own_ticker(d, &parts[CODEC_TICKER], close, e);

	if (own <= 0 || time->token == JSON_END || d->s->options.unordered)
		return own;
	series_order_row(&d->order, (uint64_t)(time->at.token - time->at.start), text,
	    cell(time, text, sizeof text), clock, cell(&parts[CODEC_CLOCK], clock, sizeof clock));
	return 1;
}

int series_json_read(struct series *s, int *turn, struct err *e)
{
	struct buf text = {0};
	struct document d = {.s = s};
	const struct codec_json_bars bars = {rank, has_clock, bar, &d};
	double *x;
	int bad = series_input_all(&s->in, &text, e);

	d.order.text = (const char *)text.p;
	if (!bad)
		bad = codec_json_closes_of(&s->closes, s->in.name, s->options.column, text.p,
		    text.len, series_judge, &s->options.policy, &bars, e);
	if (!bad && s->options.ticker && s->closes.len && !d.tickers)
		bad = err_set(
		    e, STATUS_INPUT, "%s: numbers alone have no ticker for --ticker", s->in.name);
	if (!bad)
		bad = series_order_end(&d.order, s->in.name, s->options.reverse ? 2 : 0, turn, e);
	buf_free(&text);
	x = (double *)(void *)s->closes.p;
	for (size_t i = 0; !bad && s->options.scale != 1 && i < s->closes.len / sizeof *x; i++)
		x[i] = series_scaled(&s->scale, x[i]);
	return bad;
}
