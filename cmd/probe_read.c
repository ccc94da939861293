/* Reads a result file back: check, advise and report live on nothing else. */
#include "cmd/probe.h"
#include "lib/io.h"
#include "lib/json.h"
#include "lib/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)64 << 20)

static int load(struct buf *b, const char *path, const char **name, struct err *e)
{
	int fd = io_open(path, name, e);
	ssize_t got = -1;

	if (fd < 0)
		return -1;
	do {
		if (b->len > FILE_LIMIT || buf_reserve(b, 65536) < 0) {
			err_set(e, STATUS_INPUT, "%s: larger than a result file can be", *name);
			got = -1;
			break;
		}
		got = io_read(fd, b->p + b->len, b->cap - b->len);
		if (got < 0)
			err_errno(e, "%s: read", *name);
		else
			b->len += (size_t)got;
	} while (got > 0);
	if (fd != STDIN_FILENO)
		close(fd);
	return got < 0 ? -1 : 0;
}

static int expect(struct json *j, enum json_token want, struct err *e)
{
	enum json_token t = json_next(j, e);

	if (t == want)
		return 0;
	return t == JSON_ERROR ? -1
			       : json_fail(j, e, "%s where %s belongs: not a result of ipcprobe",
				     json_token_name(t), json_token_name(want));
}

/* A key "median_ns" of unit "ns" is `what` followed by the unit. */
static int is_named(const char *key, const char *what, const char *unit)
{
	size_t n = strlen(what);

	return strncmp(key, what, n) == 0 && key[n] == '_' && strcmp(key + n + 1, unit) == 0;
}

static void take_number(struct row *row, const char *key, double x)
{
	double *known = strcmp(key, "ratio") == 0            ? &row->ratio.ratio
			: strcmp(key, "ratio_low") == 0      ? &row->ratio.low
			: strcmp(key, "ratio_high") == 0     ? &row->ratio.high
			: is_named(key, "median", row->unit) ? &row->median
			: is_named(key, "min", row->unit)    ? &row->min
			: is_named(key, "max", row->unit)    ? &row->max
							     : NULL;

	for (int i = 0; i < ROW_PERCENTILES && !known; i++)
		if (is_named(key, row_percentile_names[i], row->unit)) {
			row->has_percentile[i] = !isnan(x);
			row->percentile[i] = isnan(x) ? 0 : x;
			return;
		}
	if (known)
		*known = isnan(x) ? 0 : x;
	else if (strcmp(key, "n") == 0)
		row->n = x >= 0 && x < 1e18 ? (uint64_t)x : 0;
	else
		row_extra(row, key, x);
}

static int take_string(struct row *row, const char *key, const struct json *j)
{
	char text[256];

	json_text(j, text, sizeof text);
	if (strcmp(key, "suite") == 0)
		snprintf(row->suite, sizeof row->suite, "%.15s", text);
	else if (strcmp(key, "row") == 0)
		snprintf(row->name, sizeof row->name, "%.79s", text);
	else if (strcmp(key, "unit") == 0)
		snprintf(row->unit, sizeof row->unit, "%.11s", text);
	else if (strcmp(key, "state") == 0)
		row->state = strcmp(text, "measured") == 0  ? ROW_MEASURED
			     : strcmp(text, "skipped") == 0 ? ROW_SKIPPED
							    : ROW_FAILED;
	else if (strcmp(key, "ratio_to") == 0)
		snprintf(row->ratio_to, sizeof row->ratio_to, "%.79s", text);
	else if (strcmp(key, "published") == 0)
		snprintf(row->published, sizeof row->published, "%.119s", text);
	else if (strcmp(key, "note") == 0)
		snprintf(row->why, sizeof row->why, "%.239s", text);
	else
		row_label(row, key, "%s", text);
	return 0;
}

/* [[p, value], ...] as pairs one after the other. */
static int read_curve(struct row *row, struct json *j, struct err *e)
{
	struct buf pairs = {0};
	enum json_token t;
	int bad = 0;

	while (!bad && (t = json_next(j, e)) != JSON_ARRAY_END) {
		bad = t != JSON_ARRAY || json_numbers(j, &pairs, e) < 0 ||
		      expect(j, JSON_ARRAY_END, e) < 0;
		if (bad && t != JSON_ERROR && t != JSON_ARRAY)
			json_fail(j, e, "a curve is an array of pairs");
	}
	if (bad || pairs.len % (2 * sizeof(double)) != 0) {
		buf_free(&pairs);
		return bad ? -1 : json_fail(j, e, "a curve is an array of pairs");
	}
	mem_free(row->curve);
	row->curve = (double *)(void *)pairs.p;
	row->n_curve = pairs.len / (2 * sizeof(double));
	return 0;
}

static int read_row(struct result *r, struct json *j, struct err *e)
{
	struct row *row = row_add(r, "", "", "");
	enum json_token t;
	char key[40];

	if (!row)
		return err_errno(e, "%s", j->name);
	while ((t = json_next(j, e)) == JSON_KEY) {
		json_text(j, key, sizeof key);
		t = json_next(j, e);
		if (t == JSON_NUMBER)
			take_number(row, key, j->number);
		else if (t == JSON_NULL)
			take_number(row, key, NAN);
		else if (t == JSON_STRING)
			take_string(row, key, j);
		else if (t == JSON_TRUE && strcmp(key, "ratio_interval") == 0)
			row->ratio.has_interval = 1;
		else if (t == JSON_ARRAY && strcmp(key, "curve") == 0) {
			if (read_curve(row, j, e) < 0)
				return -1;
		} else if (json_skip(j, t, e) < 0)
			return -1;
	}
	row->ratio.n = row->ratio_to[0] ? (size_t)row->n : 0;
	return t == JSON_OBJECT_END ? 0 : -1;
}

static int read_rows(struct result *r, struct json *j, struct err *e)
{
	enum json_token t;

	while ((t = json_next(j, e)) == JSON_OBJECT)
		if (read_row(r, j, e) < 0)
			return -1;
	if (t == JSON_ARRAY_END)
		return 0;
	return t == JSON_ERROR ? -1 : json_fail(j, e, "rows are objects");
}

static int read_command(struct result *r, struct json *j, struct err *e)
{
	enum json_token t;
	char word[4096];

	while ((t = json_next(j, e)) == JSON_STRING) {
		json_text(j, word, sizeof word);
		if (buf_append(&r->command, word, strlen(word) + 1) < 0)
			return err_errno(e, "%s", j->name);
	}
	if (t == JSON_ARRAY_END)
		return 0;
	return t == JSON_ERROR ? -1 : json_fail(j, e, "the command is an array of strings");
}

static int read_host(struct result *r, struct json *j, struct err *e)
{
	enum json_token t;

	while ((t = json_next(j, e)) == JSON_KEY) {
		void *more = mem_resize(r->host, (r->n_host + 1) * sizeof *r->host);

		if (!more)
			return err_errno(e, "%s", j->name);
		r->host = more;
		json_text(j, r->host[r->n_host].key, sizeof r->host[0].key);
		if (expect(j, JSON_STRING, e) < 0)
			return -1;
		json_text(j, r->host[r->n_host].text, sizeof r->host[0].text);
		r->n_host++;
	}
	return t == JSON_OBJECT_END ? 0 : -1;
}

static int read_workload(struct result *r, struct json *j, struct err *e)
{
	char text[512];

	json_text(j, text, sizeof text);
	if (buf_append(&r->workload, text, strlen(text) + 1) < 0)
		return err_errno(e, "%s", j->name);
	return 0;
}

static int read_member(struct result *r, struct json *j, const char *key, struct err *e)
{
	enum json_token t = json_next(j, e);

	if (t == JSON_NUMBER && strcmp(key, "ipcprobe") == 0) {
		r->schema = (int)j->number;
		if (r->schema == PROBE_SCHEMA)
			return 0;
		return json_fail(j, e, "schema %d, this ipcprobe reads %d: measure anew", r->schema,
		    PROBE_SCHEMA);
	}
	if (t == JSON_STRING && strcmp(key, "version") == 0)
		return json_text(j, r->version, sizeof r->version), 0;
	if (t == JSON_STRING && strcmp(key, "started") == 0)
		return json_text(j, r->started, sizeof r->started), 0;
	if (t == JSON_STRING && strcmp(key, "workload") == 0)
		return read_workload(r, j, e);
	if (strcmp(key, "quick") == 0)
		r->quick = t == JSON_TRUE;
	if (strcmp(key, "interrupted") == 0)
		r->interrupted = t == JSON_TRUE;
	if (t == JSON_ARRAY && strcmp(key, "command") == 0)
		return read_command(r, j, e);
	if (t == JSON_OBJECT && strcmp(key, "host") == 0)
		return read_host(r, j, e);
	if (t == JSON_ARRAY && strcmp(key, "rows") == 0)
		return read_rows(r, j, e);
	return json_skip(j, t, e);
}

/* The object just opened. */
static int read_document(struct result *r, struct json *j, struct err *e)
{
	enum json_token t;
	char key[40];

	while ((t = json_next(j, e)) == JSON_KEY) {
		json_text(j, key, sizeof key);
		if (read_member(r, j, key, e) < 0)
			return -1;
	}
	if (t != JSON_OBJECT_END)
		return -1;
	if (r->schema != PROBE_SCHEMA)
		return err_set(e, STATUS_INPUT,
		    "%s: no \"ipcprobe\" member: not a result of ipcprobe -f json", j->name);
	return 0;
}

/* One result after another; what follows a document is the next one's. */
static int read_documents(struct result *r, size_t max, size_t *n, struct json *j, struct err *e)
{
	do {
		if (expect(j, JSON_OBJECT, e) < 0)
			return -1;
		if (*n == max)
			return err_set(e, STATUS_INPUT, "%s: more than %zu result%s in it", j->name,
			    max, err_plural(max));
		r[*n] = (struct result){0};
		++*n;
		if (read_document(&r[*n - 1], j, e) < 0)
			return -1;
	} while (json_more(j));
	return 0;
}

int result_read_all(struct result *r, size_t max, size_t *n, const char *path, struct err *e)
{
	struct buf text = {0};
	const char *name;
	struct json j;
	int bad;

	*n = 0;
	bad = load(&text, path, &name, e);
	if (!bad) {
		json_init(&j, name, text.p, text.len);
		bad = read_documents(r, max, n, &j, e);
	}
	buf_free(&text);
	while (bad && *n)
		result_free(&r[--*n]);
	return bad;
}

int result_read(struct result *r, const char *path, struct err *e)
{
	size_t n;

	*r = (struct result){0};
	return result_read_all(r, 1, &n, path, e);
}
