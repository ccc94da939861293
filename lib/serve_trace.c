#include "lib/serve_trace.h"
#include "lib/clock.h"
#include "lib/mem.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APART_NS 1000000000u /* between two dumps for slow requests */

static const char header[] =
    "dump\treason\trequest\tconnection\top\tflags\terror\tslot\tbars\tsets\treceived_ns\tread_ns"
    "\tparse_ns\twait_ns\tcompute_ns\treply_ns\twrite_ns\n";

int trace_init(struct trace *t, size_t n, uint64_t slow_ns, const char *path)
{
	*t = (struct trace){.n = n, .slow_ns = slow_ns, .path = path};
	if (n == 0)
		return 0;
	t->ring = mem_alloc(2 * n * sizeof *t->ring);
	if (!t->ring)
		return -1;
	t->copy = t->ring + n;
	return 0;
}

void trace_free(struct trace *t)
{
	mem_free(t->ring);
}

void trace_add(struct trace *t, const struct serve_event *v)
{
	if (t->n == 0)
		return;
	t->ring[t->count++ % t->n] = *v;
	if (t->slow_ns && v->begun_ns - v->received_ns > t->slow_ns)
		trace_wish(t, "slow");
}

void trace_sent(struct trace *t, uint64_t since, uint64_t connection, uint64_t now_ns)
{
	if (t->count - since > t->n)
		since = t->count - t->n;
	for (; t->n && since < t->count; since++)
		if (t->ring[since % t->n].connection == connection)
			t->ring[since % t->n].written_ns = now_ns;
}

void trace_wish(struct trace *t, const char *reason)
{
	uint64_t now = clock_ns();

	if (strcmp(reason, "slow") == 0) {
		if (t->dumped_ns && now - t->dumped_ns < APART_NS)
			return;
		t->dumped_ns = now;
	}
	t->wish = reason;
}

static unsigned long long span(uint64_t from, uint64_t to)
{
	return from && to > from ? to - from : 0;
}

static void put_event(struct trace *t, const struct serve_event *v)
{
	const char *op = frame_op_name(v->op);

	out_printf(&t->out, "%u\t%s\t%llu\t%llu\t%s\t%s\t%u\t%u\t%u\t%u\t%llu", t->dumps, t->reason,
	    (unsigned long long)v->number, (unsigned long long)v->connection, op ? op : "?",
	    (v->flags & FLAG_STAMP && v->flags & FLAG_DRY) ? "stamp,dry"
	    : v->flags & FLAG_STAMP                        ? "stamp"
	    : v->flags & FLAG_DRY                          ? "dry"
							   : "-",
	    v->error, v->slot, v->n_bars, v->n_sets, (unsigned long long)v->received_ns);
	out_printf(&t->out, "\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\n",
	    span(v->first_ns, v->received_ns), span(v->received_ns, v->parsed_ns),
	    span(v->parsed_ns, v->started_ns), span(v->started_ns, v->finished_ns),
	    span(v->finished_ns, v->begun_ns), span(v->begun_ns, v->written_ns));
}

static void write_dump(struct pool_job *job, size_t part, struct scratch *scratch)
{
	struct trace *t = (struct trace *)(void *)((char *)job - offsetof(struct trace, job));
	struct stat st;
	int fd = t->path ? open(t->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666)
			 : STDERR_FILENO;

	(void)part;
	(void)scratch;
	if (fd < 0) {
		err_errno(&t->e, "%s: cannot open for writing", t->path);
		return;
	}
	out_init(&t->out, fd, t->path ? t->path : "<stderr>");
	if (!t->path || (fstat(fd, &st) == 0 && st.st_size == 0))
		out_str(&t->out, header);
	for (size_t i = 0; i < t->n_copy; i++)
		put_event(t, &t->copy[i]);
	if (out_flush(&t->out, &t->e) == 0)
		t->e.text[0] = '\0';
	if (t->path)
		close(fd);
}

int trace_dump(struct trace *t, struct pool *pool)
{
	uint64_t first = t->count > t->n ? t->count - t->n : 0;

	if (!t->wish || t->busy || t->n == 0)
		return 0;
	t->reason = t->wish;
	t->wish = NULL;
	t->dumps++;
	t->n_copy = 0;
	for (uint64_t i = first; i < t->count; i++)
		t->copy[t->n_copy++] = t->ring[i % t->n];
	t->job.run = write_dump;
	t->job.parts = 1;
	t->busy = 1;
	if (pool) {
		pool_submit(pool, &t->job);
		return 1;
	}
	pool_run_here(&t->job, NULL);
	t->busy = 0;
	return 0;
}

void trace_done(struct trace *t)
{
	t->busy = 0;
}
