/* Results as tables: one a suite, with the columns that its rows fill. */
#include "cmd/probe.h"
#include "lib/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The columns of one suite's table; names points into text or at constants. */
struct columns {
	const char *name[REPORT_COLUMNS];
	char text[REPORT_COLUMNS][48];
	size_t n;
	const char *label[ROW_LABELS], *extra[ROW_EXTRAS];
	size_t n_labels, n_extras;
	const char *unit; /* of all rows, or NULL: they differ and have a column */
	int percentile[ROW_PERCENTILES], ratio, published, note, any;
};

static void add_once(const char **list, size_t *n, size_t cap, const char *key)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(list[i], key) == 0)
			return;
	if (*n < cap)
		list[(*n)++] = key;
}

static void survey_row(struct columns *c, const struct row *row)
{
	for (size_t i = 0; i < row->n_labels; i++)
		add_once(c->label, &c->n_labels, ROW_LABELS, row->label[i].key);
	for (size_t i = 0; i < row->n_extras; i++)
		add_once(c->extra, &c->n_extras, ROW_EXTRAS, row->extra[i].key);
	for (int i = 0; i < ROW_PERCENTILES; i++)
		c->percentile[i] |= row->has_percentile[i];
	c->ratio |= row->ratio_to[0] != '\0';
	c->published |= row->published[0] != '\0';
	c->note |= row->why[0] != '\0' || row->state != ROW_MEASURED;
	if (!c->any)
		c->unit = row->unit;
	else if (c->unit && strcmp(c->unit, row->unit) != 0)
		c->unit = NULL;
	c->any = 1;
}

static void add(struct columns *c, const char *what, const char *unit)
{
	if (c->n == REPORT_COLUMNS)
		return;
	snprintf(c->text[c->n], sizeof c->text[0], unit ? "%s_%s" : "%s", what, unit);
	c->name[c->n] = c->text[c->n];
	c->n++;
}

static void survey(struct columns *c, const struct result *r, const char *suite, int with_suite)
{
	memset(c, 0, sizeof *c);
	for (size_t i = 0; i < r->n_rows; i++)
		if (strcmp(r->row[i]->suite, suite) == 0)
			survey_row(c, r->row[i]);
	if (with_suite)
		add(c, "suite", NULL);
	add(c, "row", NULL);
	for (size_t i = 0; i < c->n_labels; i++)
		add(c, c->label[i], NULL);
	if (!c->unit)
		add(c, "unit", NULL);
	add(c, "n", NULL);
	add(c, "median", c->unit);
	add(c, "min", c->unit);
	add(c, "max", c->unit);
	for (int i = 0; i < ROW_PERCENTILES; i++)
		if (c->percentile[i])
			add(c, row_percentile_names[i], c->unit);
	if (c->ratio) {
		add(c, "ratio", NULL);
		add(c, "low", NULL);
		add(c, "high", NULL);
		add(c, "ratio_to", NULL);
	}
	for (size_t i = 0; i < c->n_extras; i++)
		add(c, c->extra[i], NULL);
	if (c->published)
		add(c, "published", NULL);
	if (c->note)
		add(c, "note", NULL);
}

/* Nanoseconds and counts are whole; small figures keep four significant digits. */
static void cell(struct report *t, int known, double x)
{
	double size = fabs(x);

	if (!known || !isfinite(x))
		report_null(t);
	else if (size >= 1000 || x == 0)
		report_fixed(t, x, 0);
	else
		report_fixed(t, x, size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 6);
}

static void text_cell(struct report *t, const char *s)
{
	if (*s)
		report_text(t, s);
	else
		report_null(t);
}

static void ratio_cells(struct report *t, const struct row *row)
{
	int known = row->ratio_to[0] && row->ratio.n;

	cell(t, known, row->ratio.ratio);
	cell(t, known && row->ratio.has_interval, row->ratio.low);
	cell(t, known && row->ratio.has_interval, row->ratio.high);
	text_cell(t, row->ratio_to);
}

static void put_note(struct report *t, const struct row *row)
{
	char note[300];

	snprintf(note, sizeof note, "%s%s",
	    row->state == ROW_SKIPPED  ? "skipped: "
	    : row->state == ROW_FAILED ? "failed: "
				       : "",
	    row->why);
	text_cell(t, note);
}

static void put_row(
    struct report *t, const struct columns *c, const struct row *row, int with_suite)
{
	if (with_suite)
		report_text(t, row->suite);
	report_text(t, row->name);
	for (size_t i = 0; i < c->n_labels; i++)
		text_cell(t, row_label_of(row, c->label[i]));
	if (!c->unit)
		report_text(t, row->unit);
	report_u64(t, row->n);
	cell(t, row->n != 0, row->median);
	cell(t, row->n != 0, row->min);
	cell(t, row->n != 0, row->max);
	for (int i = 0; i < ROW_PERCENTILES; i++)
		if (c->percentile[i])
			cell(t, row->has_percentile[i], row->percentile[i]);
	if (c->ratio)
		ratio_cells(t, row);
	for (size_t i = 0; i < c->n_extras; i++)
		cell(t, 1, row_extra_of(row, c->extra[i]));
	if (c->published)
		text_cell(t, row->published);
	if (c->note)
		put_note(t, row);
}

static void put_table(
    const struct result *r, const char *suite, enum report_format f, struct out *o)
{
	static struct columns c;
	int with_suite = f == REPORT_TSV;
	struct report t;
	struct err e;

	survey(&c, r, suite, with_suite);
	report_begin(&t, f, o, NULL, c.name, c.n);
	for (size_t i = 0; i < r->n_rows; i++)
		if (strcmp(r->row[i]->suite, suite) == 0)
			put_row(&t, &c, r->row[i], with_suite);
	/* Memory is all that can fail; the table's end is then missing, which out must know. */
	if (report_end(&t, &e) < 0 && !o->error)
		o->error = ENOMEM;
}

/* The suite of row i, when it is the first of its suite. */
static const char *opens_suite(const struct result *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(r->row[k]->suite, r->row[i]->suite) == 0)
			return NULL;
	return r->row[i]->suite;
}

static void put_conditions(const struct result *r, struct out *o, const char *bullet)
{
	out_printf(o, "%sworkload: %s%s\n", bullet, r->workload.len ? (char *)r->workload.p : "",
	    r->quick ? " (--quick)" : "");
	if (r->interrupted)
		out_printf(o, "%sinterrupted: what follows is partial\n", bullet);
	for (size_t i = 0; i < r->n_host; i++)
		out_printf(o, "%s%s: %s\n", bullet, r->host[i].key, r->host[i].text);
}

void result_write_tsv(const struct result *r, struct out *o)
{
	put_conditions(r, o, "# ");
	for (size_t i = 0; i < r->n_rows; i++)
		if (opens_suite(r, i))
			put_table(r, r->row[i]->suite, REPORT_TSV, o);
}

void result_write_text(const struct result *r, struct out *o)
{
	put_conditions(r, o, "");
	for (size_t i = 0; i < r->n_rows; i++)
		if (opens_suite(r, i)) {
			out_printf(o, "\n%s%s\n", r->row[i]->suite, r->quick ? " (quick)" : "");
			put_table(r, r->row[i]->suite, REPORT_TABLE, o);
		}
}

void result_write_markdown(const struct result *r, struct out *o)
{
	put_conditions(r, o, "- ");
	for (size_t i = 0; i < r->n_rows; i++)
		if (opens_suite(r, i)) {
			out_printf(
			    o, "\n## %s%s\n\n", r->row[i]->suite, r->quick ? " (quick)" : "");
			put_table(r, r->row[i]->suite, REPORT_MARKDOWN, o);
		}
}
