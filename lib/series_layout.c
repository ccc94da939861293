#include "lib/series_layout.h"
#include "lib/num.h"
#include "lib/series_price.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef unsigned long long ull;

static const char *const close_names[] = {"close", "<CLOSE>", "Zamkniecie", "Price", NULL};
static const char *const ticker_names[] = {"symbol", "ticker", "<TICKER>", "tic", "sym", "name",
    "instrument", "stock", "asset", "pair", "isin", "figi", "ric", "cusip", "secid", "permno",
    "instrument_id", NULL};
/* Those that say date and time first; the last is pandas' unnamed index. */
static const char *const time_names[] = {"unix", "timestamp", "ts_event", "open_time", "open time",
    "datetime", "date time", "<DATETIME>", "gmt time", "local time", "date", "<DATE>", "data",
    "<DTYYYYMMDD>", "time", "", NULL};
static const char *const date_names[] = {"date", "<DATE>", "data", "<DTYYYYMMDD>", NULL};
static const char *const clock_names[] = {"time", "<TIME>", "czas", NULL};

static size_t rank(const char *const *names, const char *name)
{
	for (size_t i = 0; names[i]; i++)
		if (strcasecmp(names[i], name) == 0)
			return i + 1;
	return 0;
}

size_t series_names_ticker(const char *name)
{
	return rank(ticker_names, name);
}

size_t series_names_time(const char *name)
{
	return rank(time_names, name);
}

size_t series_names_date(const char *name)
{
	return rank(date_names, name);
}

size_t series_names_clock(const char *name)
{
	return rank(clock_names, name);
}

void series_layout_begin(struct series_layout *l, const struct series_options *o)
{
	static const struct series_preset none;

	*l = (struct series_layout){.options = o};
	l->preset = o->preset ? series_preset(o->preset) : NULL;
	if (!l->preset)
		l->preset = &none;
	l->delimiter = o->delimiter ? o->delimiter : l->preset->delimiter;
	l->decimal = o->decimal ? o->decimal : '.';
	l->thousands = o->thousands ? o->thousands : l->preset->thousands;
	if (l->thousands == l->decimal) /* the preset's: such files swap the two */
		l->thousands = '.';
}

/* A cell that is a value: a number, or the words that stand for none. */
static int is_value(const struct series_layout *l, const struct series_field *f)
{
	static const struct series_scale as_is = {.by = 1};
	double x;

	return f->n && series_price_parse(f, l->decimal, l->thousands, &as_is, &x) <= PRICE_RANGE;
}

/* No cell is a value; or pandas' header of unnamed columns: nothing, then 0, 1, ... */
static int is_header(const struct series_layout *l, const struct series_row *row)
{
	int plain = 1, pandas = row->n > 1 && row->field[0].n == 0;
	char index[24];

	for (size_t i = 0; i < row->n; i++) {
		plain &= !is_value(l, &row->field[i]);
		snprintf(index, sizeof index, "%zu", i - 1);
		pandas &= i == 0 || series_field_is(&row->field[i], index);
	}
	return plain || pandas;
}

/* The column of the first of the names that a cell has; *twice: two cells have it. */
static size_t find(const struct series_row *row, const char *const *names, int *twice)
{
	for (; *names; names++) {
		size_t found = 0;

		for (size_t i = row->n; i-- > 0;) {
			if (!series_field_is(&row->field[i], *names))
				continue;
			*twice = found != 0;
			found = i + 1;
		}
		if (found)
			return found;
	}
	return 0;
}

/* --column N: N; otherwise 0. */
static size_t column_number(const char *column)
{
	uint64_t n;

	if (!column || num_parse_u64(column, strlen(column), &n) != NUM_OK || n > SERIES_FIELDS)
		return 0;
	return (size_t)n;
}

/* The first few names of a header, for a message. */
static char *list(char *dst, size_t cap, const struct series_row *row)
{
	char quoted[40];
	size_t have = 0;

	*dst = '\0';
	for (size_t i = 0; i < row->n && i < 8 && have + 50 < cap; i++) {
		err_quote(quoted, sizeof quoted, row->field[i].p, row->field[i].n);
		have += (size_t)snprintf(dst + have, cap - have, "%s%s", i ? ", " : "", quoted);
	}
	if (row->n > 8)
		snprintf(dst + have, cap - have, ", ...");
	return dst;
}

/* The beginning of HTML or XML, which is what a failed download leaves. */
static int is_page(const struct series_field *f)
{
	return f->n >= 2 && f->p[0] == '<' &&
	       (f->p[1] == '!' || f->p[1] == '?' || (f->n >= 5 && !strncasecmp(f->p, "<html", 5)));
}

static int no_close(const struct series_row *row, const char *name, ull line, struct err *e)
{
	char names[420];

	list(names, sizeof names, row);
	if (row->n == 1 &&
	    (strncasecmp(row->field->p, "http", row->field->n < 4 ? row->field->n : 4) == 0))
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: an address stands before the header: --preset cdd", name, line);
	if (row->field->n >= 4 && strncasecmp(row->field->p, "sep=", 4) == 0)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: a line for Excel stands before the header: remove it (sed 1d)",
		    name, line);
	if (memchr(row->field->p, '\r', row->field->n))
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: the lines end as on old Macs: try tr '\\r' '\\n'", name, line);
	if (is_page(row->field))
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: '%s' looks like a web page (HTML), not prices: download it "
		    "again",
		    name, line, names);
	return err_set(e, STATUS_INPUT,
	    "%s: line %llu: no column is called close, <CLOSE>, Zamkniecie or Price (here: %s): "
	    "--column N|NAME picks one",
	    name, line, names);
}

static int by_header(struct series_layout *l, const struct series_row *row, const char *name,
    uint64_t line, struct err *e)
{
	const char *const *names = close_names;
	const char *own[2] = {l->options->column, NULL};
	size_t number = column_number(own[0]), date;
	int twice = 0, ignored = 0;
	char quoted[80], all[420];

	if (own[0])
		names = own;
	l->close = number ? number : find(row, names, &twice);
	if (!l->close && !own[0])
		return no_close(row, name, line, e);
	if (!l->close)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: no column is called '%s' (here: %s): see --column", name,
		    (ull)line, err_quote(quoted, sizeof quoted, own[0], strlen(own[0])),
		    list(all, sizeof all, row));
	if (twice)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: several columns are called '%s' (several tickers?): --column N",
		    name, (ull)line,
		    err_quote(quoted, sizeof quoted, row->field[l->close - 1].p,
			row->field[l->close - 1].n));
	l->ticker = find(row, ticker_names, &ignored);
	l->time = l->preset->time ? l->preset->time : find(row, time_names, &ignored);
	date = find(row, date_names, &ignored);
	l->clock = date && date == l->time ? find(row, clock_names, &ignored) : 0;
	l->clock_digits = 1;
	return 1;
}

static int by_number(struct series_layout *l, const struct series_row *row, const char *name,
    uint64_t line, struct err *e)
{
	const char *column = l->options->column;
	char quoted[80];

	if (column && !column_number(column))
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: no header to look for '%s' in: --column N", name, (ull)line,
		    err_quote(quoted, sizeof quoted, column, strlen(column)));
	if (l->options->preset && !l->preset->headless)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: '%s' is no header, which files of %s have", name, (ull)line,
		    err_quote(quoted, sizeof quoted, row->field[0].p, row->field[0].n),
		    l->preset->name);
	l->close = column ? column_number(column) : row->n == 1 ? 1 : l->preset->close;
	if (!l->close)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: %zu columns and no header: --column N or --preset says which "
		    "is the close%s",
		    name, (ull)line, row->n,
		    row->n == 2 && l->delimiter == ',' ? "; or is it a decimal comma (--decimal ,)?"
						       : "");
	l->time = l->preset->time ? l->preset->time : l->close > 1;
	l->clock = l->preset->time ? l->preset->clock : l->close > 2 ? 2 : 0;
	return 0;
}

int series_layout_row(const struct series_layout *l, const char *name, uint64_t line,
    const char *text, size_t n, struct series_row *row, struct err *e)
{
	enum series_split how = series_fields(row, text, n, l->delimiter);

	if (how == SPLIT_QUOTE)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu, column %zu: a quote is not closed, or text follows it", name,
		    (ull)line, row->n + 1);
	if (how == SPLIT_MANY)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: more than %d columns: see --delimiter", name, (ull)line,
		    SERIES_FIELDS);
	if (l->columns && row->n != l->columns)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: %zu column%s where the first line has %zu: mend the line, or "
		    "see "
		    "--delimiter and --decimal",
		    name, (ull)line, row->n, err_plural(row->n), l->columns);
	return 0;
}

int series_layout_first(struct series_layout *l, const char *name, uint64_t line, const char *text,
    size_t n, struct series_row *row, struct err *e)
{
	int header;

	if (!l->delimiter) {
		l->delimiter = series_find_delimiter(text, n);
		if (l->delimiter == l->decimal)
			l->delimiter = '\0';
	}
	if (series_layout_row(l, name, line, text, n, row, e) < 0)
		return -1;
	if (l->preset->columns && row->n != l->preset->columns)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: %zu column%s where files of %s have %u: another --preset, or "
		    "--column N",
		    name, (ull)line, row->n, err_plural(row->n), l->preset->name,
		    l->preset->columns);
	header = is_header(l, row);
	if ((header ? by_header : by_number)(l, row, name, line, e) < 0)
		return -1;
	if (l->close > row->n)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: %zu column%s: there is no column %zu", name, (ull)line, row->n,
		    err_plural(row->n), l->close);
	if (l->options->ticker && !l->ticker)
		return err_set(e, STATUS_INPUT, "%s: line %llu: no column of tickers for --ticker",
		    name, (ull)line);
	if (header)
		err_quote(l->close_name, sizeof l->close_name, row->field[l->close - 1].p,
		    row->field[l->close - 1].n);
	l->columns = row->n;
	return header;
}
