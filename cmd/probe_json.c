/* Result files: JSON out, and back in; the schema is in ipcprobe(1). */
#include "cmd/probe.h"
#include "lib/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const state_names[] = {"measured", "skipped", "failed"};

static void put_named(struct json_writer *w, const char *what, const char *unit, double value)
{
	char key[64];

	snprintf(key, sizeof key, "%s_%s", what, unit);
	json_put_key(w, key);
	json_put_double(w, value);
}

static void put_string(struct json_writer *w, const char *key, const char *text)
{
	json_put_key(w, key);
	json_put_str(w, text);
}

static void put_number(struct json_writer *w, const char *key, double value)
{
	json_put_key(w, key);
	json_put_double(w, value);
}

static void put_statistics(struct json_writer *w, const struct row *row)
{
	put_string(w, "unit", row->unit);
	json_put_key(w, "n");
	json_put_u64(w, row->n);
	if (!row->n)
		return;
	put_named(w, "median", row->unit, row->median);
	put_named(w, "min", row->unit, row->min);
	put_named(w, "max", row->unit, row->max);
	if (!row->n_curve)
		return;
	for (int i = 0; i < ROW_PERCENTILES; i++)
		put_named(w, row_percentile_names[i], row->unit,
		    row->has_percentile[i] ? row->percentile[i] : (double)NAN);
	json_put_key(w, "curve");
	json_put_array(w);
	for (size_t i = 0; i < row->n_curve; i++) {
		json_put_array(w);
		json_put_doubles(w, row->curve + 2 * i, 2);
		json_put_close(w);
	}
	json_put_close(w);
}

static void put_row(struct json_writer *w, const struct row *row)
{
	json_put_object(w);
	put_string(w, "suite", row->suite);
	put_string(w, "row", row->name);
	put_string(w, "state", state_names[row->state]);
	for (size_t i = 0; i < row->n_labels; i++)
		put_string(w, row->label[i].key, row->label[i].text);
	put_statistics(w, row);
	if (row->ratio_to[0] && row->ratio.n) {
		put_string(w, "ratio_to", row->ratio_to);
		put_number(w, "ratio", row->ratio.ratio);
		put_number(w, "ratio_low", row->ratio.low);
		put_number(w, "ratio_high", row->ratio.high);
		json_put_key(w, "ratio_interval");
		json_put_bool(w, row->ratio.has_interval);
	}
	for (size_t i = 0; i < row->n_extras; i++)
		put_number(w, row->extra[i].key, row->extra[i].value);
	if (row->published[0])
		put_string(w, "published", row->published);
	if (row->why[0])
		put_string(w, "note", row->why);
	json_put_close(w);
}

void result_write_json(const struct result *r, struct out *o)
{
	struct json_writer w;

	json_to_out(&w, o, 2);
	json_put_object(&w);
	json_put_key(&w, "ipcprobe");
	json_put_i64(&w, r->schema);
	put_string(&w, "version", r->version);
	put_string(&w, "started", r->started);
	json_put_key(&w, "command");
	json_put_array(&w);
	for (size_t at = 0; at < r->command.len; at += strlen((char *)r->command.p + at) + 1)
		json_put_str(&w, (char *)r->command.p + at);
	json_put_close(&w);
	json_put_key(&w, "quick");
	json_put_bool(&w, r->quick);
	json_put_key(&w, "interrupted");
	json_put_bool(&w, r->interrupted);
	put_string(&w, "workload", r->workload.len ? (char *)r->workload.p : "");
	json_put_key(&w, "host");
	json_put_object(&w);
	for (size_t i = 0; i < r->n_host; i++)
		put_string(&w, r->host[i].key, r->host[i].text);
	json_put_close(&w);
	json_put_key(&w, "rows");
	json_put_array(&w);
	for (size_t i = 0; i < r->n_rows; i++)
		put_row(&w, r->row[i]);
	json_put_close(&w);
	json_put_close(&w);
}
