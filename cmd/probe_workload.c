#include "cmd/probe.h"
#include "lib/gbm.h"
#include "lib/grid.h"
#include "lib/io.h"
#include "lib/mem.h"
#include "lib/message.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FEE 0.09 /* engines are compared at this fee, ipctax-frame(5) */

/* Owns what p->work points to. */
static struct {
	double *closes;
	struct hma_set *sets;
	struct grid grid;
} held;

static int make_default(struct probe *p, struct err *e)
{
	size_t n = p->quick ? 15000 : 150000;
	struct gbm_params params = GBM_DEFAULTS;
	struct gbm g;

	held.closes = mem_alloc(n * sizeof *held.closes);
	if (!held.closes)
		return err_errno(e, "workload");
	gbm_init(&g, &params);
	if (gbm_next(&g, held.closes, n, e) < 0 ||
	    grid_parse(&held.grid, p->quick ? "6:200:8" : GRID_DEFAULT, e) < 0)
		return -1;
	p->work.closes = held.closes;
	p->work.n_bars = n;
	p->work.sets = held.grid.sets;
	p->work.n_sets = held.grid.n;
	return 0;
}

static int copy_request(struct probe *p, const struct frame_reader *r, struct err *e)
{
	struct frame_head h;
	struct request q;
	struct err why;

	if (frame_head_parse(&h, r->body.p, r->body.len, r->body.len, &why) != FRAME_OK)
		return err_set(e, STATUS_INPUT, "%s: frame 1: %.800s", r->name, why.text);
	if (h.op != OP_SWEEP || h.n_bars == 0 || h.n_sets == 0)
		return err_set(e, STATUS_INPUT,
		    "%s: frame 1 is no sweep of bars and sets: make one with frame(1)", r->name);
	request_locate(&q, &h, r->body.p);
	held.closes = mem_alloc((size_t)h.n_bars * sizeof *held.closes);
	held.sets = mem_alloc((size_t)h.n_sets * sizeof *held.sets);
	if (!held.closes || !held.sets)
		return err_errno(e, "%s", r->name);
	memcpy(held.closes, q.closes, (size_t)h.n_bars * sizeof *held.closes);
	memcpy(held.sets, q.sets, (size_t)h.n_sets * sizeof *held.sets);
	for (uint32_t i = 0; i < h.n_sets; i++) {
		const int64_t *window = &held.sets[i].half;

		for (int k = 0; k < 6; k++)
			if (window[k] < 1)
				return err_set(e, STATUS_INPUT, "%s: set %u: %s is %lld, below 1",
				    r->name, i + 1, hma_set_names[k], (long long)window[k]);
	}
	p->work = (struct workload){
	    .closes = held.closes, .n_bars = h.n_bars, .sets = held.sets, .n_sets = h.n_sets};
	return 0;
}

static int read_request(struct probe *p, const char *path, struct err *e)
{
	struct frame_reader r;
	const char *name;
	int fd = io_open(path, &name, e), got, ok;

	if (fd < 0)
		return -1;
	frame_reader_init(&r, fd, name);
	got = frame_reader_next(&r, e);
	if (got == 0)
		err_set(e, STATUS_INPUT, "%s: no frame in it: gbmgen | frame makes one", name);
	ok = got > 0 && copy_request(p, &r, e) == 0;
	/* All of frame --chatty, say: the first alone is not the job. */
	if (ok && (got = frame_reader_next(&r, e)) != 0) {
		ok = 0;
		if (got > 0)
			err_set(e, STATUS_INPUT,
			    "%s: a second frame: the workload is one request with all sets", name);
	}
	frame_reader_free(&r);
	if (fd != STDIN_FILENO)
		close(fd);
	return ok ? 0 : -1;
}

static int expect_results(struct workload *w, struct err *e)
{
	int64_t window = hma_max_window(w->sets, w->n_sets, w->n_bars);
	void *scratch = mem_alloc(hma_scratch_size(HMA_REFERENCE, w->n_bars, window));

	w->expect = mem_alloc(w->n_sets * sizeof *w->expect);
	if (!scratch || !w->expect) {
		mem_free(scratch);
		return err_errno(e, "workload");
	}
	hma_sweep(
	    HMA_REFERENCE, w->closes, w->n_bars, w->sets, w->n_sets, w->fee, scratch, w->expect);
	mem_free(scratch);
	return 0;
}

/* FNV-1a, 64 bits: which closes and sets they are, whatever file they came from. */
static uint64_t digest(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 0x100000001b3;
	return hash;
}

int probe_workload(struct probe *p, const char *path, struct err *e)
{
	uint64_t hash = 0xcbf29ce484222325;
	char text[160];
	int n;

	if (path ? read_request(p, path, e) : make_default(p, e))
		return -1;
	p->work.fee = FEE;
	hash = digest(hash, p->work.closes, p->work.n_bars * sizeof *p->work.closes);
	hash = digest(hash, p->work.sets, p->work.n_sets * sizeof *p->work.sets);
	n = snprintf(text, sizeof text, "%zu set%s x %zu bar%s, fee %g, FNV-1a %016llx",
	    p->work.n_sets, err_plural(p->work.n_sets), p->work.n_bars, err_plural(p->work.n_bars),
	    p->work.fee, (unsigned long long)hash);
	if (buf_append(&p->result.workload, text, (size_t)n + 1) < 0)
		return err_errno(e, "workload");
	return expect_results(&p->work, e);
}

void probe_free(struct probe *p)
{
	mem_free(held.closes);
	mem_free(held.sets);
	mem_free(p->work.expect);
	grid_free(&held.grid);
	result_free(&p->result);
}
