#include "cmd/hmasweep.h"
#include "cmd/tool.h"
#include "lib/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct serve_stats stats;
static struct out output;

/* Says a filter's first error; the others are in the replies. */
static void on_error(
    void *user, uint64_t number, uint64_t offset, enum frame_error code, const char *text)
{
	struct wishes *w = user;

	(void)code;
	if (w->errors++ == 0)
		tool_say("<stdin>: %s %llu at byte %llu: %s", w->serve.json ? "line" : "frame",
		    (unsigned long long)number, (unsigned long long)offset, text);
}

static void log_line(void *user, const char *text)
{
	(void)user;
	tool_say("%s", text);
}

static void print_stats(struct serve *s)
{
	static struct out o;

	out_init(&o, STDERR_FILENO, "<stderr>");
	serve_write_stats(s, &o);
	out_flush(&o, NULL);
}

static void on_signal(void *user, struct serve *s, int signal)
{
	(void)user;
	if (signal == SIGUSR2)
		print_stats(s);
	else
		serve_dump_trace(s);
}

/* The instruction set and the kernel, refused aloud where they do not compute as defined. */
static void check_kernel(enum hma_kernel kernel)
{
	const char *isa = getenv("IPCTAX_ISA");

	if (isa && *isa && hma_isa_force(isa) < 0)
		tool_usage("IPCTAX_ISA: '%.40s' is unknown or not in this machine", isa);
	if (hma_self_test(kernel) < 0)
		tool_fail(STATUS_FAILED,
		    "kernel %s (%s) differs from reference on this machine: use -k reference",
		    hma_kernel_name(kernel), hma_isa());
}

/* Sockets that a supervisor hands over from descriptor 3 on, as sd_listen_fds(3) has it. */
static int handed_over(void)
{
	const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");

	if (!n || !pid || strtol(pid, NULL, 10) != (long)getpid())
		return 0;
	return (int)tool_int("LISTEN_FDS", n, 0, 1024);
}

/* A dump comes when it is too late to mend its file's name. */
static void try_trace_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);

	if (fd < 0)
		tool_fail(
		    STATUS_FAILED, "--trace-file: %s: cannot open: %s", path, strerror(errno));
	close(fd);
}

static void preload(struct serve *s, const struct wishes *w)
{
	struct slots *slots = serve_slots(s);
	struct err e;

	for (int i = 0; i < w->n_preload; i++) {
		const char *eq = strchr(w->preload[i], '=');
		char number[16] = "";

		if (!eq || !eq[1] || (size_t)(eq - w->preload[i]) >= sizeof number)
			tool_usage("-P: SLOT=FILE is wanted, as in 0=closes.npy");
		memcpy(number, w->preload[i], (size_t)(eq - w->preload[i]));
		if (slots_load_file(slots,
			(size_t)tool_int("-P", number, 0, (int64_t)slots_count(slots) - 1), eq + 1,
			w->map, &e) < 0)
			tool_die(&e);
	}
}

static void say_grant(void *user, const char *name, const struct cpu_grant *g)
{
	(void)user;
	if (g->state == CPU_REFUSED || g->state == CPU_IMPOSSIBLE)
		tool_say("--%s: %s: %s; going on without", name, cpu_state_name(g->state), g->text);
}

/* As many descriptors as the connections may need, if the hard limit has them. */
static void raise_descriptors(uint64_t connections)
{
	struct rlimit r;
	rlim_t want = (rlim_t)connections + 64;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur >= want)
		return;
	r.rlim_cur = r.rlim_max < want ? r.rlim_max : want;
	setrlimit(RLIMIT_NOFILE, &r);
}

/* Ends a server that could not start: what it has bound so far is taken back. */
static _Noreturn void give_up(struct serve *s, const struct err *e)
{
	serve_free(s);
	tool_die(e);
}

/* Where it listens, in one line on stderr and on the descriptor that asked for it. */
static void announce(struct serve *s, const char *names, int ready_fd)
{
	struct err e;

	tool_say("ready:%s", names);
	if (ready_fd < 0)
		return;
	if (io_write_all(ready_fd, names + 1, strlen(names + 1)) < 0 ||
	    io_write_all(ready_fd, "\n", 1) < 0) {
		err_errno(&e, "--ready-fd %d", ready_fd);
		give_up(s, &e);
	}
	close(ready_fd);
}

static void add_listener(struct serve *s, const struct listener *l, char *names, size_t cap)
{
	struct err e;

	if (serve_add_listener(s, l, &e) < 0)
		give_up(s, &e);
	if (strlen(names) + strlen(l->name) + 2 < cap)
		strcat(strcat(names, " "), l->name);
	if (!l->loopback)
		tool_say("%s: reached from other machines, and asks nobody who he is", l->name);
}

/* Opens every address; names puts them together. */
static void open_doors(struct serve *s, const struct wishes *w, char *names, size_t cap)
{
	int n = handed_over();
	struct listener l;
	struct err e;

	for (int fd = 3; fd < 3 + n; fd++) {
		if (listen_inherited(&l, fd, &e) < 0)
			give_up(s, &e);
		add_listener(s, &l, names, cap);
	}
	if (listen_is(STDIN_FILENO)) { /* inetd's wait, s6-ipcserver-socketbinder */
		if (listen_inherited(&l, STDIN_FILENO, &e) < 0)
			give_up(s, &e);
		add_listener(s, &l, names, cap);
	}
	for (int i = 0; i < w->n_where; i++) {
		if ((w->kind[i] == 'u' ? listen_unix : listen_tcp)(&l, w->where[i], &e) < 0)
			give_up(s, &e);
		add_listener(s, &l, names, cap);
	}
}

static void open_filter(struct serve *s, const struct wishes *w)
{
	struct err e;

	if (!w->output && !w->serve.json)
		tool_no_terminal("pipe it to unframe, or -o FILE");
	tool_output(&output, w->output);
	if (serve_add_stdio(s, STDIN_FILENO, output.fd, &e) < 0) {
		out_abort(&output);
		tool_die(&e);
	}
}

static void finish(struct serve *s, const struct wishes *w, int served)
{
	enum status status = serve_status(s);

	if (w->stats)
		print_stats(s);
	serve_free(s);
	if (served)
		exit(status);
	tool_finish(&output, status);
}

int main(int argc, char **argv)
{
	struct wishes w = {.ready_fd = -1,
	    .serve = {.kernel = HMA_AUTO,
		.ring_spin_ns = 50000,
		.fee = 0.09,
		.threads = 1,
		.limits = serve_default_limits,
		.placement.numa = -1,
		.stats = &stats,
		.say = log_line,
		.on_signal = on_signal,
		.user = &w}};
	static char names[WISHES * 256];
	struct serve *s;
	struct err e;
	int server;

	tool_init("hmasweep", hmasweep_help);
	hmasweep_parse(&w, argc, argv);
	w.serve.output = w.output && strcmp(w.output, "-") != 0 ? w.output : NULL;
	check_kernel(w.serve.kernel);
	if (w.serve.trace_path)
		try_trace_file(w.serve.trace_path);
	server = w.n_where || handed_over() || listen_is(STDIN_FILENO);
	if (!server)
		w.serve.on_error = on_error;
	if (!server && w.serve.threads == 1)
		w.serve.threads = 0; /* alone with one stream, the loop itself computes */
	if (w.serve.spin && sysconf(_SC_NPROCESSORS_ONLN) == 1) {
		tool_say("--spin: refused: there is one processor; going on without");
		w.serve.spin = 0;
	}
	s = serve_new(&w.serve, &e);
	if (!s)
		tool_die(&e);
	placement_each(serve_place(s), say_grant, NULL);
	preload(s, &w);
	if (server && w.output)
		tool_usage("-o: a server answers on its sockets; -o is a filter's");
	if (server) {
		signal(SIGPIPE, SIG_IGN);
		raise_descriptors(w.serve.limits.connections);
		if (serve_as_server(s, &e) < 0)
			tool_die(&e);
		open_doors(s, &w, names, sizeof names);
		announce(s, names, w.ready_fd);
	} else {
		open_filter(s, &w);
	}
	if (serve_run(s, &e) < 0) {
		if (!server)
			out_abort(&output);
		tool_die(&e);
	}
	finish(s, &w, server);
}
