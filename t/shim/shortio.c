/*
 * Preloaded into a tool: reads and writes move one byte at a time and every
 * third one is interrupted, as a hostile but lawful system may do it. Standard
 * error is left alone, so that messages stay lines.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int interrupted(void)
{
	static _Thread_local unsigned turn;

	if (++turn % 3)
		return 0;
	errno = EINTR;
	return 1;
}

/* The next definition of name, libc's; POSIX lets the pointer be converted. */
#define NEXT(name) (*(__typeof__(&name) *)&(void *){dlsym(RTLD_NEXT, #name)})

ssize_t read(int fd, void *p, size_t n)
{
	return interrupted() ? -1 : NEXT(read)(fd, p, n > 1 ? 1 : n);
}

ssize_t write(int fd, const void *p, size_t n)
{
	if (fd == STDERR_FILENO)
		return NEXT(write)(fd, p, n);
	return interrupted() ? -1 : NEXT(write)(fd, p, n > 1 ? 1 : n);
}

ssize_t readv(int fd, const struct iovec *v, int n)
{
	for (; n > 0; v++, n--)
		if (v->iov_len)
			return read(fd, v->iov_base, 1);
	return 0;
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	for (; n > 0; v++, n--)
		if (v->iov_len)
			return write(fd, v->iov_base, 1);
	return 0;
}

ssize_t recv(int fd, void *p, size_t n, int flags)
{
	return interrupted() ? -1 : NEXT(recv)(fd, p, n > 1 ? 1 : n, flags);
}

ssize_t send(int fd, const void *p, size_t n, int flags)
{
	return interrupted() ? -1 : NEXT(send)(fd, p, n > 1 ? 1 : n, flags);
}
