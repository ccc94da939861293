#include "cmd/probe.h"

#include "lib/bytes.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

void probe_catch_signals(void)
{
	/* Without SA_RESTART: a blocked call returns and the suite looks at probe_stopped. */
	struct sigaction a = {.sa_handler = stop};

	sigemptyset(&a.sa_mask);
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	sigaction(SIGHUP, &a, NULL);
	a.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &a, NULL);
}

int probe_stopped(void)
{
	return stopped;
}

void probe_progress(const struct probe *p, const char *fmt, ...)
{
	char line[120];
	va_list ap;

	if (!p->progress)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	/* Back to the margin and clear the rest: the line is overwritten, not scrolled. */
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
}

/* One round in the order first..last or back; fills column `round`, or nothing when it is -1. */
static int take_turns(
    const struct variant *v, size_t n, int round, int rounds, double *samples, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = round % 2 == 0 ? i : n - 1 - i;
		double ns;

		if (stopped)
			return 1;
		if (v[k].run(v[k].ctx, &ns, e) < 0)
			return -1;
		if (round >= 0)
			samples[k * (size_t)rounds + (size_t)round] = ns;
	}
	return 0;
}

int probe_rounds(
    struct probe *p, const struct variant *v, size_t n, int rounds, double *samples, struct err *e)
{
	for (int r = -1; r < rounds; r++) {
		int end = take_turns(v, n, r, rounds, samples, e);

		if (end < 0)
			return stopped ? (r < 0 ? 0 : r) : -1;
		if (end > 0)
			return r < 0 ? 0 : r;
		probe_progress(p, "%s ...: round %d of %d", v[0].name, r + 1, rounds);
	}
	return rounds;
}

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
