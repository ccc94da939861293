#include "lib/clock.h"
#include "lib/load_thread.h"
#include "lib/mem.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define LOOK_NS 100000000u

/* Processor time of the process behind connection 0, where the system tells. 0, or -1. */
static int peer_cpu_ns(const struct load_run *r, uint64_t *ns)
{
	struct timespec t;
	clockid_t clock;

	if (r->conns[0].peer.peer <= 0 || clock_getcpuclockid(r->conns[0].peer.peer, &clock) ||
	    clock_gettime(clock, &t) < 0)
		return -1;
	*ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return 0;
}

/* Waits on the condition until `when` at the latest; the lock is held. */
static void wait_until(struct load_run *r, uint64_t when)
{
	struct timespec t = {(time_t)(when / 1000000000u), (long)(when % 1000000000u)};

	pthread_cond_timedwait(&r->cond, &r->lock, &t);
}

/* Asks the threads for the interval's histograms and merges those that answer in time. */
static void collect(struct load_run *r, struct hist *all)
{
	unsigned epoch = atomic_fetch_add(&r->epoch, 1) + 1;
	uint64_t until = clock_ns() + 2 * LOOK_NS;
	size_t i, ready = 0;

	hist_reset(all);
	pthread_mutex_lock(&r->lock);
	while (ready < r->n && r->finished < r->n && clock_ns() < until) {
		for (ready = i = 0; i < r->n; i++)
			ready += r->threads[i].epoch == epoch;
		if (ready < r->n)
			wait_until(r, until);
	}
	for (i = 0; i < r->n; i++) {
		struct load_tally *t = &r->tallies[i];

		/* A finished thread records no more: what it holds is whole. */
		if (r->threads[i].epoch != epoch && r->finished < r->n)
			continue;
		hist_merge(all, &t->interval[t->recording ^ 1]);
		hist_reset(&t->interval[t->recording ^ 1]);
		if (r->finished == r->n) {
			hist_merge(all, &t->interval[t->recording]);
			hist_reset(&t->interval[t->recording]);
		}
	}
	pthread_mutex_unlock(&r->lock);
}

static int stopped(const struct load_run *r)
{
	return r->config->stop && atomic_load(r->config->stop);
}

/* Waits for a change until `next`, and looks up often for waits of the others that are too long. */
static void wait_and_rescue(struct load_run *r, uint64_t next)
{
	uint64_t now = clock_ns();

	wait_until(r, next < now + LOOK_NS ? next : now + LOOK_NS);
	for (size_t i = 0; i < r->config->connections; i++)
		load_conn_rescue(&r->conns[i], now, stopped(r));
}

/* The main thread at a gate: the others may be waiting for the peer. */
static void attend_gate(struct load_run *r)
{
	unsigned mine;

	pthread_mutex_lock(&r->lock);
	mine = load_arrive(r);
	while (r->gate == mine)
		wait_and_rescue(r, UINT64_MAX);
	pthread_mutex_unlock(&r->lock);
}

/* The main thread, while the others measure. */
static void watch(struct load_run *r, struct hist *all)
{
	const struct load_config *k = r->config;
	uint64_t from = r->start, next = k->interval_ns ? from + k->interval_ns : UINT64_MAX;
	int ended = 0;

	while (!ended) {
		pthread_mutex_lock(&r->lock);
		while (r->finished < r->n && clock_ns() < next)
			wait_and_rescue(r, next);
		ended = r->finished == r->n;
		pthread_mutex_unlock(&r->lock);
		if (!k->interval_ns)
			continue;
		collect(r, all);
		if (all->n || !ended)
			k->on_interval(
			    k->user, all, from - r->start, (ended ? clock_ns() : next) - r->start);
		from = next;
		next += k->interval_ns;
	}
}

static void merge(struct load_result *to, struct load_run *r)
{
	uint64_t last = r->start;

	for (size_t i = 0; i < r->n; i++) {
		const struct load_tally *t = &r->tallies[i];

		hist_merge(&to->response, &t->response);
		hist_merge(&to->service, &t->service);
		hist_merge(&to->lateness, &t->lateness);
		hist_merge(&to->there, &t->there);
		hist_merge(&to->back, &t->back);
		to->sent += t->sent;
		to->answered += t->answered;
		to->unsent += r->threads[i].w.unsent;
		to->bytes_there += t->bytes_there;
		to->bytes_back += t->bytes_back;
		to->cpu_ns += r->threads[i].cpu_ns;
		for (int f = 0; f < LOAD_FAULTS; f++)
			to->faults[f] += t->faults[f];
		if (!to->first_fault[0])
			memcpy(to->first_fault, t->first_fault, sizeof to->first_fault);
		if (t->last_answer_ns > last)
			last = t->last_answer_ns;
		if (i == 0 || r->threads[i].pin.state == CPU_REFUSED)
			to->pin = r->threads[i].pin;
		if (i == 0 || r->threads[i].fifo.state == CPU_REFUSED)
			to->fifo = r->threads[i].fifo;
	}
	to->child = r->threads[0].child;
	to->elapsed_ns = last - r->start;
}

/* The threads with their connections; what could not be started is not counted in n. */
static int start_threads(struct load_run *r)
{
	const struct load_config *k = r->config;
	size_t each = k->connections / k->threads, more = k->connections % k->threads, at = 0, i;
	int bad = 0;

	for (i = 0; i < k->threads && !bad; i++) {
		struct load_thread *t = &r->threads[i];

		memset(&r->tallies[i], 0, sizeof r->tallies[i]);
		hist_reset(&r->tallies[i].response);
		hist_reset(&r->tallies[i].service);
		hist_reset(&r->tallies[i].lateness);
		hist_reset(&r->tallies[i].there);
		hist_reset(&r->tallies[i].back);
		hist_reset(&r->tallies[i].interval[0]);
		hist_reset(&r->tallies[i].interval[1]);
		r->tallies[i].intervals = k->interval_ns != 0;
		*t = (struct load_thread){.run = r, .random = k->seed + i};
		t->w = (struct load_worker){.config = k,
		    .conns = r->conns + at,
		    .n = each + (i < more),
		    .index = i,
		    .tally = &r->tallies[i],
		    .random = &t->random};
		at += t->w.n;
		bad = pthread_create(&t->id, NULL, load_thread, t);
	}
	r->n = bad ? i - 1 : i;
	return bad;
}

static void conduct(struct load_run *r, struct load_result *result)
{
	uint64_t peer_from = 0, peer_to = 0;
	int known;

	attend_gate(r);
	attend_gate(r);
	attend_gate(r);
	result->blocking = !r->failed && r->conns[0].peer.t.blocking;
	result->ring = !r->failed && r->conns[0].peer.ring;
	known = !r->failed && peer_cpu_ns(r, &peer_from) == 0;
	r->start = clock_ns();
	attend_gate(r);
	watch(r, &result->response);
	result->interrupted = stopped(r);
	/* A process that did nothing meanwhile has another do the work. */
	result->has_peer_cpu = known && peer_cpu_ns(r, &peer_to) == 0 && peer_to > peer_from;
	result->peer_cpu_ns = peer_to - peer_from;
	attend_gate(r);
	for (size_t i = 0; i < r->n; i++)
		pthread_join(r->threads[i].id, NULL);
}

int load_run(const struct load_config *c, struct load_result *result, struct err *e)
{
	struct load_run r = {.config = c, .e = e, .parties = SIZE_MAX};
	pthread_condattr_t monotonic;
	int bad;

	memset(result, 0, sizeof *result);
	r.conns = mem_alloc(c->connections * sizeof *r.conns);
	r.threads = mem_alloc(c->threads * sizeof *r.threads);
	r.tallies = mem_alloc(c->threads * sizeof *r.tallies);
	if (!r.conns || !r.threads || !r.tallies) {
		err_errno(e, "load");
		r.failed = 1;
	} else {
		memset(r.conns, 0, c->connections * sizeof *r.conns);
		pthread_mutex_init(&r.lock, NULL);
		pthread_mutex_init(&r.sample_lock, NULL);
		pthread_condattr_init(&monotonic);
		pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
		pthread_cond_init(&r.cond, &monotonic);
		pthread_condattr_destroy(&monotonic);
		bad = start_threads(&r);
		if (bad) {
			errno = bad;
			err_errno(e, "load: thread %zu", r.n + 1);
			r.failed = 1;
		}
		pthread_mutex_lock(&r.lock);
		r.parties = r.n + 1;
		pthread_mutex_unlock(&r.lock);
		conduct(&r, result);
		hist_reset(&result->response);
		hist_reset(&result->service);
		hist_reset(&result->lateness);
		hist_reset(&result->there);
		hist_reset(&result->back);
		merge(result, &r);
		pthread_cond_destroy(&r.cond);
		pthread_mutex_destroy(&r.lock);
		pthread_mutex_destroy(&r.sample_lock);
	}
	mem_free(r.conns);
	mem_free(r.threads);
	mem_free(r.tallies);
	return r.failed ? -1 : 0;
}

uint64_t load_faults(const struct load_result *r)
{
	uint64_t n = 0;

	for (int i = 0; i < LOAD_FAULTS; i++)
		n += r->faults[i];
	return n;
}
