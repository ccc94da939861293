#include "lib/clock.h"
#include "lib/transport_client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's descriptors; dup2 clears close-on-exec, unless source and target are the same. */
static int place(posix_spawn_file_actions_t *a, int in, int out)
{
	int bad = posix_spawn_file_actions_adddup2(a, in, STDIN_FILENO);

	return bad ? bad : posix_spawn_file_actions_adddup2(a, out, STDOUT_FILENO);
}

/* Signals as a shell would give them, and a process group: what it starts can be ended with it. */
static int set_attributes(posix_spawnattr_t *attr)
{
	sigset_t none, fatal;
	int bad;

	sigemptyset(&none);
	sigemptyset(&fatal);
	sigaddset(&fatal, SIGPIPE);
	sigaddset(&fatal, SIGINT);
	sigaddset(&fatal, SIGTERM);
	bad = posix_spawnattr_setsigmask(attr, &none);
	if (!bad)
		bad = posix_spawnattr_setsigdefault(attr, &fatal);
	if (!bad)
		bad = posix_spawnattr_setpgroup(attr, 0);
	if (!bad)
		bad = posix_spawnattr_setflags(
		    attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	return bad;
}

/* 0, or an errno. */
static int start(pid_t *pid, char *const argv[], char *const envp[], int in, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int bad = posix_spawn_file_actions_init(&actions);

	if (bad)
		return bad;
	bad = posix_spawnattr_init(&attr);
	if (!bad) {
		bad = place(&actions, in, out);
		if (!bad)
			bad = set_attributes(&attr);
		if (!bad)
			bad = posix_spawnp(pid, argv[0], &actions, &attr, argv, envp);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&actions);
	return bad;
}

/* A pipe whose ends are above stderr, so that placing one never closes the other. */
static int high_pipe(int p[2])
{
	int low[2], i;

	if (pipe2(low, O_CLOEXEC) < 0)
		return -1;
	for (i = 0; i < 2; i++) {
		p[i] = low[i] > STDERR_FILENO ? low[i] : fcntl(low[i], F_DUPFD_CLOEXEC, 3);
		if (p[i] != low[i])
			close(low[i]);
	}
	if (p[0] >= 0 && p[1] >= 0)
		return 0;
	for (i = 0; i < 2; i++)
		if (p[i] >= 0)
			close(p[i]);
	errno = EMFILE;
	return -1;
}

int transport_spawn(
    struct transport_client *c, char *const argv[], char *const envp[], struct err *e)
{
	int there[2], back[2], bad;
	pid_t pid;

	if (high_pipe(there) < 0)
		return err_errno(e, "%s: pipe", argv[0]);
	if (high_pipe(back) < 0) {
		close(there[0]);
		close(there[1]);
		return err_errno(e, "%s: pipe", argv[0]);
	}
	bad = start(&pid, argv, envp, there[0], back[1]);
	close(there[0]);
	close(back[1]);
	if (bad) {
		close(there[1]);
		close(back[0]);
		errno = bad;
		return err_errno(e, "%s: cannot run", argv[0]);
	}
	transport_inherited(c, back[0], there[1]);
	c->peer = pid;
	c->spawned = 1;
	return 0;
}

int transport_reap(struct transport_client *c, uint64_t timeout_ns, int *status, struct rusage *use)
{
	uint64_t deadline = clock_ns() + timeout_ns, pause = 100000;
	int killed = 0;

	*status = 0;
	memset(use, 0, sizeof *use);
	if (!c->spawned)
		return 0;
	for (;;) {
		pid_t got = wait4(c->peer, status, killed ? 0 : WNOHANG, use);

		if (got == c->peer)
			break;
		if (got < 0 && errno != EINTR)
			return -1;
		if (clock_ns() >= deadline && !killed) {
			kill(-c->peer, SIGKILL);
			killed = 1;
		}
		/* There is no readiness to wait for that every kernel has; ends are quick. */
		if (!killed)
			clock_sleep_until(clock_ns() + pause);
		pause = pause < 10000000 ? pause * 2 : pause;
	}
	c->spawned = 0;
	return !killed;
}
