/* Suite kernel: what the engine costs before any boundary, on each kernel. */
#include "cmd/probe.h"
#include "lib/clock.h"
#include "lib/mem.h"

#include <stdio.h>
#include <string.h>

#define KERNELS 4

struct sweep {
	const struct workload *work;
	enum hma_kernel kernel;
	void *scratch;
	struct hma_result *got;
};

static int run_sweep(void *ctx, int round, double *ns, struct err *e)
{
	struct sweep *s = ctx;
	const struct workload *w = s->work;
	uint64_t start = clock_ns();

	(void)round;
	(void)e;
	hma_sweep(s->kernel, w->closes, w->n_bars, w->sets, w->n_sets, w->fee, s->scratch, s->got);
	*ns = (double)(clock_ns() - start);
	return 0;
}

static int open_sweep(struct sweep *s, const struct workload *w, enum hma_kernel k, struct err *e)
{
	size_t size = hma_scratch_size(k, w->n_bars, hma_max_window(w->sets, w->n_sets, w->n_bars));

	*s = (struct sweep){w, k, mem_alloc(size), mem_alloc(w->n_sets * sizeof *s->got)};
	if (!s->scratch || !s->got)
		return err_errno(e, "kernel: %zu bytes", size);
	hma_sweep(k, w->closes, w->n_bars, w->sets, w->n_sets, w->fee, s->scratch, s->got);
	return probe_gate(w, 0, w->n_sets, s->got, hma_kernel_name(k), e);
}

static int add_rows(struct probe *p, const struct variant *v, double *samples, size_t rounds,
    size_t stride, struct err *e)
{
	struct row *row[KERNELS];
	double scratch[1024];
	size_t work = p->work.n_bars * p->work.n_sets;

	for (size_t k = 0; k < KERNELS; k++) {
		row[k] = row_add(&p->result, "kernel", v[k].name, "ns");
		if (!row[k])
			return err_errno(e, "kernel");
		row_label(row[k], "kernel", "%s", v[k].name);
		row_label(row[k], "isa", "%s", k < HMA_VECTOR ? "compiler's" : hma_isa());
		row_ratio(row[k], "reference",
		    stat_ratio_paired(samples + k * stride, samples, rounds, scratch));
		row_pressure(row[k], &v[k], &v[0]);
	}
	/* Only now: row_samples sorts, and pairs were of the same round. */
	for (size_t k = 0; k < KERNELS; k++) {
		row_samples(row[k], samples + k * stride, rounds);
		row_extra(row[k], "per_bar_and_set_ns", work ? row[k]->median / (double)work : 0);
		row_extra(row[k], "times_faster", 1 / row[k]->ratio.ratio);
	}
	return 0;
}

int suite_kernel(struct probe *p, struct err *e)
{
	int rounds = p->rounds ? p->rounds : p->quick ? 9 : 3;
	struct sweep s[KERNELS] = {0};
	struct variant v[KERNELS];
	double *samples = mem_alloc(KERNELS * (size_t)rounds * sizeof *samples);
	int bad = samples ? 0 : err_errno(e, "kernel"), done = 0;

	for (int k = 0; k < KERNELS; k++)
		v[k] = (struct variant){
		    .name = hma_kernel_name((enum hma_kernel)k), .run = run_sweep, .ctx = &s[k]};
	for (int k = 0; k < KERNELS && !bad; k++)
		bad = open_sweep(&s[k], &p->work, (enum hma_kernel)k, e);
	if (!bad)
		done = probe_rounds(p, v, KERNELS, rounds, samples, e);
	if (!bad && done < 0)
		bad = -1;
	if (!bad && done > 0)
		bad = add_rows(p, v, samples, (size_t)done, (size_t)rounds, e);
	for (int k = 0; k < KERNELS; k++) {
		mem_free(s[k].scratch);
		mem_free(s[k].got);
	}
	mem_free(samples);
	return bad;
}
