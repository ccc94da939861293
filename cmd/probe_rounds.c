/* Samples in turns, each in a quiet moment where one is to be had. */
#include "cmd/probe.h"
#include "lib/clock.h"
#include "lib/mem.h"
#include "lib/sibling.h"

/*
 * A busy sibling comes and goes. A sample shorter than its spells can be moved between
 * them, a longer one averages over them; these say what counts as which.
 */
#define PATIENCE_NS 60e6
#define SHORT_NS 100e6
#define RARE 32 /* fewer than one look in so many */
#define ALLOWED_SHARE 0.25
#define ALLOWED_NS 2e9
#define QUICK_ALLOWED_NS 5e8

/*
 * Looks at the siblings. Alone is the lowest pressure that is not rare: a single low
 * figure is a look that went wrong.
 */
static double look(struct probe *p, const struct variant *v)
{
	double x = v->elsewhere ? sibling_pressure_both() : sibling_pressure();
	uint64_t below = 0;
	size_t i = 0;

	if (x < 1 + (PRESSURES - 1) / 100.0)
		i = x < 1 ? 0 : (size_t)(100 * (x - 1));
	else
		i = PRESSURES - 1;
	p->sibling.seen[i]++;
	p->sibling.looks++;
	for (i = 0; i < PRESSURES - 1; i++) {
		below += p->sibling.seen[i];
		if (below * RARE > p->sibling.looks)
			break;
	}
	p->sibling.alone = 1 + (double)(i + 1) / 100;
	return x;
}

static int is_busy(const struct probe *p, double pressure)
{
	return pressure > p->sibling.alone * PROBE_BUSY;
}

/* What waiting and repeating may still take: a part of what the samples take, and a little. */
struct allowance {
	double ns;
};

/* The pressure when it begins: the first quiet moment, or the last that was waited for. */
static double await_quiet(struct probe *p, const struct variant *v, struct allowance *left)
{
	uint64_t start = clock_ns(), waited = 0;
	double pressure = look(p, v);

	while (is_busy(p, pressure) && waited < PATIENCE_NS && (double)waited < left->ns &&
	       !probe_stopped()) {
		pressure = look(p, v);
		waited = clock_ns() - start;
	}
	left->ns -= (double)waited;
	return pressure;
}

/* One sample and the pressure beside it; again while that is high and may be. 1: stopped. */
static int take(struct probe *p, const struct variant *v, int round, struct allowance *left,
    double *ns, double *pressure, struct err *e)
{
	for (;;) {
		double before, after;
		uint64_t begun;

		if (probe_stopped())
			return 1;
		before = round < 0 ? look(p, v) : await_quiet(p, v, left);
		begun = clock_ns();
		if (v->run(v->ctx, round, ns, e) < 0)
			return -1;
		after = look(p, v);
		*pressure = after > before ? after : before;
		if (round < 0)
			return 0;
		if (!is_busy(p, *pressure) || *ns > SHORT_NS || *ns > left->ns)
			break;
		/* With the look, beside which a short sample is nothing. */
		left->ns -= (double)(clock_ns() - begun);
	}
	left->ns += *ns * ALLOWED_SHARE;
	p->sibling.kept++;
	p->sibling.beside += is_busy(p, *pressure);
	return 0;
}

/* What probe_rounds works on. */
struct turns {
	struct probe *p;
	struct variant *v;
	size_t n;
	int rounds;
	double *samples, *pressure; /* n * rounds; both untouched by round -1 */
	struct allowance left;
};

/* One round in the order first..last or back. */
static int take_turns(struct turns *t, int round, struct err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t k = round % 2 == 0 ? i : t->n - 1 - i;
		double ns, pressure;
		int end = take(t->p, &t->v[k], round, &t->left, &ns, &pressure, e);

		if (end)
			return end;
		if (round < 0)
			continue;
		t->samples[k * (size_t)t->rounds + (size_t)round] = ns;
		t->pressure[k * (size_t)t->rounds + (size_t)round] = pressure;
	}
	return 0;
}

static int all_rounds(struct turns *t, struct err *e)
{
	for (int r = -1; r < t->rounds; r++) {
		int end = take_turns(t, r, e);

		if (end < 0 && !probe_stopped())
			return -1;
		if (end)
			return r < 0 ? 0 : r;
		probe_progress(t->p, "%s ...: round %d of %d", t->v[0].name, r + 1, t->rounds);
	}
	return t->rounds;
}

int probe_rounds(
    struct probe *p, struct variant *v, size_t n, int rounds, double *samples, struct err *e)
{
	struct turns t = {.p = p,
	    .v = v,
	    .n = n,
	    .rounds = rounds,
	    .samples = samples,
	    .pressure = mem_alloc(n * (size_t)rounds * sizeof *t.pressure),
	    .left = {p->quick ? QUICK_ALLOWED_NS : ALLOWED_NS}};
	int done;

	if (!t.pressure)
		return err_errno(e, "%s", v[0].name);
	done = all_rounds(&t, e);
	for (size_t k = 0; k < n && done > 0; k++)
		v[k].pressure = stat_median(t.pressure + k * (size_t)rounds, (size_t)done);
	mem_free(t.pressure);
	return done;
}
