/* Equivalence before timing: results are the reference kernel's to the bit. */
#include "cmd/probe.h"

#include <string.h>

static int differs(const struct workload *w, size_t set, double pnl, int64_t trades,
    const char *who, struct err *e)
{
	const struct hma_result *want = &w->expect[set];

	if (memcmp(&pnl, &want->pnl, sizeof pnl) == 0 && trades == want->trades)
		return 0;
	return err_set(e, STATUS_DIFFER,
	    "%s: set %zu: pnl %.17g over %lld trades, reference %.17g over %lld: not timed", who,
	    set + 1, pnl, (long long)trades, want->pnl, (long long)want->trades);
}

int probe_gate(const struct workload *w, size_t first_set, size_t n_sets,
    const struct hma_result *got, const char *who, struct err *e)
{
	for (size_t i = 0; i < n_sets; i++)
		if (differs(w, first_set + i, got[i].pnl, got[i].trades, who, e) < 0)
			return -1;
	return 0;
}

int probe_gate_reply(const struct workload *w, size_t first_set, size_t n_sets,
    const unsigned char *pnl, const unsigned char *trades, const char *who, struct err *e)
{
	for (size_t i = 0; i < n_sets; i++)
		if (differs(w, first_set + i, get_f64(pnl + 8 * i), get_i64(trades + 8 * i), who,
			e) < 0)
			return -1;
	return 0;
}
