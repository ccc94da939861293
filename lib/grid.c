#include "lib/grid.h"
#include "lib/bytes.h"
#include "lib/io.h"
#include "lib/mem.h"
#include "lib/num.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#define COLUMNS 7 /* length and the six windows */
#define MAX_FIELDS 64

void grid_free(struct grid *g)
{
	mem_free(g->sets);
	mem_free(g->lengths);
	*g = (struct grid){0};
}

/* One of the colon's numbers, moving *at past it and its colon. */
static int grid_number(const char **at, char end, int64_t min, int64_t max, int64_t *v)
{
	const char *stop = strchr(*at, end);

	if (!stop || num_parse_i64(*at, (size_t)(stop - *at), v) != NUM_OK || *v < min || *v > max)
		return -1;
	*at = stop + 1;
	return 0;
}

int grid_parse(struct grid *g, const char *text, struct err *e)
{
	int64_t min, max, count;
	const char *at = text;
	char quoted[100];

	*g = (struct grid){0};
	err_quote(quoted, sizeof quoted, text, strlen(text));
	if (grid_number(&at, ':', 1, GRID_MAX_LENGTH, &min) < 0 ||
	    grid_number(&at, ':', 1, GRID_MAX_LENGTH, &max) < 0 ||
	    grid_number(&at, '\0', 1, GRID_MAX_SETS, &count) < 0)
		return err_set(e, STATUS_USAGE,
		    "'%s' is no grid MIN:MAX:COUNT of whole numbers from 1 (lengths to %lld, "
		    "COUNT to %lld), such as " GRID_DEFAULT,
		    quoted, (long long)GRID_MAX_LENGTH, (long long)GRID_MAX_SETS);
	if (min > max)
		return err_set(e, STATUS_USAGE, "'%s': MIN is above MAX", quoted);
	if (count == 1 && min != max)
		return err_set(e, STATUS_USAGE, "'%s': one length needs MIN equal to MAX", quoted);
	g->sets = mem_alloc((size_t)count * sizeof *g->sets);
	g->lengths = mem_alloc((size_t)count * sizeof *g->lengths);
	if (!g->sets || !g->lengths) {
		grid_free(g);
		return err_errno(e, "'%s'", quoted);
	}
	g->n = (size_t)count;
	for (int64_t k = 0; k < count; k++) {
		g->lengths[k] = count == 1 ? min : min + k * (max - min) / (count - 1);
		g->sets[k] = hma_set_of_length(g->lengths[k]);
	}
	return 0;
}

struct field {
	const char *p;
	size_t n;
};

/* Which field of a line is the length (0) and which the six windows; -1: absent. */
struct reader {
	const char *name;
	size_t line;
	int decided;
	int column[COLUMNS];
	size_t n_fields;
	struct buf sets, lengths;
};

static int is_gap(char c)
{
	return c == ',' || c == ';' || c == '\t' || c == ' ' || c == '\r';
}

static size_t split(const char *p, size_t n, struct field *f)
{
	size_t count = 0, i = 0;

	for (;;) {
		while (i < n && is_gap(p[i]))
			i++;
		if (i == n)
			return count;
		if (count == MAX_FIELDS)
			return MAX_FIELDS + 1;
		f[count].p = p + i;
		while (i < n && !is_gap(p[i]))
			i++;
		f[count].n = (size_t)(p + i - f[count].p);
		count++;
	}
}

static int is_name(const struct field *f, const char *name)
{
	return f->n == strlen(name) && strncasecmp(f->p, name, f->n) == 0;
}

/* The first line: names, or numbers whose count says what they are. 1: it was names. */
static int decide(struct reader *r, const struct field *f, size_t n, struct err *e)
{
	int64_t ignored;
	int six = 0;

	r->decided = 1;
	r->n_fields = n;
	for (int c = 0; c < COLUMNS; c++)
		r->column[c] = -1;
	if (num_parse_i64(f[0].p, f[0].n, &ignored) != NUM_SYNTAX) {
		if (n != 1 && n != 6)
			return err_set(e, STATUS_INPUT,
			    "%s: line %zu: %zu column%s: one length, or the six windows of a set",
			    r->name, r->line, n, err_plural(n));
		for (int c = 0; c < 6; c++)
			r->column[c + 1] = n == 6 ? c : -1;
		r->column[0] = n == 1 ? 0 : -1;
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (is_name(&f[i], "length"))
			r->column[0] = (int)i;
		for (int c = 0; c < 6; c++)
			if (is_name(&f[i], hma_set_names[c]))
				r->column[c + 1] = (int)i;
	}
	for (int c = 0; c < 6; c++)
		six += r->column[c + 1] >= 0;
	if (six == 6 || (six == 0 && r->column[0] >= 0))
		return 1;
	return err_set(e, STATUS_INPUT,
	    "%s: line %zu: neither numbers nor the names length or hma_half ... hma3_full", r->name,
	    r->line);
}

static int take(struct reader *r, const struct field *f, size_t n, struct err *e)
{
	struct hma_set set;
	int64_t v[COLUMNS] = {0};
	char quoted[60];

	if (n != r->n_fields)
		return err_set(e, STATUS_INPUT, "%s: line %zu: %zu column%s after lines of %zu",
		    r->name, r->line, n, err_plural(n), r->n_fields);
	for (int c = 0; c < COLUMNS; c++) {
		const struct field *at = f + r->column[c];

		if (r->column[c] < 0)
			continue;
		if (num_parse_i64(at->p, at->n, &v[c]) == NUM_OK && v[c] >= 1)
			continue;
		return err_set(e, STATUS_INPUT,
		    "%s: line %zu, column %d: '%s' is no whole number from 1", r->name, r->line,
		    r->column[c] + 1, err_quote(quoted, sizeof quoted, at->p, at->n));
	}
	set = r->column[1] < 0 ? hma_set_of_length(v[0])
			       : (struct hma_set){v[1], v[2], v[3], v[4], v[5], v[6]};
	if (r->sets.len / sizeof set == GRID_MAX_SETS)
		return err_set(e, STATUS_INPUT, "%s: line %zu: more than %d sets", r->name, r->line,
		    GRID_MAX_SETS);
	if (buf_append(&r->sets, &set, sizeof set) < 0 ||
	    (r->column[0] >= 0 && buf_append(&r->lengths, &v[0], sizeof v[0]) < 0))
		return err_errno(e, "%s", r->name);
	return 0;
}

/* A comment before the first set may hold the names of its columns. */
static void comment(struct reader *r, const char *text, size_t n)
{
	struct field f[MAX_FIELDS + 1];
	size_t count = r->decided ? 0 : split(text, n, f);

	if (count && count <= MAX_FIELDS)
		r->decided = decide(r, f, count, NULL) == 1;
}

static int lines(struct reader *r, const char *text, size_t n, struct err *e)
{
	struct field f[MAX_FIELDS + 1];
	const char *end = text + n;
	int names;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t count;

		stop = stop ? stop : end;
		r->line++;
		if (*text == '#') {
			comment(r, text + 1, (size_t)(stop - text - (text < stop)));
			text = stop + 1;
			continue;
		}
		count = split(text, (size_t)(stop - text), f);
		text = stop + 1;
		if (count > MAX_FIELDS)
			return err_set(e, STATUS_INPUT, "%s: line %zu: more than %d columns",
			    r->name, r->line, MAX_FIELDS);
		if (!count)
			continue;
		names = r->decided ? 0 : decide(r, f, count, e);
		if (names < 0 || (!names && take(r, f, count, e) < 0))
			return -1;
	}
	return 0;
}

int grid_read(struct grid *g, int fd, const char *name, struct err *e)
{
	struct reader r = {.name = name};
	struct buf text = {0};
	int bad = 0;

	*g = (struct grid){0};
	for (ssize_t got = 1; got && !bad; text.len += (size_t)got) {
		got = buf_reserve(&text, 65536) < 0 ? -1 : io_read(fd, text.p + text.len, 65536);
		if (got < 0) {
			bad = err_errno(e, "%s: read", name);
			got = 0;
		}
	}
	if (!bad)
		bad = lines(&r, (const char *)text.p, text.len, e);
	buf_free(&text);
	g->n = r.sets.len / sizeof *g->sets;
	g->sets = (struct hma_set *)(void *)r.sets.p;
	g->lengths = (int64_t *)(void *)r.lengths.p;
	if (bad)
		grid_free(g);
	return bad;
}

int grid_load(struct grid *g, const char *path, struct err *e)
{
	const char *name;
	int fd = io_open(path, &name, e), bad;

	*g = (struct grid){0};
	if (fd < 0)
		return -1;
	bad = grid_read(g, fd, name, e);
	if (fd != STDIN_FILENO)
		close(fd);
	return bad;
}
