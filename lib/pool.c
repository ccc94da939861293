#include "lib/pool.h"
#include "lib/clock.h"
#include "lib/mem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct queue {
	struct pool_job *first, *last;
};

struct thread {
	struct pool *pool;
	unsigned number;
	pthread_t id;
	struct scratch scratch;
	unsigned called; /* the last pool_each it took part in */
};

struct pool {
	pthread_mutex_t lock; /* guards everything below but fd */
	pthread_cond_t work, called;
	struct queue ready, done;
	int stopping;
	void (*each)(void *, unsigned);
	void *each_arg;
	unsigned call, calls_left;
	int fd;
	unsigned n;
	struct thread threads[];
};

void *scratch_get(struct scratch *s, size_t n)
{
	if (n <= s->size)
		return s->p;
	mem_free(s->p);
	s->p = mem_alloc(n);
	s->size = s->p ? n : 0;
	return s->p;
}

void scratch_free(struct scratch *s)
{
	mem_free(s->p);
	*s = (struct scratch){0};
}

static void push(struct queue *q, struct pool_job *j)
{
	j->next = NULL;
	if (q->first)
		q->last->next = j;
	else
		q->first = j;
	q->last = j;
}

static struct pool_job *pop(struct queue *q)
{
	struct pool_job *j = q->first;

	if (j)
		q->first = j->next;
	return j;
}

/* Takes a part of the foremost job, which then goes behind the others if it has more. */
static struct pool_job *take(struct pool *p, size_t *part)
{
	struct pool_job *j = pop(&p->ready);

	*part = j->next_part++;
	if (*part == 0)
		j->started_ns = clock_ns();
	if (j->next_part < j->parts)
		push(&p->ready, j);
	return j;
}

static void finish(struct pool *p, struct pool_job *j)
{
	uint64_t one = 1;

	if (--j->parts_left)
		return;
	j->finished_ns = clock_ns();
	push(&p->done, j);
	/* Under the lock, so that pool_done's reset cannot fall between push and signal. */
	(void)!write(p->fd, &one, sizeof one);
}

static void *thread_main(void *arg)
{
	struct thread *t = arg;
	struct pool *p = t->pool;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		if (t->called != p->call) {
			t->called = p->call;
			p->each(p->each_arg, t->number);
			if (--p->calls_left == 0)
				pthread_cond_signal(&p->called);
		} else if (p->ready.first) {
			size_t part;
			struct pool_job *j = take(p, &part);

			pthread_mutex_unlock(&p->lock);
			j->run(j, part, &t->scratch);
			pthread_mutex_lock(&p->lock);
			finish(p, j);
		} else if (p->stopping) {
			break;
		} else {
			pthread_cond_wait(&p->work, &p->lock);
		}
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static int start_threads(struct pool *p, unsigned n, struct err *e)
{
	sigset_t all, old;
	int bad = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (p->n < n && !bad) {
		struct thread *t = &p->threads[p->n];

		*t = (struct thread){.pool = p, .number = p->n};
		bad = pthread_create(&t->id, NULL, thread_main, t);
		p->n += !bad;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (bad)
		err_set(e, STATUS_FAILED, "compute thread %u of %u: %s (see -j)", p->n + 1, n,
		    strerror(bad));
	return bad ? -1 : 0;
}

struct pool *pool_start(unsigned n, struct err *e)
{
	struct pool *p = mem_alloc(sizeof *p + n * sizeof p->threads[0]);

	if (!p) {
		err_errno(e, "compute threads");
		return NULL;
	}
	*p = (struct pool){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	if (p->fd < 0) {
		err_errno(e, "compute threads: eventfd");
		mem_free(p);
		return NULL;
	}
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->called, NULL);
	if (start_threads(p, n, e) < 0) {
		pool_stop(p);
		return NULL;
	}
	return p;
}

void pool_stop(struct pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stopping = 1;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->n; i++) {
		pthread_join(p->threads[i].id, NULL);
		scratch_free(&p->threads[i].scratch);
	}
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->called);
	pthread_mutex_destroy(&p->lock);
	close(p->fd);
	mem_free(p);
}

void pool_submit(struct pool *p, struct pool_job *job)
{
	job->next_part = 0;
	job->parts_left = job->parts;
	pthread_mutex_lock(&p->lock);
	push(&p->ready, job);
	if (job->parts > 1)
		pthread_cond_broadcast(&p->work);
	else
		pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
}

void pool_run_here(struct pool_job *job, struct scratch *scratch)
{
	job->started_ns = clock_ns();
	for (size_t i = 0; i < job->parts; i++)
		job->run(job, i, scratch);
	job->finished_ns = clock_ns();
}

int pool_fd(const struct pool *p)
{
	return p->fd;
}

struct pool_job *pool_done(struct pool *p)
{
	struct pool_job *j;
	uint64_t n;

	pthread_mutex_lock(&p->lock);
	j = pop(&p->done);
	if (!p->done.first)
		(void)!read(p->fd, &n, sizeof n);
	pthread_mutex_unlock(&p->lock);
	return j;
}

void pool_trim(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	for (unsigned i = 0; i < p->n; i++)
		scratch_free(&p->threads[i].scratch);
	pthread_mutex_unlock(&p->lock);
}

void pool_each(struct pool *p, void (*f)(void *arg, unsigned thread), void *arg)
{
	pthread_mutex_lock(&p->lock);
	p->each = f;
	p->each_arg = arg;
	p->call++;
	p->calls_left = p->n;
	pthread_cond_broadcast(&p->work);
	while (p->calls_left)
		pthread_cond_wait(&p->called, &p->lock);
	pthread_mutex_unlock(&p->lock);
}
