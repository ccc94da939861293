#include "lib/serve_stats.h"
#include "lib/clock.h"

#include <string.h>

#define SECOND 1000000000u

const char *const stage_names[STAGE_COUNT] = {"read", "parse", "wait", "compute", "write"};

void serve_stats_init(struct serve_stats *s)
{
	s->start_ns = clock_ns();
	for (int i = 0; i < STAGE_COUNT; i++) {
		s->stage[i].min = UINT64_MAX;
		s->dry_stage[i].min = UINT64_MAX;
	}
}

void serve_stats_request(struct serve_stats *s, const struct serve_event *v)
{
	uint64_t second = v->begun_ns / SECOND;
	struct hist *h = s->stage;

	if (v->flags & FLAG_DRY) {
		s->dry[v->op]++;
		h = s->dry_stage;
	} else {
		s->requests[v->op]++;
	}
	if (!v->untimed) {
		hist_record(&h[STAGE_READ], (int64_t)(v->received_ns - v->first_ns));
		hist_record(&h[STAGE_PARSE], (int64_t)(v->parsed_ns - v->received_ns));
		hist_record(&h[STAGE_WAIT], (int64_t)(v->started_ns - v->parsed_ns));
		hist_record(&h[STAGE_COMPUTE], (int64_t)(v->finished_ns - v->started_ns));
	}
	if (s->rate[second % RATE_SECONDS].second != second) {
		s->rate[second % RATE_SECONDS].second = second;
		s->rate[second % RATE_SECONDS].requests = 0;
	}
	s->rate[second % RATE_SECONDS].requests++;
}

void serve_stats_error(struct serve_stats *s, enum frame_error code)
{
	s->errors[code]++;
}

double serve_stats_rate(const struct serve_stats *s, uint64_t now_ns, unsigned seconds)
{
	uint64_t now = now_ns / SECOND, n = 0;

	for (int i = 0; i < RATE_SECONDS; i++)
		if (s->rate[i].second < now && s->rate[i].second + seconds >= now)
			n += s->rate[i].requests;
	return (double)n / seconds;
}
