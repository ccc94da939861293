#include "lib/report.h"
#include "lib/num.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const report_format_names[] = {"table", "tsv", "csv", "json", "markdown", NULL};

static int keeps(const struct report *r)
{
	return r->format == REPORT_TABLE || r->format == REPORT_MARKDOWN;
}

static void names_line(struct report *r)
{
	for (size_t i = 0; i < r->n_columns; i++) {
		out_str(r->out, r->names[i]);
		out_str(r->out, i + 1 == r->n_columns     ? "\n"
				: r->format == REPORT_CSV ? ","
							  : "\t");
	}
}

void report_begin(struct report *r, enum report_format f, struct out *o, struct json_writer *json,
    const char *const *names, size_t n)
{
	*r = (struct report){.format = f, .out = o, .json = json, .names = names, .n_columns = n};
	if (f == REPORT_JSON)
		json_put_array(json);
	else if (!keeps(r))
		names_line(r);
}

static void before(struct report *r)
{
	if (r->format != REPORT_JSON)
		return;
	if (r->column == 0)
		json_put_object(r->json);
	json_put_key(r->json, r->names[r->column]);
}

static void after(struct report *r)
{
	int last = ++r->column == r->n_columns;

	if (r->format == REPORT_JSON && last)
		json_put_close(r->json);
	if (r->format == REPORT_TSV || r->format == REPORT_CSV)
		out_str(r->out, last ? "\n" : r->format == REPORT_CSV ? "," : "\t");
	if (last) {
		r->column = 0;
		r->rows++;
	}
}

/* A cell as text, for every format but JSON. */
static void cell(struct report *r, const char *s, size_t n, int left)
{
	unsigned char flush = (unsigned char)left;

	if (!keeps(r))
		out_put(r->out, s, n);
	else if (buf_append(&r->text, s, n) < 0 || buf_append(&r->text, "", 1) < 0 ||
		 buf_append(&r->starts, &flush, 1) < 0)
		r->error = errno;
}

void report_i64(struct report *r, int64_t v)
{
	char s[NUM_MAX];

	before(r);
	if (r->format == REPORT_JSON)
		json_put_i64(r->json, v);
	else
		cell(r, s, (size_t)snprintf(s, sizeof s, "%lld", (long long)v), 0);
	after(r);
}

void report_u64(struct report *r, uint64_t v)
{
	char s[NUM_MAX];

	before(r);
	if (r->format == REPORT_JSON)
		json_put_u64(r->json, v);
	else
		cell(r, s, (size_t)snprintf(s, sizeof s, "%llu", (unsigned long long)v), 0);
	after(r);
}

void report_real(struct report *r, double x)
{
	char s[NUM_MAX];

	before(r);
	if (r->format == REPORT_JSON)
		json_put_double(r->json, x);
	else
		cell(r, s, num_format(s, x), 0);
	after(r);
}

void report_fixed(struct report *r, double x, int decimals)
{
	char s[400];
	int n;

	if (!isfinite(x)) {
		report_null(r);
		return;
	}
	before(r);
	n = snprintf(s, sizeof s, "%.*f", decimals, x);
	/* The locale is the tool's, and tools never set one: the point is a point. */
	if (r->format == REPORT_JSON) {
		size_t used;

		num_parse(s, (size_t)n, &x, &used);
		json_put_double(r->json, x);
	} else {
		cell(r, s, (size_t)n, 0);
	}
	after(r);
}

static void quoted(struct report *r, const char *s)
{
	out_str(r->out, "\"");
	for (; *s; s++)
		out_put(r->out, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
	out_str(r->out, "\"");
}

void report_text(struct report *r, const char *s)
{
	size_t from;

	before(r);
	if (r->format == REPORT_JSON) {
		json_put_str(r->json, s);
	} else if (r->format == REPORT_CSV) {
		if (strpbrk(s, ",\"\r\n"))
			quoted(r, s);
		else
			out_str(r->out, s);
	} else {
		char line[1024];

		snprintf(line, sizeof line, "%s", s);
		for (from = 0; line[from]; from++)
			if (strchr("\t\r\n", line[from]))
				line[from] = ' ';
		cell(r, line, from, 1);
	}
	after(r);
}

void report_null(struct report *r)
{
	before(r);
	if (r->format == REPORT_JSON)
		json_put_null(r->json);
	else
		cell(r, "-", 1, 0);
	after(r);
}

void report_maybe(struct report *r, int known, uint64_t v)
{
	if (known)
		report_u64(r, v);
	else
		report_null(r);
}

static void pad(struct out *o, size_t n)
{
	while (n--)
		out_str(o, " ");
}

/* Width of every column, and whether all its cells are flush left. */
static void measure(const struct report *r, size_t *width, int *left)
{
	const char *s = (const char *)r->text.p;
	size_t i;

	for (i = 0; i < r->n_columns; i++) {
		width[i] = strlen(r->names[i]);
		left[i] = 0;
	}
	for (i = 0; i < r->starts.len; i++) {
		size_t n = strlen(s), c = i % r->n_columns;

		if (n > width[c])
			width[c] = n;
		left[c] |= r->starts.p[i];
		s += n + 1;
	}
}

static void put_aligned(struct report *r, size_t c, const char *s, size_t width, int left)
{
	int bars = r->format == REPORT_MARKDOWN, last = c + 1 == r->n_columns;
	size_t fill = width - strlen(s);

	if (bars && c == 0)
		out_str(r->out, "| ");
	pad(r->out, left ? 0 : fill);
	out_str(r->out, s);
	pad(r->out, left && (bars || !last) ? fill : 0);
	out_str(r->out, bars ? (last ? " |\n" : " | ") : last ? "\n" : "  ");
}

static void write_aligned(struct report *r)
{
	size_t width[REPORT_COLUMNS], c, i;
	int left[REPORT_COLUMNS];
	const char *s = (const char *)r->text.p;

	measure(r, width, left);
	for (c = 0; c < r->n_columns; c++)
		put_aligned(r, c, r->names[c], width[c], left[c]);
	for (c = 0; r->format == REPORT_MARKDOWN && c < r->n_columns; c++)
		out_printf(r->out, "%s %s%s", c ? " |" : "|",
		    left[c] ? "---" : "--:", c + 1 == r->n_columns ? " |\n" : "");
	for (i = 0; i < r->starts.len; i++) {
		c = i % r->n_columns;
		put_aligned(r, c, s, width[c], left[c]);
		s += strlen(s) + 1;
	}
}

/* Writes and frees what was kept. */
static int flush(struct report *r, struct err *e)
{
	int bad = 0;

	errno = r->error;
	if (r->error)
		bad = err_errno(e, "table");
	else if (keeps(r))
		write_aligned(r);
	buf_free(&r->text);
	buf_free(&r->starts);
	return bad;
}

int report_columns(struct report *r, const char *const *names, size_t n, struct err *e)
{
	int first = r->n_columns == 0, bad = first ? 0 : flush(r, e);

	if (!first && r->format != REPORT_JSON)
		out_str(r->out, "\n");
	r->names = names;
	r->n_columns = n;
	if (r->format != REPORT_JSON && !keeps(r))
		names_line(r);
	return bad;
}

int report_end(struct report *r, struct err *e)
{
	if (r->format == REPORT_JSON)
		json_put_close(r->json);
	return flush(r, e);
}
