#include "lib/series_request.h"
#include "lib/codec_json.h"
#include "lib/mem.h"

#define STEP ((size_t)4096) /* bars read into the writer's buffer at a time */

static int ended(const struct series *s, struct err *e)
{
	return err_set(e, STATUS_FAILED, "%s: ended before its last bar", s->in.name);
}

int series_request_put(struct out *o, const struct frame_head *head, struct series *s,
    const struct hma_set *sets, struct err *e)
{
	size_t left = head->n_bars;

	out_used(o, frame_head_write(out_room(o, 4 + FRAME_HEAD_MAX), head));
	while (left) {
		size_t want = left < STEP ? left : STEP;
		double bars[STEP];
		int64_t got = series_read(s, bars, want, e);

		if (got < 0)
			return -1;
		if (got == 0)
			return ended(s, e);
		out_put(o, bars, (size_t)got * sizeof *bars);
		if (o->error) /* the rest would be for nobody */
			return 0;
		left -= (size_t)got;
	}
	if (head->n_sets)
		out_put(o, sets, (size_t)head->n_sets * sizeof *sets);
	return 0;
}

int series_request_json(struct out *o, const struct frame_head *head, struct series *s,
    const struct hma_set *sets, struct err *e)
{
	double *bars = mem_alloc((size_t)head->n_bars * sizeof *bars);
	int64_t got = bars ? series_read(s, bars, head->n_bars, e) : err_errno(e, "memory");
	struct request r = {*head, (unsigned char *)bars, (const unsigned char *)sets};
	struct buf line = {0};
	int bad = got < 0;

	if (!bad && (uint64_t)got < head->n_bars)
		bad = ended(s, e);
	if (!bad)
		bad = codec_json_request_write(&line, &r, e);
	if (!bad)
		out_put(o, line.p, line.len);
	buf_free(&line);
	mem_free(bars);
	return bad ? -1 : 0;
}

int series_ticks_put(
    struct out *o, const struct frame_head *head, struct series *s, uint32_t n, struct err *e)
{
	struct request r = {*head, NULL, NULL};
	double *bars;
	int64_t got;

	if (n > s->n) /* memory for what there is, not for what was asked */
		n = s->n ? (uint32_t)s->n : 1;
	bars = mem_alloc((size_t)n * sizeof *bars);
	r.closes = (unsigned char *)bars;
	got = bars ? (int64_t)n : err_errno(e, "memory");

	while (got == (int64_t)n && !o->error) {
		if (!series_ready(s) && out_flush(o, e) < 0)
			break;
		got = series_read(s, bars, n, e);
		r.head.n_bars = (uint32_t)got;
		if (got > 0)
			request_put(o, &r);
	}
	mem_free(bars);
	return got < 0 ? -1 : 0;
}
