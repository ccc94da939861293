#include "lib/codec_gate.h"
#include "lib/num.h"

#include <math.h>
#include <stdio.h>

#define BIT(part) ((uint32_t)1 << (part))

/* The part of that name, or -1. */
static int part_named(const char *s, size_t n)
{
	for (int i = 0; i < ROWS_PARTS; i++) {
		const char *name = rows_name((enum rows_part)i);

		if (strlen(name) == n && memcmp(name, s, n) == 0)
			return i;
	}
	return -1;
}

int gate_is_table(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] >= 0x80)
			return 0;
	return n > 0 && p[0] % 8 != 0;
}

const char *gate_not_compared(const unsigned char *p, size_t n)
{
	if (n == 4 && memcmp(p, "\x93NUM", 4) == 0)
		return "npy";
	return gate_is_table(p, n) && (*p == '[' || *p == '{') ? "JSON" : NULL;
}

/* Calls each for every cell of a line; the count, or -1 where each said so. */
typedef int each_cell(struct gate_side *s, size_t column, const char *cell, size_t n);

static int split(struct gate_side *s, const char *line, size_t n, each_cell *each)
{
	size_t column = 0, from = 0, i;

	for (i = 0; i <= n; i++) {
		if (i < n && line[i] != s->separator)
			continue;
		if (each(s, column++, line + from, i - from) < 0)
			return -1;
		from = i + 1;
	}
	return (int)column;
}

static int name_cell(struct gate_side *s, size_t column, const char *cell, size_t n)
{
	if (column >= sizeof s->column / sizeof *s->column)
		return -1;
	s->column[column] = part_named(cell, n);
	if (s->column[column] >= 0)
		s->has |= BIT(s->column[column]);
	return 0;
}

static int real_cell(const char *cell, size_t n, double *x)
{
	size_t used;

	if (n == 3 && memcmp(cell, "nan", 3) == 0)
		*x = NAN;
	else if (n == 3 && memcmp(cell, "inf", 3) == 0)
		*x = INFINITY;
	else if (n == 4 && memcmp(cell, "-inf", 4) == 0)
		*x = -INFINITY;
	else
		return num_parse(cell, n, x, &used) == NUM_OK && used == n ? 0 : -1;
	return 0;
}

static int value_cell(struct gate_side *s, size_t column, const char *cell, size_t n)
{
	int64_t v = 0;
	double x;
	int part;

	if (column >= s->n_columns)
		return -1;
	part = s->column[column];
	if (part < 0 || rows_is_stamp((enum rows_part)part))
		return 0;
	if (rows_type((enum rows_part)part) == ROWS_I64) {
		s->cell[part] = num_parse_i64(cell, n, &v) == NUM_OK ? (uint64_t)v : 0;
		return num_parse_i64(cell, n, &v) == NUM_OK ? 0 : -1;
	}
	if (real_cell(cell, n, &x) < 0)
		return -1;
	memcpy(&s->cell[part], &x, sizeof x);
	return 0;
}

/* The next line without its end; 0 where there is none. */
static int next_line(struct gate_side *s, const char **line, size_t *n)
{
	const char *p = (const char *)s->table.p + s->at, *end;
	size_t left = s->table.len - s->at;

	if (left == 0)
		return 0;
	end = memchr(p, '\n', left);
	*line = p;
	*n = end ? (size_t)(end - p) : left;
	s->at += *n + (end != NULL);
	s->line++;
	if (*n && p[*n - 1] == '\r')
		--*n;
	return 1;
}

/* The line of names: the first that holds a result's, a # before it or not. */
static int read_names(struct gate_side *s, struct err *e)
{
	const char *line;
	size_t n;
	int columns;

	while (next_line(s, &line, &n)) {
		while (n && (*line == '#' || *line == ' ')) {
			line++;
			n--;
		}
		s->has = 0;
		s->separator = memchr(line, '\t', n) ? '\t' : ',';
		columns = split(s, line, n, name_cell);
		if (columns > 0 && s->has & ~(BIT(ROWS_PNL) - 1)) {
			s->n_columns = (size_t)columns;
			return 0;
		}
	}
	return err_set(e, STATUS_INPUT,
	    "%s: no line of column names with pnl and trades in it: neither replies nor a table "
	    "that unframe -f tsv or csv wrote",
	    s->name);
}

static int next_of_table(struct gate_side *s, struct err *e)
{
	const char *line;
	size_t n;
	char quoted[120];

	if (s->n_columns == 0 && read_names(s, e) < 0)
		return -1;
	do
		if (!next_line(s, &line, &n))
			return 0;
	while (n == 0 || *line == '#');
	if (split(s, line, n, value_cell) == (int)s->n_columns)
		return 1;
	err_quote(quoted, sizeof quoted, line, n);
	return err_set(e, STATUS_INPUT, "%s: line %zu: '%s' is no row of %zu column%s", s->name,
	    s->line, quoted, s->n_columns, err_plural(s->n_columns));
}

static int next_of_replies(struct gate_side *s, struct err *e)
{
	struct rows *r = &s->replies->rows;
	size_t i;

	while (s->has == 0 || s->at >= r->n_rows) {
		int got = reply_stream_next(s->replies, e);

		if (got <= 0)
			return got;
		s->at = 0;
		s->has = 0;
		for (i = 0; i < r->n_columns; i++)
			if (!rows_is_stamp(r->columns[i]))
				s->has |= BIT(r->columns[i]);
	}
	for (i = 0; i < r->n_columns; i++)
		s->cell[r->columns[i]] = rows_cell(r, s->at, r->columns[i]);
	s->at++;
	return 1;
}

static int next_row(struct gate_side *s, struct err *e)
{
	return s->replies ? next_of_replies(s, e) : next_of_table(s, e);
}

static int equal(const struct gate *g, enum rows_part part, uint64_t a, uint64_t b, double *by)
{
	double x = get_f64(&a), y = get_f64(&b);

	if (a == b)
		return 1;
	if (rows_type(part) == ROWS_I64) {
		*by = (double)((int64_t)a > (int64_t)b ? a - b : b - a);
		return 0;
	}
	*by = fabs(x - y);
	if (isnan(x) && isnan(y))
		return 1;
	return !g->exact && (x == y || *by <= g->tolerance);
}

static void show(char *dst, enum rows_part part, uint64_t bits)
{
	if (rows_type(part) == ROWS_I64)
		snprintf(dst, NUM_MAX + 1, "%lld", (long long)bits);
	else
		dst[num_format(dst, get_f64(&bits))] = '\0';
}

/* `set 3 (length 11)`, `close 17`: which row it is. */
static void name_row(char *dst, size_t cap, const struct gate *g, const struct gate_side *a,
    const struct gate_side *b)
{
	const struct gate_side *by = a->has & BIT(ROWS_LENGTH) ? a : b;
	const char *what = a->has & BIT(ROWS_PNL)     ? "set"
			   : a->has & BIT(ROWS_CLOSE) ? "close"
						      : "row";

	if (by->has & BIT(ROWS_LENGTH) && by->cell[ROWS_LENGTH])
		snprintf(dst, cap, "%s %llu (length %lld)", what, (unsigned long long)g->rows,
		    (long long)by->cell[ROWS_LENGTH]);
	else
		snprintf(dst, cap, "%s %llu", what, (unsigned long long)g->rows);
}

static int differ(const struct gate *g, const struct gate_side *a, const struct gate_side *b,
    enum rows_part part, double by, struct err *e)
{
	char row[80], x[NUM_MAX + 1], y[NUM_MAX + 1], d[NUM_MAX + 1], t[NUM_MAX + 1];
	int loose = !g->exact && rows_type(part) == ROWS_F64;

	name_row(row, sizeof row, g, a, b);
	show(x, part, a->cell[part]);
	show(y, part, b->cell[part]);
	d[num_format(d, by)] = '\0';
	if (rows_type(part) == ROWS_I64)
		snprintf(d, sizeof d, "%.0f", by);
	t[num_format(t, g->tolerance)] = '\0';
	return err_set(e, STATUS_DIFFER, "%s: %s: %s in %s, %s in %s: they differ by %s%s%s", row,
	    rows_name(part), x, a->name, y, b->name, d, loose ? ", more than " : "",
	    loose ? t : "");
}

static int compare_row(
    const struct gate *g, const struct gate_side *a, const struct gate_side *b, struct err *e)
{
	uint32_t both = a->has & b->has & ~BIT(ROWS_SET);
	double by = 0;

	/* What the pair lacks but one result in common is no comparison at all. */
	if (!(both & ~(BIT(ROWS_PNL) - 1)))
		return err_set(
		    e, STATUS_INPUT, "%s and %s have no result column in common", a->name, b->name);
	for (int i = 0; i < ROWS_STAMP; i++)
		if (both & BIT(i) && !equal(g, (enum rows_part)i, a->cell[i], b->cell[i], &by))
			return differ(g, a, b, (enum rows_part)i, by, e);
	return 0;
}

int gate_compare(struct gate *g, struct gate_side *a, struct gate_side *b, struct err *e)
{
	for (g->rows = 0;;) {
		int more_a = next_row(a, e), more_b = more_a < 0 ? -1 : next_row(b, e);

		if (more_a < 0 || more_b < 0)
			return -1;
		if (more_a != more_b)
			return err_set(e, STATUS_DIFFER, "%s ends after %llu row%s, %s has more",
			    more_a ? b->name : a->name, (unsigned long long)g->rows,
			    err_plural(g->rows), more_a ? a->name : b->name);
		if (!more_a)
			return 0;
		g->rows++;
		if (compare_row(g, a, b, e) < 0)
			return -1;
	}
}
