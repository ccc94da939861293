/*
 * What it costs to watch one request: the clock readings and histograms of an
 * echo on a socket, ns a request, and of those what the clock alone takes.
 */
#include "lib/clock.h"
#include "lib/serve_stats.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 31
#define REQUESTS 20000

static struct serve_stats stats;

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* As lib/serve_conn.c, serve_op.c and serve_reply.c do it, one in sixteen with all stages. */
static void watch(int i)
{
	struct serve_event v = {.op = OP_ECHO, .first_ns = clock_ns(), .untimed = i % 16 != 0};
	uint64_t sent;

	if (v.untimed) {
		v.received_ns = v.begun_ns = v.first_ns;
		serve_stats_request(&stats, &v);
		return;
	}

	v.received_ns = v.first_ns;
	v.parsed_ns = v.started_ns = v.finished_ns = v.begun_ns = clock_ns();
	serve_stats_request(&stats, &v);
	sent = clock_ns();
	hist_record(&stats.stage[STAGE_WRITE], (int64_t)(sent - v.begun_ns));
}

/* Of this thread, so that others on the processor do not count. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(void)
{
	double ns[ROUNDS];

	serve_stats_init(&stats);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = cpu_ns();

		for (int k = 0; k < REQUESTS; k++)
			watch(k);
		ns[i] = (double)(cpu_ns() - start) / REQUESTS;
	}
	qsort(ns, ROUNDS, sizeof ns[0], by_size);
	printf("%.1f\t%llu\n", ns[ROUNDS / 2], (unsigned long long)clock_measure().call_ns);
	return 0;
}
