#include "cmd/probe_svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 920
#define HEIGHT 480
#define LEFT 90
#define RIGHT 640 /* the legend stands beyond */
#define TOP 50
#define BOTTOM 410
#define TICKS 12

static const char *const colours[PLOT_SERIES] = {"#1b6ca8", "#d1495b", "#2e8b57", "#b8860b",
    "#6a4c93", "#00798c", "#8c510a", "#444444", "#c51b7d", "#4d9221", "#5e60ce", "#7f7f7f"};

/* One axis: values lo..hi (as drawn: log10 taken) onto pixels from..to. */
struct axis {
	enum plot_scale scale;
	double lo, hi, from, to;
};

/* The value as drawn, NaN where the scale cannot show it. */
static double drawn(enum plot_scale s, double v)
{
	if (!isfinite(v))
		return NAN;
	if (s == PLOT_LOG)
		return v > 0 ? log10(v) : NAN;
	if (s == PLOT_PERCENTILE)
		return v >= 0 && v < 100 ? -log10(1 - v / 100) : NAN;
	return v;
}

static double pixel(const struct axis *a, double value)
{
	return a->from + (drawn(a->scale, value) - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

static void put_text(struct out *o, const char *s)
{
	for (; *s; s++) {
		if (*s == '&')
			out_str(o, "&amp;");
		else if (*s == '<')
			out_str(o, "&lt;");
		else if (*s == '>')
			out_str(o, "&gt;");
		else if ((unsigned char)*s < ' ')
			out_str(o, "?"); /* XML has no way to say most of these */
		else
			out_put(o, s, 1);
	}
}

static void label(struct out *o, double x, double y, const char *anchor, const char *s)
{
	out_printf(o, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	put_text(o, s);
	out_str(o, "</text>\n");
}

static void open_svg(struct out *o, const char *title, int height)
{
	out_printf(o,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
	    "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
	    "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n<g font-size=\"15\">",
	    WIDTH, height, WIDTH, height, WIDTH, height);
	label(o, LEFT, 28, "start", title);
	out_str(o, "</g>\n");
}

/* Widens an axis to its data; to whole decades where it is logarithmic. */
static void widen(struct axis *a, double value)
{
	double v = drawn(a->scale, value);

	if (isnan(v))
		return;
	if (a->scale == PLOT_LOG) {
		a->lo = fmin(a->lo, floor(v));
		a->hi = fmax(a->hi, ceil(v));
	} else {
		a->lo = fmin(a->lo, v);
		a->hi = fmax(a->hi, v);
	}
}

static struct axis new_axis(enum plot_scale s, double from, double to)
{
	return (struct axis){s, HUGE_VAL, -HUGE_VAL, from, to};
}

/* A step of 1, 2 or 5 times a power of ten that gives at most `most` ticks. */
static double round_step(double span, int most)
{
	double step = pow(10, floor(log10(span / most)));

	for (int i = 0; span / step > most; i++)
		step *= i % 3 == 1 ? 2.5 : 2;
	return step;
}

static void settle(struct axis *a)
{
	double step;

	if (!(a->lo <= a->hi)) {
		a->lo = 0;
		a->hi = 1;
	}
	if (a->scale == PLOT_LINEAR) {
		a->lo = fmin(a->lo, 0);
		step = round_step(a->hi > a->lo ? a->hi - a->lo : 1, 6);
		a->hi = ceil(a->hi / step) * step;
		a->lo = floor(a->lo / step) * step;
	}
	if (a->hi <= a->lo)
		a->hi = a->lo + 1;
}

/* Powers of ten as 1, 10, 1k, 1M, so that labels stay short; below 1 as decimals. */
static void tick_text(char *dst, size_t cap, double v)
{
	static const char *const unit[] = {"", "k", "M", "G", "T"};
	int u = 0;

	while (fabs(v) >= 1000 && u < 4) {
		v /= 1000;
		u++;
	}
	snprintf(dst, cap, "%.4g%s", v, unit[u]);
}

/* The ticks of an axis as values; how many. */
static int ticks_of(const struct axis *a, double *v)
{
	static const double nines[] = {0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999};
	int n = 0;

	if (a->scale == PLOT_PERCENTILE) {
		for (size_t i = 0; i < sizeof nines / sizeof nines[0]; i++)
			if (drawn(PLOT_PERCENTILE, nines[i]) <= a->hi + 1e-9)
				v[n++] = nines[i];
	} else if (a->scale == PLOT_LOG) {
		double step = fmax(1, ceil((a->hi - a->lo) / (TICKS - 1)));

		for (double d = a->lo; d <= a->hi + 1e-9 && n < TICKS; d += step)
			v[n++] = pow(10, d);
	} else {
		double step = round_step(a->hi - a->lo, 6);

		for (double d = a->lo; d <= a->hi + step / 1e6 && n < TICKS; d += step)
			v[n++] = fabs(d) < step / 1e6 ? 0 : d;
	}
	return n;
}

static void draw_axes(
    struct out *o, const struct axis *x, const struct axis *y, double bottom, int y_named)
{
	double v[TICKS];
	char text[32];
	int n = ticks_of(x, v);

	out_str(o, "<g stroke=\"#d0d0d0\" stroke-width=\"1\">\n");
	for (int i = 0; i < n; i++)
		out_printf(o, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
		    pixel(x, v[i]), TOP, pixel(x, v[i]), bottom);
	out_str(o, "</g>\n");
	for (int i = 0; i < n; i++) {
		if (x->scale == PLOT_PERCENTILE)
			snprintf(text, sizeof text, "%.7g", v[i]);
		else
			tick_text(text, sizeof text, v[i]);
		label(o, pixel(x, v[i]), bottom + 18, "middle", text);
	}
	if (!y_named)
		return;
	n = ticks_of(y, v);
	for (int i = 0; i < n; i++) {
		out_printf(o,
		    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#d0d0d0\"/>\n",
		    LEFT, pixel(y, v[i]), RIGHT, pixel(y, v[i]));
		tick_text(text, sizeof text, v[i]);
		label(o, LEFT - 8, pixel(y, v[i]) + 4, "end", text);
	}
}

static void draw_series(struct out *o, const struct plot_series *s, const struct axis *x,
    const struct axis *y, size_t k)
{
	const char *colour = colours[k % PLOT_SERIES];
	int pen = 0;

	out_printf(o, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s d=\"", colour,
	    s->dashed ? " stroke-dasharray=\"6 4\"" : "");
	for (size_t i = 0; i < s->n; i++) {
		double px = pixel(x, s->x[i]), py = pixel(y, s->y[i]);

		if (isnan(px) || isnan(py))
			continue;
		out_printf(o, "%c%.1f %.1f", pen ? 'L' : 'M', px, py);
		pen = 1;
	}
	out_str(o, pen ? "\"/>\n" : "M0 0\"/>\n");
	for (size_t i = 0; i < s->n && !s->dashed && s->n <= 20; i++) {
		double px = pixel(x, s->x[i]), py = pixel(y, s->y[i]);

		if (!isnan(px) && !isnan(py))
			out_printf(o, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", px,
			    py, colour);
	}
}

static void draw_legend(struct out *o, const struct plot *p)
{
	for (size_t i = 0; i < p->n_series; i++) {
		double y = TOP + 12 + 20 * (double)i;

		out_printf(o,
		    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" "
		    "stroke-width=\"2.5\"%s/>\n",
		    RIGHT + 14, y - 4, RIGHT + 38, y - 4, colours[i % PLOT_SERIES],
		    p->series[i].dashed ? " stroke-dasharray=\"6 4\"" : "");
		label(o, RIGHT + 44, y, "start", p->series[i].name);
	}
}

void plot_curves(const struct plot *p, struct out *o)
{
	struct axis x = new_axis(p->x_scale, LEFT, RIGHT);
	struct axis y = new_axis(p->y_scale, BOTTOM, TOP);

	for (size_t k = 0; k < p->n_series; k++)
		for (size_t i = 0; i < p->series[k].n; i++)
			if (!isnan(drawn(x.scale, p->series[k].x[i])) &&
			    !isnan(drawn(y.scale, p->series[k].y[i]))) {
				widen(&x, p->series[k].x[i]);
				widen(&y, p->series[k].y[i]);
			}
	settle(&x);
	settle(&y);
	open_svg(o, p->title, HEIGHT);
	draw_axes(o, &x, &y, BOTTOM, 1);
	for (size_t k = 0; k < p->n_series; k++)
		draw_series(o, &p->series[k], &x, &y, k);
	draw_legend(o, p);
	label(o, (LEFT + RIGHT) / 2.0, BOTTOM + 44, "middle", p->x_label);
	out_printf(o, "<g transform=\"translate(22 %.1f) rotate(-90)\">", (TOP + BOTTOM) / 2.0);
	label(o, 0, 0, "middle", p->y_label);
	out_str(o, "</g>\n</svg>\n");
}

#define NAME_WIDTH 260 /* of the names before the bars */
#define BAR_STEP 26

static void draw_bar(struct out *o, const struct axis *x, const struct plot_bar *b, double y)
{
	double from = NAME_WIDTH, to = fmax(pixel(x, b->value), from + 1);
	char text[160], figure[32];

	label(o, NAME_WIDTH - 8, y + 12, "end", b->name);
	out_printf(o, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>\n",
	    from, y, to - from, colours[0]);
	if (b->high > b->low) {
		double lo = fmax(pixel(x, b->low), from), hi = fmax(pixel(x, b->high), from);

		out_printf(o,
		    "<path d=\"M%.1f %.1fH%.1fM%.1f %.1fV%.1fM%.1f %.1fV%.1f\" "
		    "stroke=\"black\"/>\n",
		    lo, y + 8, hi, lo, y + 4, y + 12, hi, y + 4, y + 12);
		to = fmax(to, hi);
	}
	tick_text(figure, sizeof figure, b->value);
	snprintf(text, sizeof text, "%s%s%s", figure, *b->note ? "  " : "", b->note);
	label(o, to + 6, y + 12, "start", text);
}

void plot_bars(
    const char *title, const char *x_label, const struct plot_bar *bar, size_t n, struct out *o)
{
	double bottom = TOP + 8 + BAR_STEP * (double)n, least = HUGE_VAL, most = 0;
	struct axis x;

	for (size_t i = 0; i < n; i++) {
		least = bar[i].value > 0 ? fmin(least, bar[i].value) : least;
		most = fmax(most, fmax(bar[i].value, bar[i].high));
	}
	x = new_axis(most > 100 * least ? PLOT_LOG : PLOT_LINEAR, NAME_WIDTH, RIGHT);
	widen(&x, most);
	widen(&x, x.scale == PLOT_LOG ? least : 0);
	settle(&x);
	open_svg(o, title, (int)bottom + 60);
	draw_axes(o, &x, &x, bottom, 0);
	for (size_t i = 0; i < n; i++)
		if (bar[i].value > 0)
			draw_bar(o, &x, &bar[i], TOP + 8 + BAR_STEP * (double)i);
	label(o, (NAME_WIDTH + RIGHT) / 2.0, bottom + 44, "middle", x_label);
	out_str(o, "</svg>\n");
}
