#include "cmd/probe.h"
#include "lib/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_OPTIONS 24
#define MAX_SERVERS 8

/* What must not outlive us, whatever way we end by exit(). */
static long running[MAX_SERVERS];
static char private_dir[128];
static pid_t owner;

static void clean_up(void)
{
	struct dirent *d;
	DIR *dir;

	if (getpid() != owner)
		return; /* a forked child that failed to exec */
	for (int i = 0; i < MAX_SERVERS; i++)
		if (running[i])
			kill((pid_t)running[i], SIGKILL);
	dir = private_dir[0] ? opendir(private_dir) : NULL;
	if (!dir)
		return;
	while ((d = readdir(dir)))
		unlinkat(dirfd(dir), d->d_name, 0);
	closedir(dir);
	rmdir(private_dir);
}

const char *probe_dir(struct probe *p, struct err *e)
{
	const char *base = getenv("TMPDIR");

	if (p->dir[0])
		return p->dir;
	/* A socket's path has 107 bytes; a long TMPDIR would not fit. */
	if (!base || strlen(base) > 64)
		base = "/tmp";
	snprintf(p->dir, sizeof p->dir, "%s/ipcprobe.XXXXXX", base);
	if (!mkdtemp(p->dir)) {
		err_errno(e, "%s: cannot make a directory for sockets", p->dir);
		p->dir[0] = '\0';
		return NULL;
	}
	snprintf(private_dir, sizeof private_dir, "%s", p->dir);
	owner = getpid();
	atexit(clean_up);
	return p->dir;
}

static void remember(long pid, long now)
{
	for (int i = 0; i < MAX_SERVERS; i++)
		if (running[i] == pid) {
			running[i] = now;
			return;
		}
}

/* In the child: dies with its parent, talks to nobody, runs hmasweep. */
static _Noreturn void become_server(const char *program, char **argv, pid_t parent)
{
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	/* A Ctrl-C of the terminal is ours to handle: we end the server ourselves. */
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execv(program, argv);
	_exit(127);
}

/*
 * Waits for the line of addresses or the end of the readiness pipe; 0 when it
 * listens. The TCP address has the port that it got.
 */
static int wait_ready(int fd, struct probe_server *s)
{
	char line[512];
	ssize_t got = io_read_full(fd, line, sizeof line - 1);
	char *tcp;

	close(fd);
	if (got <= 0)
		return -1;
	line[got] = '\0';
	tcp = strstr(line, " tcp:");
	if (tcp)
		snprintf(s->tcp, sizeof s->tcp, "%.*s", (int)strcspn(tcp + 5, " \n"), tcp + 5);
	return 0;
}

int probe_server_start(
    struct probe *p, struct probe_server *s, const char *const *options, struct err *e)
{
	static unsigned number;
	char *argv[MAX_OPTIONS + 6], program[4096], ready[16];
	pid_t parent = getpid();
	int fds[2];
	size_t n = 0;

	if (!probe_dir(p, e))
		return -1;
	s->tcp[0] = '\0';
	snprintf(s->path, sizeof s->path, "%s/%u", p->dir, number++);
	snprintf(program, sizeof program, "%s/hmasweep", p->tools);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_errno(e, "pipe");
	snprintf(ready, sizeof ready, "%d", fds[1]);
	argv[n++] = program;
	argv[n++] = (char[]){"-u"};
	argv[n++] = s->path;
	argv[n++] = (char[]){"--ready-fd"};
	argv[n++] = ready;
	for (size_t i = 0; options && options[i] && i < MAX_OPTIONS; i++)
		argv[n++] = (char *)(size_t)options[i];
	argv[n] = NULL;
	s->pid = fork();
	if (s->pid == 0) {
		fcntl(fds[1], F_SETFD, 0);
		become_server(program, argv, parent);
	}
	close(fds[1]);
	if (s->pid < 0) {
		close(fds[0]);
		return err_errno(e, "fork");
	}
	remember(0, s->pid);
	if (wait_ready(fds[0], s) == 0)
		return 0;
	probe_server_stop(s);
	return err_set(e, STATUS_FAILED, "%s: did not start as a server", program);
}

double probe_server_cpu(const struct probe_server *s)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid((pid_t)s->pid, &clock) || clock_gettime(clock, &t) < 0)
		return NAN;
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double probe_server_stop(struct probe_server *s)
{
	struct rusage use = {0};
	int status;

	if (s->pid <= 0)
		return 0;
	kill((pid_t)s->pid, SIGTERM);
	while (wait4((pid_t)s->pid, &status, 0, &use) < 0 && errno == EINTR)
		;
	remember(s->pid, 0);
	s->pid = 0;
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}
