/* ipcprobe report: a directory with the tables as README.md and the plots as SVG. */
#include "cmd/probe.h"
#include "cmd/probe_svg.h"
#include "lib/mem.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_POINTS 64
#define MAX_BARS 40
#define MAX_PLOTS 16

/* The plots made so far, for the page that shows them. */
struct page {
	const struct result *r;
	const char *directory;
	char file[MAX_PLOTS][48], title[MAX_PLOTS][120];
	size_t n;
};

static int open_plot(
    struct page *page, struct out *o, const char *file, const char *title, struct err *e)
{
	static char path[4096]; /* out keeps it by reference until out_close */

	if ((size_t)snprintf(path, sizeof path, "%s/%s", page->directory, file) >= sizeof path)
		return err_set(e, STATUS_USAGE, "%s: too long a path", page->directory);
	if (out_open(o, path, e) < 0)
		return -1;
	if (page->n < MAX_PLOTS) {
		snprintf(page->file[page->n], sizeof page->file[0], "%s", file);
		snprintf(page->title[page->n], sizeof page->title[0], "%s", title);
		page->n++;
	}
	return 0;
}

static int draw_curves(struct page *page, const char *file, const struct plot *plot, struct err *e)
{
	static struct out o;

	if (open_plot(page, &o, file, plot->title, e) < 0)
		return -1;
	plot_curves(plot, &o);
	return out_close(&o, e);
}

/* Points of one line, taken from rows in their order. */
struct line {
	char name[64];
	double x[MAX_POINTS], y[MAX_POINTS];
	size_t n;
};

static void add_point(struct line *l, double x, double y)
{
	if (l->n == MAX_POINTS || isnan(x) || isnan(y))
		return;
	l->x[l->n] = x;
	l->y[l->n++] = y;
}

/* The line of that name among n, a new one where there is room, or NULL. */
static struct line *line_of(struct line *lines, size_t *n, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(lines[i].name, name) == 0)
			return &lines[i];
	if (*n == PLOT_SERIES)
		return NULL;
	lines[*n].n = 0;
	snprintf(lines[*n].name, sizeof lines[0].name, "%s", name);
	return &lines[(*n)++];
}

static void add_lines(struct plot *p, const struct line *lines, size_t n, int dashed)
{
	for (size_t i = 0; i < n && p->n_series < PLOT_SERIES; i++)
		p->series[p->n_series++] =
		    (struct plot_series){lines[i].name, lines[i].x, lines[i].y, lines[i].n, dashed};
}

static int draw_echo(struct page *page, struct err *e)
{
	static struct line measured[PLOT_SERIES], model[PLOT_SERIES];
	struct plot p = {"Echo: round trip by payload, measured and T = floor + 2b/bandwidth",
	    "payload, bytes each way", "round trip, median, ns", PLOT_LOG, PLOT_LOG, {{0}}, 0};
	size_t n = 0, n_model = 0;

	for (size_t i = 0; i < page->r->n_rows; i++) {
		const struct row *row = page->r->row[i];
		double bytes = row_extra_of(row, "payload_bytes"),
		       fit = row_extra_of(row, "model_ns");
		char name[64];
		struct line *l;

		if (strcmp(row->suite, "echo") != 0 || row->state != ROW_MEASURED || isnan(bytes) ||
		    isnan(fit)) /* one way, a witness: no points of the curve */
			continue;
		snprintf(name, sizeof name, "%.20s (%.30s)", row_label_of(row, "transport"),
		    row_label_of(row, "wait"));
		l = line_of(measured, &n, name);
		if (l)
			add_point(l, bytes, row->median);
		snprintf(name, sizeof name, "model, %.20s", row_label_of(row, "transport"));
		l = line_of(model, &n_model, name);
		if (l)
			add_point(l, bytes, fit);
	}
	if (n == 0)
		return 0;
	add_lines(&p, measured, n, 0);
	add_lines(&p, model, n_model, 1);
	return draw_curves(page, "echo.svg", &p, e);
}

static int draw_boundary(struct page *page, const char *kernel, struct err *e)
{
	static struct plot_bar bar[MAX_BARS];
	static char notes[MAX_BARS][48];
	static struct out o;
	char title[120], file[48];
	size_t n = 0;

	for (size_t i = 0; i < page->r->n_rows && n < MAX_BARS; i++) {
		const struct row *row = page->r->row[i];

		if (strcmp(row->suite, "boundary") != 0 || row->state != ROW_MEASURED ||
		    strcmp(row_label_of(row, "kernel"), kernel) != 0)
			continue;
		notes[n][0] = '\0';
		if (row->ratio.ratio > 0)
			snprintf(notes[n], sizeof notes[0], "(%.3g x)", row->ratio.ratio);
		bar[n] = (struct plot_bar){
		    row->name, notes[n], row->median / 1e6, row->min / 1e6, row->max / 1e6};
		n++;
	}
	if (n == 0)
		return 0;
	snprintf(title, sizeof title,
	    "Architectures: the whole job behind each boundary, %s kernel", kernel);
	snprintf(file, sizeof file, "boundary-%s.svg", kernel);
	if (open_plot(page, &o, file, title, e) < 0)
		return -1;
	plot_bars(title, "whole job, ms: median, and from the least to the greatest", bar, n, &o);
	return out_close(&o, e);
}

/*
 * Rows with a curve, every row a line: the tail is what the axis stretches. call: only
 * those of that kind of call, or NULL.
 */
static int draw_percentiles(struct page *page, const char *suite, const char *call, struct err *e)
{
	static double xy[PLOT_SERIES][2][MAX_POINTS];
	char title[120], file[48];
	struct plot p = {title, "percentile", "latency, ns", PLOT_PERCENTILE, PLOT_LOG, {{0}}, 0};

	for (size_t i = 0; i < page->r->n_rows && p.n_series < PLOT_SERIES; i++) {
		const struct row *row = page->r->row[i];
		size_t k = p.n_series, n = row->n_curve < MAX_POINTS ? row->n_curve : MAX_POINTS;

		if (strcmp(row->suite, suite) != 0 || n == 0 ||
		    (call && strcmp(row_label_of(row, "call"), call) != 0))
			continue;
		for (size_t j = 0; j < n; j++) {
			xy[k][0][j] = row->curve[2 * j];
			xy[k][1][j] = row->curve[2 * j + 1];
		}
		p.series[p.n_series++] = (struct plot_series){row->name, xy[k][0], xy[k][1], n, 0};
	}
	if (p.n_series == 0)
		return 0;
	snprintf(title, sizeof title, "%s%s%s: latency by percentile", suite, call ? ", " : "",
	    call ? call : "");
	snprintf(
	    file, sizeof file, "percentiles-%s%s%s.svg", suite, call ? "-" : "", call ? call : "");
	for (char *c = strchr(file, ' '); c; c = strchr(c, ' '))
		*c = '-';
	return draw_curves(page, file, &p, e);
}

/* The ladder before and after: each rung's p50 and p99 over its control's. */
static int draw_ladder(struct page *page, struct err *e)
{
	static struct plot_bar bar[MAX_BARS];
	static char name[MAX_BARS][80];
	static const char title[] = "Ladder: median and p99 on each rung";
	static struct out o;
	size_t n = 0;

	for (size_t i = 0; i < page->r->n_rows && n + 1 < MAX_BARS; i++) {
		const struct row *row = page->r->row[i];

		if (strcmp(row->suite, "ladder") != 0 || row->state != ROW_MEASURED)
			continue;
		snprintf(name[n], sizeof name[0], "%.40s: p50", row->name);
		bar[n] = (struct plot_bar){name[n], "", row->median, 0, 0};
		n++;
		if (!row->has_percentile[2])
			continue;
		snprintf(name[n], sizeof name[0], "%.40s: p99", row->name);
		bar[n] = (struct plot_bar){name[n], "", row->percentile[2], 0, 0};
		n++;
	}
	if (n == 0)
		return 0;
	if (open_plot(page, &o, "ladder.svg", title, e) < 0)
		return -1;
	plot_bars(title, "latency, ns", bar, n, &o);
	return out_close(&o, e);
}

/* Share of a boundary against G, the line 1/(1+G) and what was measured. */
static int draw_breakeven(struct page *page, struct err *e)
{
	static struct line measured[PLOT_SERIES], rule;
	struct plot p = {"Break-even: the boundary's share of a call, by what the call carries",
	    "G = compute a call / floor of a call", "boundary's share of the whole", PLOT_LOG,
	    PLOT_LOG, {{0}}, 0};
	double least = HUGE_VAL, most = 0;
	size_t n = 0;

	for (size_t i = 0; i < page->r->n_rows; i++) {
		const struct row *row = page->r->row[i];
		double g = row_extra_of(row, "g_x"), share = row_extra_of(row, "share_x");
		struct line *l;

		if (strcmp(row->suite, "breakeven") != 0 || !(g > 0) || !(share > 0))
			continue;
		l = line_of(measured, &n, row_label_of(row, "transport"));
		if (l)
			add_point(l, g, share);
		least = fmin(least, g);
		most = fmax(most, g);
	}
	if (n == 0)
		return 0;
	rule.n = 0;
	snprintf(rule.name, sizeof rule.name, "1/(1+G)");
	for (int i = 0; i < MAX_POINTS; i++) {
		double g = least * pow(most / least, i / (MAX_POINTS - 1.0));

		add_point(&rule, g, 1 / (1 + g));
	}
	add_lines(&p, measured, n, 0);
	add_lines(&p, &rule, 1, 1);
	return draw_curves(page, "breakeven.svg", &p, e);
}

static int write_page(const struct page *page, struct err *e)
{
	static struct out o;
	char path[4096];
	const struct result *r = page->r;

	if ((size_t)snprintf(path, sizeof path, "%s/README.md", page->directory) >= sizeof path)
		return err_set(e, STATUS_USAGE, "%s: too long a path", page->directory);
	if (out_open(&o, path, e) < 0)
		return -1;
	out_printf(
	    &o, "# What a process boundary costs here\n\nMeasured %s by\n\n    ", r->started);
	for (size_t at = 0; at < r->command.len; at += strlen((char *)r->command.p + at) + 1) {
		out_str(&o, at ? " " : "");
		out_str(&o, (char *)r->command.p + at);
	}
	out_str(&o, "\n\n");
	for (size_t i = 0; i < page->n; i++)
		out_printf(&o, "![%s](%s)\n\n", page->title[i], page->file[i]);
	result_write_markdown(r, &o);
	return out_close(&o, e);
}

int probe_report(const char *result, const char *directory, struct err *e)
{
	static const char *const tails[][2] = {{"ladder", NULL}, {"alloc", NULL},
	    {"snapshot", NULL}, {"legs", "small call"}, {"legs", "tick"}, {"legs", "whole sweep"}};
	static struct page page;
	struct result r;
	int bad;

	if (result_read(&r, result, e) < 0)
		return -1;
	page = (struct page){.r = &r, .directory = directory};
	bad = mkdir(directory, 0777) < 0 && errno != EEXIST
		  ? err_errno(e, "%s: cannot make the directory", directory)
		  : 0;
	bad = bad || draw_echo(&page, e) < 0 || draw_boundary(&page, "reference", e) < 0 ||
	      draw_boundary(&page, "filtered", e) < 0 || draw_breakeven(&page, e) < 0 ||
	      draw_ladder(&page, e) < 0;
	for (size_t i = 0; i < sizeof tails / sizeof tails[0] && !bad; i++)
		bad = draw_percentiles(&page, tails[i][0], tails[i][1], e) < 0;
	bad = bad || write_page(&page, e) < 0;
	result_free(&r);
	return bad ? -1 : 0;
}
