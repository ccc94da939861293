/* How a run is told to end, and where it tells how far it is. */
#include "cmd/probe.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

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
