#include "cmd/probe_fit.h"

#include <math.h>

/* Sums of weight, x, y, xx, xy, yy, each weighted. */
struct sums {
	double w, x, y, xx, xy, yy;
	size_t n;
};

static void add(struct sums *s, double x, double y, double w)
{
	s->w += w;
	s->x += w * x;
	s->y += w * y;
	s->xx += w * x * x;
	s->xy += w * x * y;
	s->yy += w * y * y;
	s->n++;
}

static struct line solve(const struct sums *s)
{
	double det = s->w * s->xx - s->x * s->x;

	if (s->n < 2 || !(det > 0))
		return (struct line){NAN, NAN};
	return (struct line){
	    (s->y * s->xx - s->x * s->xy) / det, (s->w * s->xy - s->x * s->y) / det};
}

struct line fit_relative(const double *x, const double *y, size_t n)
{
	struct sums s = {0};

	for (size_t i = 0; i < n; i++)
		add(&s, x[i], y[i], 1 / (y[i] * y[i]));
	return solve(&s);
}

struct line fit_above(const double *x, const double *y, size_t n, double from, double *r2)
{
	struct sums s = {0};
	struct line l;
	double explained, all;

	for (size_t i = 0; i < n; i++)
		if (x[i] >= from)
			add(&s, x[i], y[i], 1);
	l = solve(&s);
	explained = s.xy - s.x * s.y / s.w;
	all = (s.xx - s.x * s.x / s.w) * (s.yy - s.y * s.y / s.w);
	*r2 = s.n < 3 || !(all > 0) ? NAN : explained * explained / all;
	return l;
}
