#include "lib/serve_placement.h"

static void place_thread(void *arg, unsigned thread)
{
	struct placement *p = arg;
	struct cpu_grant g;

	if (p->numa >= 0)
		cpu_numa(p->numa, &g);
	if (p->n_cpus < 2)
		return;
	/* Threads take turns here; the first refusal is the one that is told. */
	cpu_pin(p->cpus[1 + thread % (p->n_cpus - 1)], &g);
	if (p->compute_cpu.state == CPU_NOT_ASKED || p->compute_cpu.state == CPU_GRANTED)
		p->compute_cpu = g;
}

void placement_apply(struct placement *p, struct pool *pool)
{
	if (pool && (p->numa >= 0 || p->n_cpus > 1))
		pool_each(pool, place_thread, p);
	if (p->numa >= 0)
		cpu_numa(p->numa, &p->node);
	if (p->n_cpus)
		cpu_pin(p->cpus[0], &p->cpu);
	if (p->fifo)
		cpu_fifo(p->fifo, &p->priority);
	if (p->mlock)
		cpu_mlock(&p->lock);
}

void placement_each(const struct placement *p,
    void (*f)(void *user, const char *name, const struct cpu_grant *g), void *user)
{
	f(user, "cpu", &p->cpu);
	f(user, "compute_cpu", &p->compute_cpu);
	f(user, "fifo", &p->priority);
	f(user, "numa", &p->node);
	f(user, "mlock", &p->lock);
}
