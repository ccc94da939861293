/* Suite spawn: what a process costs, by how it is started, what it is, and who starts it. */
#include "cmd/probe_spawn.h"
#include "lib/clock.h"
#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE ((size_t)256 << 20)
#define QUICK_LARGE ((size_t)64 << 20)
#define METHODS 3
#define PROGRAMS 2
#define PARENTS 2
#define STARTS (METHODS * PROGRAMS * PARENTS)

extern char **environ;

/* What the parent holds besides what it needs: touched pages, which fork must map again. */
struct parent {
	void *block;
	size_t size;
};

struct program {
	const char *name;
	char what[80], path[4096], *argv[3];
	char why[200]; /* it cannot be run; "" while it can */
};

struct start {
	const char *method;
	int (*run)(const struct program *p, int null, pid_t *pid); /* 0, or an errno */
	struct program *program;
	struct parent *parent;
	int large, null;
	char name[80];
};

/* In the child of fork or vfork: nothing that would touch the parent's memory. */
static _Noreturn void become(const struct program *p, int null)
{
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	execve(p->path, p->argv, environ);
	_exit(127);
}

static int by_fork(const struct program *p, int null, pid_t *pid)
{
	*pid = fork();
	if (*pid == 0)
		become(p, null);
	return *pid < 0 ? errno : 0;
}

static int by_vfork(const struct program *p, int null, pid_t *pid)
{
	pid_t child = vfork();

	if (child == 0)
		become(p, null);
	*pid = child;
	return child < 0 ? errno : 0;
}

static int by_posix_spawn(const struct program *p, int null, pid_t *pid)
{
	posix_spawn_file_actions_t a;
	int bad = posix_spawn_file_actions_init(&a);

	if (bad)
		return bad;
	bad = posix_spawn_file_actions_adddup2(&a, null, STDIN_FILENO);
	if (!bad)
		bad = posix_spawn_file_actions_adddup2(&a, null, STDOUT_FILENO);
	if (!bad)
		bad = posix_spawn(pid, p->path, &a, NULL, p->argv, environ);
	posix_spawn_file_actions_destroy(&a);
	return bad;
}

static const struct {
	const char *name;
	int (*run)(const struct program *p, int null, pid_t *pid);
} methods[METHODS] = {{"posix_spawn", by_posix_spawn}, {"vfork", by_vfork}, {"fork", by_fork}};

/* Grows or shrinks the parent; untimed. Small pages, as most heaps have them. */
static int resize(struct parent *p, int large)
{
	if (!large == !p->block)
		return 0;
	if (!large) {
		munmap(p->block, p->size);
		p->block = NULL;
		return 0;
	}
	p->block = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->block == MAP_FAILED) {
		p->block = NULL;
		return -1;
	}
	madvise(p->block, p->size, MADV_NOHUGEPAGE);
	memset(p->block, 1, p->size);
	return 0;
}

/* From before the start to after the end has been waited for. */
static int run_start(void *ctx, int round, double *ns, struct err *e)
{
	struct start *s = ctx;
	int status = 0, bad;
	uint64_t start;
	pid_t pid;

	(void)round;
	if (resize(s->parent, s->large) < 0)
		return err_errno(e, "spawn: %zu bytes of memory", s->parent->size);
	start = clock_ns();
	bad = s->run(s->program, s->null, &pid);
	if (bad) {
		errno = bad;
		return err_errno(e, "spawn: %s", s->name);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*ns = (double)(clock_ns() - start);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return err_set(e, STATUS_FAILED, "spawn: %s: the program ended with status %d", s->name,
	    WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* One trial tells whether the machine runs it at all. */
static void try_program(struct program *p, struct parent *parent, int null)
{
	struct start s = {.run = by_posix_spawn, .program = p, .parent = parent, .null = null};
	struct err e;
	double ns;

	snprintf(s.name, sizeof s.name, "%s", p->name);
	if (!p->why[0] && run_start(&s, -1, &ns, &e) < 0)
		snprintf(p->why, sizeof p->why, "%.190s", e.text);
}

static void describe_programs(
    const struct probe *p, struct program program[PROGRAMS], int tiny, const struct err *tiny_why)
{
	static char tiny_name[] = "tiny", version[] = "--version";
	/* All tools are linked alike; who was not started by a dynamic linker is static. */
	int dynamic = getauxval(AT_BASE) != 0;

	program[0] = (struct program){.name = "tiny"};
	snprintf(program[0].what, sizeof program[0].what, "static, two instructions, no libc");
	snprintf(program[0].path, sizeof program[0].path, "/proc/self/fd/%d", tiny);
	program[0].argv[0] = tiny_name;
	if (tiny < 0)
		snprintf(program[0].why, sizeof program[0].why, "%.190s", tiny_why->text);
	program[1] = (struct program){.name = "libc"};
	snprintf(program[1].what, sizeof program[1].what, "%s, hmasweep --version",
	    dynamic ? "dynamic" : "static");
	snprintf(program[1].path, sizeof program[1].path, "%s/hmasweep", p->tools);
	program[1].argv[0] = program[1].path;
	program[1].argv[1] = version;
}

static int add_rows(struct probe *p, const struct start *s, const struct variant *v,
    double *samples, size_t rounds, size_t stride, const size_t *column, struct err *e)
{
	struct row *row[STARTS];
	double scratch[1024];

	for (size_t i = 0; i < STARTS; i++) {
		/* posix_spawn of the same program by the small parent. */
		size_t base = i % (METHODS * PROGRAMS) / METHODS * METHODS;

		row[i] = row_add(&p->result, "spawn", s[i].name, "ns");
		if (!row[i])
			return err_errno(e, "spawn");
		row_label(row[i], "method", "%s", s[i].method);
		row_label(row[i], "program", "%s", s[i].program->what);
		row_label(row[i], "parent", s[i].large ? "%zu MiB touched" : "small",
		    s[i].parent->size >> 20);
		if (s[i].program->why[0]) {
			row_skip(row[i], "%s", s[i].program->why);
			continue;
		}
		row_ratio(row[i], s[base].name,
		    stat_ratio_paired(samples + column[i] * stride, samples + column[base] * stride,
			rounds, scratch));
		row_pressure(row[i], &v[column[i]], &v[column[base]]);
	}
	for (size_t i = 0; i < STARTS; i++)
		if (!s[i].program->why[0])
			row_samples(row[i], samples + column[i] * stride, rounds);
	return 0;
}

static int measure(struct probe *p, struct start *s, int rounds, struct err *e)
{
	double *samples = mem_alloc(STARTS * (size_t)rounds * sizeof *samples);
	size_t column[STARTS], n = 0;
	struct variant v[STARTS];
	int done;

	if (!samples)
		return err_errno(e, "spawn");
	for (size_t i = 0; i < STARTS; i++)
		if (!s[i].program->why[0]) {
			column[i] = n;
			v[n++] = (struct variant){
			    .name = s[i].name, .run = run_start, .ctx = &s[i], .elsewhere = 1};
		}
	done = probe_rounds(p, v, n, rounds, samples, e);
	if (done > 0)
		done = add_rows(p, s, v, samples, (size_t)done, (size_t)rounds, column, e);
	mem_free(samples);
	return done < 0 ? -1 : 0;
}

int spawn_starts(struct probe *p, struct err *e)
{
	int rounds = p->rounds ? p->rounds : p->quick ? 9 : 21, bad;
	struct parent parent = {NULL, p->quick ? QUICK_LARGE : LARGE};
	static struct program program[PROGRAMS];
	struct start s[STARTS];
	struct err why;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), tiny = spawn_tiny(&why);

	describe_programs(p, program, tiny, &why);
	for (size_t i = 0; i < PROGRAMS; i++)
		try_program(&program[i], &parent, null);
	for (size_t i = 0; i < STARTS; i++) {
		size_t m = i % METHODS, k = i / METHODS % PROGRAMS;

		s[i] = (struct start){.method = methods[m].name,
		    .run = methods[m].run,
		    .program = &program[k],
		    .parent = &parent,
		    .large = i >= METHODS * PROGRAMS,
		    .null = null};
		snprintf(s[i].name, sizeof s[i].name, "%s %s %s parent", methods[m].name,
		    program[k].name, s[i].large ? "large" : "small");
	}
	bad = measure(p, s, rounds, e);
	resize(&parent, 0);
	close(null);
	if (tiny >= 0)
		close(tiny);
	return bad;
}

int suite_spawn(struct probe *p, struct err *e)
{
	int bad = spawn_starts(p, e);

	return bad || probe_stopped() ? bad : spawn_engines(p, e);
}
