#include "cmd/probe_client.h"
#include "lib/cpu.h"
#include "lib/mem.h"
#include "lib/witness.h"

#include <string.h>

#define TRIPS 2000

void placement_begin(struct placement_watch *w)
{
	w->known = cpu_count() > 1 &&
		   witness_measure(&w->before, cpu_nth(0), cpu_nth(1), TRIPS, &w->why) == 0;
	if (cpu_count() < 2)
		err_set(&w->why, STATUS_FAILED, "one processor: no line crosses");
}

/* Rings are lines that cross: their rows are comparable only with the same placement. */
static void label_rings(struct result *r, const char *suite, const char *placement)
{
	for (size_t i = 0; i < r->n_rows; i++)
		if (strcmp(r->row[i]->suite, suite) == 0 &&
		    strncmp(row_label_of(r->row[i], "transport"), "ring", 4) == 0)
			row_label(r->row[i], "placement", "%s", placement);
}

int placement_end(struct placement_watch *w, struct probe *p, const char *suite, struct err *e)
{
	struct row *row = row_add(&p->result, suite, "witness", "ns");
	struct witness after;
	const char *place;
	double both[2];

	if (!row)
		return err_errno(e, "%s", suite);
	if (!w->known || witness_measure(&after, cpu_nth(0), cpu_nth(1), TRIPS, &w->why) < 0) {
		row_skip(row, "%.200s", w->why.text);
		return 0;
	}
	both[0] = (double)w->before.two_lines_ns;
	both[1] = (double)after.two_lines_ns;
	place = witness_moved(&w->before, &after) ? PROBE_MOVED
						  : witness_place_name(witness_place(&after));
	row_label(
	    row, "transport", "cache lines, processors %d and %d", after.cpu[0], after.cpu[1]);
	row_label(row, "wait", "spin, pinned");
	row_label(row, "placement", "%s", place);
	label_rings(&p->result, suite, place);
	row_samples(row, both, 2);
	row_extra(row, "one_line_ns", (double)after.one_line_ns);
	row_note(row, "%s",
	    strcmp(place, PROBE_MOVED) == 0
		? "the processors moved during the run: rings are not comparable with another run's"
		: "medians before and after: what depends on lines that cross is comparable");
	return 0;
}
