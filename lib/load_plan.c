#include "lib/load_plan.h"
#include "lib/gbm.h"
#include "lib/mem.h"

#include <errno.h>
#include <string.h>

enum { FRAMES, WANTS, CLOSES, SETS };

static int no_memory(struct err *e)
{
	errno = ENOMEM;
	return err_errno(e, "requests");
}

void load_plan_free(struct load_plan *p)
{
	for (size_t i = 0; i < sizeof p->memory / sizeof *p->memory; i++)
		buf_free(&p->memory[i]);
	mem_free(p->requests);
	*p = (struct load_plan){0};
}

/* Appends n bytes, or leaves room where p is NULL. 0, or -1. */
static int add(struct buf *b, const void *p, size_t n)
{
	if (p)
		return buf_append(b, p, n);
	if (buf_reserve(b, n) < 0)
		return -1;
	b->len += n;
	return 0;
}

/* The first n closes of the default series. */
static int make_closes(struct load_plan *p, uint64_t n, struct err *e)
{
	struct gbm_params params = GBM_DEFAULTS;
	struct gbm g;

	if (n > (FRAME_LIMIT_MAX - FRAME_HEAD_MAX) / sizeof(double))
		return err_set(
		    e, STATUS_USAGE, "%llu closes do not fit in a frame", (unsigned long long)n);
	if (add(&p->memory[CLOSES], NULL, (size_t)n * sizeof(double)) < 0)
		return no_memory(e);
	gbm_init(&g, &params);
	return gbm_next(&g, (double *)(void *)p->memory[CLOSES].p, (size_t)n, e);
}

/*
 * Appends the frame of a request to p->memory[FRAMES]; its place there is kept
 * in r->frame as an offset until load_plan_settle, since the buffer moves.
 */
static int put_frame(struct load_plan *p, struct load_request *r, const struct frame_head *head_of,
    const void *closes, const void *sets, struct err *e)
{
	struct frame_head stamped = *head_of, *h = &stamped;
	unsigned char head[4 + FRAME_HEAD_MAX];
	struct buf *b = &p->memory[FRAMES];
	size_t at = b->len;

	h->flags |= p->stamp ? FLAG_STAMP : 0;
	r->head = frame_head_write(head, h);
	if (buf_append(b, head, r->head) < 0 ||
	    (h->n_bars && buf_append(b, closes, (size_t)h->n_bars * sizeof(double)) < 0) ||
	    (h->n_sets && buf_append(b, sets, (size_t)h->n_sets * FRAME_SET_SIZE) < 0))
		return no_memory(e);
	r->frame = (const unsigned char *)at;
	r->len = b->len - at;
	r->stamp = h->flags & FLAG_STAMP ? FRAME_STAMP_SIZE : 0;
	r->n = (size_t)(frame_reply_size(h) - r->stamp);
	r->want = LOAD_WANT_LENGTH;
	return 0;
}

/* Offsets become addresses, now that the buffers stay where they are. */
static void settle_one(const struct load_plan *p, struct load_request *r)
{
	if (!r->len)
		return;
	r->frame = p->memory[FRAMES].p + (size_t)r->frame;
	if (r->want == LOAD_WANT_BYTES)
		r->bytes = p->memory[WANTS].p + (size_t)r->bytes;
}

static int settle(struct load_plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		settle_one(p, &p->requests[i]);
	settle_one(p, &p->once);
	settle_one(p, &p->each);
	return 0;
}

static int make_requests(struct load_plan *p, size_t n, double fee, struct err *e)
{
	*p = (struct load_plan){.fee = fee, .stamp = p->stamp};
	p->requests = mem_alloc((n ? n : 1) * sizeof *p->requests);
	if (!p->requests)
		return no_memory(e);
	memset(p->requests, 0, n * sizeof *p->requests);
	p->n = n;
	return 0;
}

/* Appends what a sweep has to answer: computed here, by a kernel that this machine can trust. */
static int put_results(struct load_plan *p, struct load_request *r, const double *closes,
    size_t n_bars, const struct hma_set *sets, size_t n_sets, struct err *e)
{
	enum hma_kernel k = hma_self_test(HMA_FILTERED) == 0 ? HMA_FILTERED : HMA_REFERENCE;
	size_t need = hma_scratch_size(k, n_bars, hma_max_window(sets, n_sets, n_bars));
	struct hma_result *results = mem_alloc((n_sets ? n_sets : 1) * sizeof *results);
	void *scratch = mem_alloc(need ? need : 1);
	struct buf *b = &p->memory[WANTS];
	size_t at = b->len, i;

	if (!results || !scratch || add(b, NULL, 16 * n_sets) < 0) {
		mem_free(results);
		mem_free(scratch);
		return no_memory(e);
	}
	hma_sweep(k, closes, n_bars, sets, n_sets, p->fee, scratch, results);
	for (i = 0; i < n_sets; i++) {
		put_f64(b->p + at + 8 * i, results[i].pnl);
		put_u64(b->p + at + 8 * (n_sets + i), (uint64_t)results[i].trades);
	}
	mem_free(results);
	mem_free(scratch);
	r->want = LOAD_WANT_BYTES;
	r->bytes = (const unsigned char *)at;
	return 0;
}

int load_plan_echo(struct load_plan *p, uint64_t n_bytes, struct err *e)
{
	struct frame_head h = {.op = OP_ECHO, .n_bars = (uint32_t)(n_bytes / 8)};

	if (make_requests(p, 1, 0, e) < 0 || make_closes(p, n_bytes / 8, e) < 0 ||
	    put_frame(p, p->requests, &h, p->memory[CLOSES].p, NULL, e) < 0)
		return -1;
	p->requests->want = LOAD_WANT_ECHO;
	return settle(p);
}

int load_plan_sweep(struct load_plan *p, uint64_t n_bars, const struct hma_set *sets, size_t n_sets,
    double fee, struct err *e)
{
	struct frame_head h = {
	    .op = OP_SWEEP, .n_bars = (uint32_t)n_bars, .n_sets = (uint32_t)n_sets};
	const double *closes;

	if (make_requests(p, 1, fee, e) < 0 || make_closes(p, n_bars, e) < 0)
		return -1;
	closes = (const double *)(const void *)p->memory[CLOSES].p;
	if (put_frame(p, p->requests, &h, closes, sets, e) < 0 ||
	    put_results(p, p->requests, closes, (size_t)n_bars, sets, n_sets, e) < 0)
		return -1;
	return settle(p);
}

int load_plan_slot(struct load_plan *p, uint32_t slot, uint64_t n_bars, const struct hma_set *sets,
    size_t n_sets, double fee, struct err *e)
{
	struct frame_head load = {.op = OP_LOAD, .slot = slot, .n_bars = (uint32_t)n_bars};
	struct frame_head h = {.op = OP_SWEEP_SLOT, .slot = slot, .n_sets = 1};
	const double *closes;

	if (make_requests(p, n_sets, fee, e) < 0 || make_closes(p, n_bars, e) < 0)
		return -1;
	closes = (const double *)(const void *)p->memory[CLOSES].p;
	if (put_frame(p, &p->once, &load, closes, NULL, e) < 0)
		return -1;
	for (size_t i = 0; i < n_sets; i++)
		if (put_frame(p, &p->requests[i], &h, NULL, &sets[i], e) < 0 ||
		    put_results(p, &p->requests[i], closes, (size_t)n_bars, &sets[i], 1, e) < 0)
			return -1;
	return settle(p);
}

int load_plan_tick(
    struct load_plan *p, uint64_t n_bars, const struct hma_set *set, double fee, struct err *e)
{
	struct frame_head open = {.op = OP_OPEN, .slot = FRAME_NO_SLOT, .n_sets = 1};
	struct frame_head h = {.op = OP_TICK, .n_bars = (uint32_t)n_bars};
	uint64_t series = 150000, n = n_bars < series ? series / n_bars : 1;

	if (make_requests(p, (size_t)n, fee, e) < 0 || make_closes(p, n * n_bars, e) < 0 ||
	    buf_append(&p->memory[SETS], set, sizeof *set) < 0 ||
	    put_frame(p, &p->each, &open, NULL, set, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (put_frame(
			p, &p->requests[i], &h, p->memory[CLOSES].p + i * n_bars * 8, NULL, e) < 0)
			return -1;
		p->requests[i].want = LOAD_WANT_TICK;
		p->requests[i].n = 24;
	}
	p->live_set = (const struct hma_set *)(const void *)p->memory[SETS].p;
	return settle(p);
}

/* What is known of the reply to a recorded request. */
static int expect(
    struct load_plan *p, struct load_request *r, const struct request *q, struct err *e)
{
	struct buf *closes = &p->memory[CLOSES], *sets = &p->memory[SETS];

	if (r->n == (size_t)UINT64_MAX) {
		r->want = LOAD_WANT_ANY;
		return 0;
	}
	if (q->head.flags & FLAG_DRY)
		return 0;
	if (q->head.op == OP_ECHO) {
		r->want = LOAD_WANT_BYTES;
		r->bytes = (const unsigned char *)p->memory[WANTS].len;
		return add(&p->memory[WANTS], q->closes, r->n) < 0 ? no_memory(e) : 0;
	}
	if (q->head.op != OP_SWEEP)
		return 0;
	/* Copied, since frames lie at any alignment. */
	closes->len = sets->len = 0;
	if (add(closes, q->closes, (size_t)q->head.n_bars * sizeof(double)) < 0 ||
	    add(sets, q->sets, (size_t)q->head.n_sets * FRAME_SET_SIZE) < 0)
		return no_memory(e);
	return put_results(p, r, (const double *)(const void *)closes->p, q->head.n_bars,
	    (const struct hma_set *)(const void *)sets->p, q->head.n_sets, e);
}

/* Whether an engine will compute these windows at all. */
static int windows_valid(const struct request *q)
{
	for (size_t i = 0; q->sets && i < (size_t)q->head.n_sets * 6; i++)
		if (get_i64(q->sets + 8 * i) < 1)
			return 0;
	return 1;
}

/* One recorded request behind those before; the array of requests grows by doubling. */
static int replay_one(struct load_plan *p, const struct frame_reader *in, struct err *e)
{
	struct request q;
	struct err why;
	const char *bad = NULL;

	if (in->word & FRAME_ERROR_BIT)
		bad = "an error frame, no request";
	else if (frame_head_parse(&q.head, in->body.p, in->body.len, in->word, &why) != FRAME_OK)
		bad = why.text;
	else if (q.head.op == OP_RING)
		bad = "a ring cannot be replayed";
	else
		request_locate(&q, &q.head, in->body.p);
	if (!bad && !windows_valid(&q))
		bad = "a window is below 1";
	if (bad)
		return err_set(e, STATUS_INPUT, "%s: frame %llu at byte %llu: %s", in->name,
		    (unsigned long long)in->number, (unsigned long long)in->offset, bad);
	if ((p->n & (p->n - 1)) == 0) {
		void *more = mem_resize(p->requests, (p->n ? 2 * p->n : 1) * sizeof *p->requests);

		if (!more)
			return no_memory(e);
		p->requests = more;
	}
	p->requests[p->n] = (struct load_request){0};
	if (put_frame(p, &p->requests[p->n], &q.head, q.closes, q.sets, e) < 0 ||
	    expect(p, &p->requests[p->n], &q, e) < 0)
		return -1;
	p->n++;
	return 0;
}

int load_plan_replay(struct load_plan *p, int fd, const char *name, double fee, struct err *e)
{
	struct frame_reader in;
	int got;

	*p = (struct load_plan){.fee = fee};
	frame_reader_init(&in, fd, name);
	in.limit = FRAME_LIMIT_MAX;
	while ((got = frame_reader_next(&in, e)) > 0)
		if ((got = replay_one(p, &in, e)) < 0)
			break;
	frame_reader_free(&in);
	if (got == 0 && p->n == 0)
		got = err_set(e, STATUS_INPUT, "%s: no requests to replay", name);
	return got < 0 ? -1 : settle(p);
}
