/* Private to ipcprobe's suites: straight lines through few points. */
#ifndef IPCTAX_PROBE_FIT_H
#define IPCTAX_PROBE_FIT_H

#include <stddef.h>

struct line {
	double floor, slope; /* y = floor + slope * x; NaN where the points do not tell */
};

/*
 * The line whose relative errors are least in square: small and large y count
 * alike, which an ordinary fit over six orders of magnitude would not give. All y above 0.
 */
struct line fit_relative(const double *x, const double *y, size_t n);

/*
 * The ordinary least-squares line through the points with x at or above from,
 * and the share of the variance of y that it explains; *r2 is NaN below three points.
 */
struct line fit_above(const double *x, const double *y, size_t n, double from, double *r2);

#endif
