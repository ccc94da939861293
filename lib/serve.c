#include "lib/mem.h"
#include "lib/serve_impl.h"
#include "lib/cpu.h"
#include "lib/transport_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

const struct serve_limits serve_default_limits = {
    .frame = FRAME_LIMIT,
    .connections = 1024,
    .slots = 64,
    .slot_bars = (uint64_t)16 << 20,
    .memory = (uint64_t)1 << 30,
    .live = (uint64_t)64 << 20,
    .ring = (uint64_t)16 << 20,
    .idle_ns = 0,
    .grace_ns = 5000000000u,
};

static int watch(struct serve *s, int fd, enum source *source)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = source};

	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev);
}

static int start(struct serve *s, struct err *e)
{
	const struct serve_config *config = &s->config;

	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0)
		return err_errno(e, "epoll_create1");
	s->slots = slots_new((size_t)config->limits.slots, (size_t)config->limits.slot_bars);
	if (!s->slots)
		return err_errno(e, "slots");
	if (trace_init(&s->trace, config->trace, config->slow_ns, config->trace_path) < 0)
		return err_errno(e, "the flight recorder");
	s->two_processors = cpu_count() <= 2;
	if (config->threads) {
		s->pool = pool_start(config->threads, e);
		if (!s->pool)
			return -1;
		if (watch(s, pool_fd(s->pool), &s->pool_source) < 0)
			return err_errno(e, "epoll_ctl");
	}
	return 0;
}

struct serve *serve_new(const struct serve_config *config, struct err *e)
{
	struct serve *s = mem_alloc(sizeof *s);

	if (!s) {
		err_errno(e, "the server");
		return NULL;
	}
	memset(s, 0, sizeof *s);
	s->config = *config;
	s->framing = config->json ? &framing_json : &framing_frames;
	s->epoll = s->signals = s->spare = -1;
	s->pool_source = SOURCE_POOL;
	s->signal_source = SOURCE_SIGNAL;
	out_init(&s->text, -1, "statistics");
	serve_stats_init(config->stats);
	if (start(s, e) < 0) {
		serve_free(s);
		return NULL;
	}
	return s;
}

void serve_free(struct serve *s)
{
	/* Told to hurry with computations under way: they read what would be freed. */
	if (s->computing)
		return;
	pool_stop(s->pool);
	trace_free(&s->trace);
	door_close_all(s);
	while (s->conns)
		conn_free(s->conns);
	slots_free(s->slots);
	scratch_free(&s->scratch);
	for (int *fd = (int[]){s->epoll, s->signals, s->spare, -2}; *fd != -2; fd++)
		if (*fd >= 0)
			close(*fd);
	mem_free(s);
}

enum status serve_status(const struct serve *s)
{
	return s->status;
}

struct slots *serve_slots(struct serve *s)
{
	return s->slots;
}

const struct placement *serve_place(struct serve *s)
{
	placement_apply(&s->config.placement, s->pool);
	return &s->config.placement;
}

void serve_dump_trace(struct serve *s)
{
	trace_wish(&s->trace, "asked");
}

int serve_fits(const struct serve *s, uint64_t n)
{
	uint64_t used = mem_use().bytes, limit = s->config.limits.memory;

	return !s->server || (used <= limit && n <= limit - used);
}

int serve_add_stdio(struct serve *s, int in, int out, struct err *e)
{
	struct conn *c = conn_new(s);

	if (!c)
		return err_errno(e, "the connection");
	transport_stdio(&c->stream, in, out);
	s->config.stats->connections++;
	conn_ready(c);
	return 0;
}

int serve_as_server(struct serve *s, struct err *e)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->server = 1;
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (s->signals < 0 || watch(s, s->signals, &s->signal_source) < 0)
		return err_errno(e, "signalfd");
	return 0;
}
