/*
 * Suite alloc: a server that takes a buffer for each request beside one that
 * keeps its buffers, under the same closed loop, in turns A B B A.
 */
#include "cmd/probe.h"
#include "lib/clock.h"
#include "lib/io.h"
#include "lib/mem.h"
#include "lib/message.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define ARMS 2
#define MAX_BLOCKS 200

/* The server of one arm, on a thread of this process. */
struct arm {
	const char *name;
	int fresh; /* a buffer a request */
	int fd;    /* the client's end */
	int server_fd;
	pthread_t thread;
	_Atomic long faults; /* minor page faults of the server thread so far */
	struct hist *all, *block;
	double p99[MAX_BLOCKS], p50[MAX_BLOCKS];
	double faults_a_request;
};

static long thread_faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_minflt;
}

/* Echoes frames: the same reader and parser that the tools use. */
static void *serve(void *arg)
{
	struct arm *a = arg;
	struct frame_reader r;
	struct frame_head h;
	unsigned char length[4];
	struct err e;

	frame_reader_init(&r, a->server_fd, "alloc");
	while (frame_reader_next(&r, &e) > 0) {
		if (frame_head_parse(&h, r.body.p, r.body.len, r.body.len, &e) != FRAME_OK)
			break;
		put_u32(length, (uint32_t)(h.n_bars * sizeof(double)));
		a->faults = thread_faults();
		if (io_write_all(a->server_fd, length, sizeof length) < 0 ||
		    io_write_all(a->server_fd, r.body.p + FRAME_HEAD, h.n_bars * sizeof(double)) <
			0)
			break;
		if (a->fresh)
			buf_free(&r.body);
	}
	frame_reader_free(&r);
	return NULL;
}

static int open_arm(struct arm *a, struct err *e)
{
	int fds[2];

	a->fd = -1;
	a->all = mem_alloc(sizeof *a->all);
	a->block = mem_alloc(sizeof *a->block);
	if (!a->all || !a->block)
		return err_errno(e, "alloc");
	hist_reset(a->all);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return err_errno(e, "alloc: socketpair");
	a->server_fd = fds[1];
	if ((errno = pthread_create(&a->thread, NULL, serve, a))) {
		close(fds[0]);
		close(fds[1]);
		return err_errno(e, "alloc: thread");
	}
	a->fd = fds[0];
	return 0;
}

static void close_arm(struct arm *a)
{
	if (a->fd >= 0) {
		shutdown(a->fd, SHUT_RDWR);
		pthread_join(a->thread, NULL);
		close(a->fd);
		close(a->server_fd);
	}
	mem_free(a->all);
	mem_free(a->block);
}

/* The request and the place for its echo, alike for both arms. */
struct load {
	unsigned char *request, *reply;
	size_t size, reply_size; /* whole frames */
};

static int open_load(struct load *l, uint32_t n_bars, struct err *e)
{
	struct frame_head h = {.op = OP_ECHO, .n_bars = n_bars};
	size_t head = 4 + FRAME_HEAD;

	l->size = head + n_bars * sizeof(double);
	l->reply_size = 4 + n_bars * sizeof(double);
	l->request = mem_alloc(l->size + FRAME_HEAD_MAX);
	l->reply = mem_alloc(l->reply_size);
	if (!l->request || !l->reply)
		return err_errno(e, "alloc");
	frame_head_write(l->request, &h);
	for (uint32_t i = 0; i < n_bars; i++)
		put_f64(l->request + head + i * sizeof(double), 100 + i);
	return 0;
}

static int call(struct arm *a, const struct load *l, struct err *e)
{
	uint64_t start = clock_ns();
	ssize_t got;

	if (io_write_all(a->fd, l->request, l->size) < 0)
		return err_errno(e, "alloc: %s: write", a->name);
	got = io_read_full(a->fd, l->reply, l->reply_size);
	if (got != (ssize_t)l->reply_size)
		return err_set(e, STATUS_FAILED, "alloc: %s: the echo ended early", a->name);
	hist_record(a->block, (int64_t)(clock_ns() - start));
	if (memcmp(l->reply + 4, l->request + 4 + FRAME_HEAD, l->reply_size - 4) != 0)
		return err_set(
		    e, STATUS_DIFFER, "alloc: %s: the echo is not what was sent", a->name);
	return 0;
}

static int run_block(struct arm *a, const struct load *l, int block, int calls, struct err *e)
{
	long faults = a->faults;
	uint64_t p99, p50;

	hist_reset(a->block);
	for (int i = 0; i < calls; i++)
		if (call(a, l, e) < 0)
			return -1;
	a->faults_a_request += (double)(a->faults - faults) / calls;
	if (hist_at_rank(a->block, (uint64_t)(calls * 99 + 99) / 100, &p99) < 0)
		p99 = a->block->max;
	if (hist_at_rank(a->block, ((uint64_t)calls + 1) / 2, &p50) < 0)
		p50 = a->block->max;
	a->p99[block] = (double)p99;
	a->p50[block] = (double)p50;
	hist_merge(a->all, a->block);
	return 0;
}

static int add_rows(struct probe *p, struct arm *arm, size_t size, int blocks, struct err *e)
{
	double scratch[MAX_BLOCKS];

	for (int k = 0; k < ARMS; k++) {
		struct arm *a = &arm[k];
		struct stat_ratio p50;
		struct row *row;
		char name[80];

		snprintf(name, sizeof name, "%s %zu B", a->name, size);
		row = row_add(&p->result, "alloc", name, "ns");
		if (!row)
			return err_errno(e, "alloc");
		row_label(row, "buffers", "%s", a->name);
		row_label(row, "wait", "block");
		row_label(row, "order", "A B B A, alternating");
		row_hist(row, a->all);
		snprintf(name, sizeof name, "%s %zu B", arm[0].name, size);
		row_ratio(
		    row, name, stat_ratio_paired(a->p99, arm[0].p99, (size_t)blocks, scratch));
		p50 = stat_ratio_paired(a->p50, arm[0].p50, (size_t)blocks, scratch);
		row_extra(row, "p50_ratio", p50.ratio);
		row_extra(row, "p50_ratio_low", p50.has_interval ? p50.low : NAN);
		row_extra(row, "p50_ratio_high", p50.has_interval ? p50.high : NAN);
		row_extra(row, "page_faults_a_request", a->faults_a_request / blocks);
		row_extra(row, "size_bytes", (double)size);
		row_note(row, "ratio is of p99, block by block (blocks: %d)", blocks);
		if (k == 1)
			snprintf(row->published, sizeof row->published,
			    "p99 280 to 55 ms with all measures (exchange, measured)");
	}
	return 0;
}

static int measure(struct probe *p, uint32_t n_bars, int blocks, int calls, struct err *e)
{
	struct arm arm[ARMS] = {{.name = "buffer a request", .fresh = 1, .fd = -1},
	    {.name = "buffers reused", .fd = -1}};
	struct load l = {0};
	int done = 0, bad = open_load(&l, n_bars, e);

	for (int k = 0; k < ARMS && !bad; k++)
		bad = open_arm(&arm[k], e);
	/* One block of each untimed, then A B, B A, ... */
	for (int k = 0; k < ARMS && !bad; k++) {
		bad = run_block(&arm[k], &l, 0, calls, e);
		if (!bad)
			hist_reset(arm[k].all);
		arm[k].faults_a_request = 0;
	}
	for (; done < blocks && !bad && !probe_stopped(); done++)
		for (int k = 0; k < ARMS && !bad; k++)
			bad = run_block(&arm[(k + done) % 2], &l, done, calls, e);
	if (!bad && done)
		bad = add_rows(p, arm, n_bars * sizeof(double), done, e);
	for (int k = 0; k < ARMS; k++)
		close_arm(&arm[k]);
	mem_free(l.request);
	mem_free(l.reply);
	return bad;
}

int suite_alloc(struct probe *p, struct err *e)
{
	int blocks = p->rounds ? p->rounds : p->quick ? 9 : 21;

	if (blocks > MAX_BLOCKS)
		blocks = MAX_BLOCKS;
	if (measure(p, 1024, blocks, p->quick ? 500 : 2000, e) < 0)
		return -1;
	return measure(p, 150000, blocks, p->quick ? 100 : 400, e);
}
