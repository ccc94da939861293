#include "lib/io.h"
#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Waits for a descriptor that somebody else made non-blocking. */
static void wait_for(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	poll(&p, 1, -1);
}

ssize_t io_read(int fd, void *p, size_t n)
{
	for (;;) {
		ssize_t got = read(fd, p, n);

		if (got >= 0)
			return got;
		if (errno == EAGAIN)
			wait_for(fd, POLLIN);
		else if (errno != EINTR)
			return -1;
	}
}

ssize_t io_read_full(int fd, void *p, size_t n)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = io_read(fd, (char *)p + have, n - have);

		if (got < 0)
			return -1;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

int io_write_all(int fd, const void *p, size_t n)
{
	const char *at = p;

	while (n) {
		ssize_t put = write(fd, at, n);

		if (put >= 0) {
			at += put;
			n -= (size_t)put;
		} else if (errno == EAGAIN) {
			wait_for(fd, POLLOUT);
		} else if (errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

void out_init(struct out *o, int fd, const char *name)
{
	o->fd = fd;
	o->name = name;
	o->error = 0;
	o->path = NULL;
	o->temp = NULL;
	o->len = 0;
	o->written = 0;
}

/*
 * Whether a file can be replaced by renaming: one that is not there, or a regular one,
 * whose *mode the new one gets; -1 is what a new file has.
 */
static int replaceable(const char *path, int *mode)
{
	struct stat st;

	*mode = -1;
	if (lstat(path, &st) < 0)
		return errno == ENOENT;
	*mode = (int)(st.st_mode & 0777);
	return S_ISREG(st.st_mode);
}

int out_open(struct out *o, const char *path, struct err *e)
{
	size_t n;
	int mode;

	if (!path || strcmp(path, "-") == 0) {
		out_init(o, STDOUT_FILENO, "<stdout>");
		return 0;
	}
	out_init(o, -1, path);
	if (!*path)
		return err_set(e, STATUS_USAGE, "the name of the output file is empty");
	if (!replaceable(path, &mode)) {
		o->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
		return o->fd < 0 ? err_errno(e, "%s: cannot open for writing", path) : 0;
	}
	n = strlen(path) + 32;
	o->temp = mem_alloc(n);
	if (!o->temp)
		return err_errno(e, "%s", path);
	snprintf(o->temp, n, "%s.%ld.tmp", path, (long)getpid());
	o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (o->fd < 0) {
		err_errno(e,
		    mode < 0 ? "%s: cannot create"
			     : "%s: cannot be replaced: its directory takes no new file",
		    path);
		mem_free(o->temp);
		o->temp = NULL;
		return -1;
	}
	if (mode >= 0)
		(void)!fchmod(o->fd, (mode_t)mode);
	o->path = path;
	return 0;
}

static void drain(struct out *o)
{
	if (!o->error && o->len && io_write_all(o->fd, o->buf, o->len) < 0)
		o->error = errno;
	o->len = 0;
}

void out_put(struct out *o, const void *p, size_t n)
{
	o->written += n;
	if (n > sizeof o->buf - o->len)
		drain(o);
	if (n >= sizeof o->buf) {
		if (!o->error && io_write_all(o->fd, p, n) < 0)
			o->error = errno;
		return;
	}
	if (n)
		memcpy(o->buf + o->len, p, n);
	o->len += n;
}

void out_str(struct out *o, const char *s)
{
	out_put(o, s, strlen(s));
}

void out_printf(struct out *o, const char *fmt, ...)
{
	char line[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof line)
		o->error = o->error ? o->error : EOVERFLOW;
	else
		out_put(o, line, (size_t)n);
}

unsigned char *out_room(struct out *o, size_t n)
{
	if (n > sizeof o->buf - o->len)
		drain(o);
	return o->buf + o->len;
}

void out_used(struct out *o, size_t n)
{
	o->len += n;
	o->written += n;
}

int out_flush(struct out *o, struct err *e)
{
	drain(o);
	if (!o->error)
		return 0;
	errno = o->error;
	return err_errno(e, "%s: write", o->name);
}

/* The errno that writing to fd would meet, as far as writing nothing shows it; 0: none. */
static int unusable(int fd)
{
	while (write(fd, "", 0) < 0)
		if (errno != EINTR)
			return errno == EAGAIN ? 0 : errno;
	return 0;
}

int out_close(struct out *o, struct err *e)
{
	int fd = o->fd, bad;

	/* One that was never written to may still be closed, or open for reading only. */
	if (!o->written && !o->error && fd >= 0)
		o->error = unusable(fd);
	bad = out_flush(o, e);
	o->fd = -1;
	if (fd >= 0 && close(fd) < 0 && !bad)
		bad = err_errno(e, "%s: close", o->name);
	if (o->temp && !bad && rename(o->temp, o->path) < 0)
		bad = err_errno(e, "%s: cannot put in place", o->path);
	if (o->temp && bad)
		unlink(o->temp);
	mem_free(o->temp);
	o->temp = NULL;
	return bad;
}

void out_abort(struct out *o)
{
	if (o->temp)
		unlink(o->temp);
	if (o->path && o->fd >= 0)
		close(o->fd);
	mem_free(o->temp);
	o->temp = NULL;
	o->fd = -1;
	o->len = 0;
}

int io_is_terminal(int fd)
{
	return isatty(fd);
}

int io_open(const char *path, const char **name, struct err *e)
{
	int fd;

	if (!path || strcmp(path, "-") == 0) {
		*name = "<stdin>";
		return STDIN_FILENO;
	}
	*name = path;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? err_errno(e, "%s: cannot open", path) : fd;
}
