#include "lib/series_time.h"

typedef unsigned long long ull;

static void step(struct series_reading *r, uint64_t line, int64_t t, const char *p, size_t n)
{
	int direction = t > r->last ? 1 : t < r->last ? -1 : 0;

	if (!direction && !r->same) {
		r->same = line;
		err_quote(r->same_text, sizeof r->same_text, p, n);
	} else if (direction && !r->direction) {
		r->direction = direction;
		r->first = line;
		err_quote(r->first_text, sizeof r->first_text, p, n);
	} else if (direction && direction != r->direction && !r->against) {
		r->against = line;
		err_quote(r->against_text, sizeof r->against_text, p, n);
	}
}

void series_order_row(struct series_order *o, uint64_t line, const char *p, size_t n,
    const char *clock, size_t clock_n)
{
	int64_t t, of_day;

	for (int k = 0; k < 2; k++) {
		struct series_reading *r = &o->reading[k];

		if (r->dead)
			continue;
		if (!series_time_parse(p, n, k, &t)) {
			r->dead = 1;
			continue;
		}
		if (clock_n && series_clock_parse(clock, clock_n, &of_day))
			t += of_day;
		if (o->rows)
			step(r, line, t, p, n);
		r->last = t;
	}
	o->rows++;
}

/* The reading that makes sense of all rows, else one that is a time at all, else NULL. */
static const struct series_reading *choose(const struct series_order *o)
{
	const struct series_reading *r = NULL;

	for (int k = 1; k >= 0; k--)
		if (!o->reading[k].dead)
			r = &o->reading[k];
	for (int k = 1; k >= 0; k--)
		if (!o->reading[k].dead && !o->reading[k].against && !o->reading[k].same)
			r = &o->reading[k];
	return r;
}

int series_order_end(
    const struct series_order *o, const char *name, int newest_first, int *turn, struct err *e)
{
	const struct series_reading *r = choose(o);

	*turn = newest_first > 0;
	if (!r || (!r->direction && !r->same))
		return 0;
	if (r->same && (!r->against || r->same < r->against))
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: the time '%s' stands twice: remove one, or --unordered", name,
		    (ull)r->same, r->same_text);
	if (r->direction < 0 && !newest_first)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: '%s' is before the line above: newest first? --reverse", name,
		    (ull)r->first, r->first_text);
	if (r->against)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: '%s' is out of order: sort the lines by time, or --unordered",
		    name, (ull)r->against, r->against_text);
	if (r->direction > 0 && newest_first == 2)
		return err_set(e, STATUS_INPUT,
		    "%s: line %llu: '%s' is after the line above: oldest first already, without "
		    "--reverse",
		    name, (ull)r->first, r->first_text);
	*turn = r->direction < 0;
	return 0;
}
