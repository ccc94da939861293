/* Plots as SVG: one drawing, axes with units, a legend; for ipcprobe report. */
#ifndef IPCTAX_PROBE_SVG_H
#define IPCTAX_PROBE_SVG_H

#include "lib/io.h"

#include <stddef.h>

#define PLOT_SERIES 12

enum plot_scale {
	PLOT_LINEAR,
	PLOT_LOG,
	PLOT_PERCENTILE /* x is a percentile, drawn at log10 1/(1-p): each decade of nines alike */
};

struct plot_series {
	const char *name;
	const double *x, *y; /* n points; the caller's */
	size_t n;
	int dashed; /* a model, not a measurement: no marks */
};

struct plot {
	const char *title, *x_label, *y_label; /* labels name their unit */
	enum plot_scale x_scale, y_scale;
	struct plot_series series[PLOT_SERIES];
	size_t n_series;
};

/* Curves. Points that a scale cannot show (not above 0 on PLOT_LOG, not finite) are left out. */
void plot_curves(const struct plot *p, struct out *o);

/* One horizontal bar. low and high, where they differ, are drawn as a whisker. */
struct plot_bar {
	const char *name, *note; /* note stands behind the bar; may be "" */
	double value, low, high;
};

/* Bars from the top, on a logarithmic axis where they span more than two decades. */
void plot_bars(
    const char *title, const char *x_label, const struct plot_bar *bar, size_t n, struct out *o);

#endif
