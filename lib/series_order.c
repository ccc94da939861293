#include "lib/series_time.h"

#include <stdio.h>
#include <string.h>

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

/* `NAME: line L: ` or, of an offset, `NAME: line L, column C: `, the time, and the words. */
static int refuse(const struct series_order *o, const char *name, uint64_t line, const char *before,
    const char *time, const char *words, struct err *e)
{
	const char *p = o->text, *q, *at = o->text ? o->text + line : NULL;
	char column[40] = "";

	if (at) {
		for (line = 1; (q = memchr(p, '\n', (size_t)(at - p))); p = q + 1)
			line++;
		snprintf(column, sizeof column, ", column %llu", (ull)(at - p) + 1);
	}
	return err_set(e, STATUS_INPUT, "%s: line %llu%s: %s'%s' %s", name, (ull)line, column,
	    before, time, words);
}

int series_order_end(
    const struct series_order *o, const char *name, int newest_first, int *turn, struct err *e)
{
	const struct series_reading *r = choose(o);
	int bars = o->text != NULL;

	*turn = newest_first > 0;
	if (!r || (!r->direction && !r->same))
		return 0;
	if (r->same && (!r->against || r->same < r->against))
		return refuse(o, name, r->same, "the time ", r->same_text,
		    "stands twice: remove one, or --unordered", e);
	if (r->direction < 0 && !newest_first)
		return refuse(o, name, r->first, "", r->first_text,
		    bars ? "is before the bar above: newest first? --reverse"
			 : "is before the line above: newest first? --reverse",
		    e);
	if (r->against)
		return refuse(o, name, r->against, "", r->against_text,
		    bars ? "is out of order: sort the bars by time, or --unordered"
			 : "is out of order: sort the lines by time, or --unordered",
		    e);
	if (r->direction > 0 && newest_first == 2)
		return refuse(o, name, r->first, "", r->first_text,
		    bars ? "is after the bar above: oldest first already, without --reverse"
			 : "is after the line above: oldest first already, without --reverse",
		    e);
	*turn = r->direction < 0;
	return 0;
}
