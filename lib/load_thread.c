#include "lib/clock.h"
#include "lib/load_thread.h"

#include <sys/prctl.h>
#include <time.h>

#define SECOND ((uint64_t)1000000000)

unsigned load_arrive(struct load_run *r)
{
	unsigned gate = r->gate;

	r->waiting++;
	if (r->waiting == r->parties) {
		r->waiting = 0;
		r->gate++;
		pthread_cond_broadcast(&r->cond);
	}
	return gate;
}

static void pass_gate(struct load_run *r)
{
	unsigned mine;

	pthread_mutex_lock(&r->lock);
	mine = load_arrive(r);
	while (r->gate == mine)
		pthread_cond_wait(&r->cond, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

static void fail(struct load_run *r, const struct err *e)
{
	pthread_mutex_lock(&r->lock);
	if (!r->failed)
		*r->e = *e;
	r->failed = 1;
	pthread_mutex_unlock(&r->lock);
}

/* Hands the interval's histogram over when the main thread has asked for it. */
static void between(struct load_worker *w)
{
	struct load_thread *t = (struct load_thread *)(void *)w;
	unsigned epoch = atomic_load_explicit(&t->run->epoch, memory_order_relaxed);

	if (epoch == t->epoch)
		return;
	pthread_mutex_lock(&t->run->lock);
	w->tally->recording ^= 1;
	t->epoch = epoch;
	pthread_cond_broadcast(&t->run->cond);
	pthread_mutex_unlock(&t->run->lock);
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void place(struct load_thread *t)
{
	const struct load_config *k = t->run->config;

	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	if (k->n_cpus)
		cpu_pin(k->cpus[t->w.index % k->n_cpus], &t->pin);
	if (k->fifo)
		cpu_fifo(k->fifo, &t->fifo);
}

static int open_all(struct load_thread *t, struct err *e)
{
	for (size_t i = 0; i < t->w.n; i++) {
		struct load_conn *c = &t->w.conns[i];

		if (load_conn_open(c, t->run->config, (size_t)(c - t->run->conns), t->w.tally, e) <
		    0)
			return -1;
		c->sample_lock = &t->run->sample_lock;
	}
	return 0;
}

static int prepare_all(struct load_thread *t, struct err *e)
{
	for (size_t i = 0; i < t->w.n; i++)
		if (load_conn_prepare(&t->w.conns[i], e) < 0)
			return -1;
	return 0;
}

/* This thread's part of a count that all share. */
static uint64_t share(uint64_t count, const struct load_thread *t)
{
	size_t n = t->run->n;

	return count == UINT64_MAX ? count : count / n + (t->w.index < count % n);
}

/* A number of requests, then a time; replies must already be right. */
static void warm(struct load_thread *t)
{
	const struct load_config *k = t->run->config;
	uint64_t now = clock_ns();

	if (k->warm_count)
		load_loop(&t->w, k->warm_count * t->w.n, now, UINT64_MAX, 0);
	if (k->warm_ns)
		load_loop(&t->w, UINT64_MAX, now, now + k->warm_ns, 0);
}

static void measure(struct load_thread *t)
{
	const struct load_config *k = t->run->config;
	uint64_t start = t->run->start, cpu;

	for (size_t i = 0; i < t->w.n; i++)
		t->w.conns[i].start = start;
	cpu = thread_cpu_ns();
	t->w.tally->bytes_there = t->w.tally->bytes_back = 0;
	load_loop(&t->w, share(k->count, t), start,
	    k->duration_ns > UINT64_MAX - start ? UINT64_MAX : start + k->duration_ns, 1);
	t->cpu_ns = thread_cpu_ns() - cpu;
}

void *load_thread(void *user)
{
	struct load_thread *t = user;
	struct load_run *r = t->run;
	uint64_t until;
	struct err e;

	t->w.between = between;
	place(t);
	if (open_all(t, &e) < 0)
		fail(r, &e);
	pass_gate(r);
	if (!r->failed && prepare_all(t, &e) < 0)
		fail(r, &e);
	pass_gate(r);
	if (!r->failed)
		warm(t);
	pass_gate(r); /* all are warm: the main thread sets the start */
	pass_gate(r);
	if (!r->failed)
		measure(t);
	pthread_mutex_lock(&r->lock);
	r->finished++;
	pthread_cond_broadcast(&r->cond);
	pthread_mutex_unlock(&r->lock);
	pass_gate(r); /* the peer's processor time is read while it lives */
	for (size_t i = 0; i < t->w.n; i++)
		load_conn_end(&t->w.conns[i]);
	until = clock_ns() + (r->config->timeout_ns < SECOND ? r->config->timeout_ns : SECOND);
	for (size_t i = 0; i < t->w.n; i++)
		load_conn_close(&t->w.conns[i], until, &t->child);
	return NULL;
}
