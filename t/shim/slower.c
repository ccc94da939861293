/*
 * Preloaded into an engine: makes it slower on purpose. Between the last byte of a
 * request and the first of its reply SLOWER_PERCENT of the time that passed are spent
 * once more, by spinning. What ipcprobe check must notice.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static __thread double received; /* ns; 0: nothing since the last send */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

ssize_t recv(int fd, void *p, size_t n, int flags)
{
	static ssize_t (*next)(int, void *, size_t, int);
	ssize_t got;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "recv");
	got = next(fd, p, n, flags);
	if (got > 0)
		received = now();
	return got;
}

/* Called right before a reply leaves. */
static void linger(void)
{
	const char *percent = getenv("SLOWER_PERCENT");
	double sent = now(), until;

	if (received <= 0 || !percent)
		return;
	until = sent + (sent - received) * atof(percent) / 100;
	while (now() < until)
		;
	received = 0;
}

ssize_t send(int fd, const void *p, size_t n, int flags)
{
	static ssize_t (*next)(int, const void *, size_t, int);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "send");
	linger();
	return next(fd, p, n, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	static ssize_t (*next)(int, const struct msghdr *, int);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "sendmsg");
	linger();
	return next(fd, m, flags);
}
