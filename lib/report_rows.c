#include "lib/report_rows.h"
#include "lib/codec_npy.h"
#include "lib/num.h"

#include <math.h>
#include <stdio.h>

void report_rows_begin(
    struct report_rows *k, struct out *o, enum rows_format format, enum report_format text)
{
	*k = (struct report_rows){.out = o, .format = format};
	k->report.format = text;
	if (format != ROWS_AS_TEXT)
		return;
	json_to_out(&k->json, o, 1);
	report_begin(&k->report, text, o, &k->json, NULL, 0);
}

/* The columns of a reply: those in force, or a new table. */
static int set_columns(struct report_rows *k, const struct rows *r, struct err *e)
{
	if (k->n_columns == r->n_columns &&
	    memcmp(k->columns, r->columns, r->n_columns * sizeof *r->columns) == 0)
		return 0;
	if (k->format == ROWS_AS_NPY && k->n_columns)
		return err_set(e, STATUS_INPUT,
		    "reply %llu has other columns than those before it: npy holds one table (try "
		    "-f json)",
		    (unsigned long long)k->replies);
	k->n_columns = r->n_columns;
	memcpy(k->columns, r->columns, r->n_columns * sizeof *r->columns);
	for (size_t i = 0; i < r->n_columns; i++)
		k->names[i] = rows_name(r->columns[i]);
	return k->format == ROWS_AS_NPY ? 0 : report_columns(&k->report, k->names, k->n_columns, e);
}

static int refuse_nonfinite(const struct rows *r, const struct reply_stream *s, struct err *e)
{
	char value[NUM_MAX + 1];

	for (size_t c = 0; c < r->n_columns; c++)
		for (size_t i = 0; i < r->n_rows; i++) {
			uint64_t bits = rows_cell(r, i, r->columns[c]);

			if (rows_type(r->columns[c]) != ROWS_F64 || isfinite(get_f64(&bits)))
				continue;
			value[num_format(value, get_f64(&bits))] = '\0';
			return err_set(e, STATUS_INPUT,
			    "%s: frame %llu: %s of row %zu is %s, which json cannot say "
			    "(--nan null writes null)",
			    s->in.name, (unsigned long long)s->in.number, rows_name(r->columns[c]),
			    i + 1, value);
		}
	return 0;
}

static int put_rows(struct report_rows *k, const struct reply_stream *s, struct err *e)
{
	const struct rows *r = &s->rows;

	if (r->n_columns == 0)
		return 0;
	if (set_columns(k, r, e) < 0)
		return -1;
	if (k->report.format == REPORT_JSON && !k->nan_null && refuse_nonfinite(r, s, e) < 0)
		return -1;
	for (size_t i = 0; i < r->n_rows; i++)
		for (size_t c = 0; c < r->n_columns; c++) {
			uint64_t bits = rows_cell(r, i, r->columns[c]);

			if (k->format == ROWS_AS_NPY) {
				if (buf_append(&k->data, &bits, sizeof bits) < 0)
					return err_errno(e, "%s", s->in.name);
			} else if (rows_type(r->columns[c]) == ROWS_F64) {
				report_real(&k->report, get_f64(&bits));
			} else {
				report_i64(&k->report, (int64_t)bits);
			}
		}
	k->rows += r->n_rows;
	return 0;
}

/* Lines of name TAB value: through as they stand, or as two columns. */
static int put_stats(struct report_rows *k, const struct reply *r, struct err *e)
{
	static const char *const names[] = {"name", "value"};
	const char *at = (const char *)r->text, *end = at + r->text_len;
	char line[1024];

	if (k->format == ROWS_AS_NPY)
		return err_set(e, STATUS_USAGE, "stats are text: use -f tsv, csv, json or raw");
	if (k->report.format == REPORT_TSV) {
		out_put(k->out, r->text, r->text_len);
		return 0;
	}
	if (report_columns(&k->report, names, 2, e) < 0)
		return -1;
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at)), *tab;
		size_t n = (size_t)((stop ? stop : end) - at);

		snprintf(
		    line, sizeof line, "%.*s", (int)(n < sizeof line ? n : sizeof line - 1), at);
		tab = strchr(line, '\t');
		if (tab)
			line[tab - line] = '\0';
		report_text(&k->report, line);
		report_text(&k->report, tab ? tab + 1 : "");
		at += n + 1;
	}
	k->n_columns = 0;
	return 0;
}

int report_rows_put(struct report_rows *k, const struct reply_stream *s, struct err *e)
{
	k->replies++;
	if (k->format == ROWS_AS_RAW) {
		out_put(k->out, s->in.body.p, s->in.body.len);
		return 0;
	}
	return s->op == OP_STATS ? put_stats(k, &s->reply, e) : put_rows(k, s, e);
}

int report_rows_end(struct report_rows *k, struct err *e)
{
	struct npy_field fields[ROWS_PARTS];
	struct buf head = {0};

	if (k->format == ROWS_AS_RAW)
		return 0;
	if (k->format != ROWS_AS_NPY)
		return report_end(&k->report, e);
	if (k->n_columns == 0)
		return err_set(e, STATUS_INPUT, "no rows: an npy file needs their columns");
	for (size_t i = 0; i < k->n_columns; i++)
		fields[i] = (struct npy_field){k->columns[i] == ROWS_CLOSE ? NULL : k->names[i],
		    rows_type(k->columns[i]) == ROWS_F64 ? "<f8" : "<i8"};
	if (codec_npy_head_write(&head, fields, k->n_columns, k->rows) < 0)
		return err_errno(e, "npy");
	out_put(k->out, head.p, head.len);
	out_put(k->out, k->data.p, k->data.len);
	buf_free(&head);
	buf_free(&k->data);
	return 0;
}
