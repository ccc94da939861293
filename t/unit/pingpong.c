/*
 * Bare ping-pong over a Unix socket, to measure a measuring tool by.
 * pingpong serve PATH: echoes one client after the other, a read and a write a frame.
 * pingpong ask PATH N: N round trips of a frame of 8 bytes of closes; prints the
 * median in ns. Nothing is checked, nothing else is done.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int unix_socket(struct sockaddr_un *a, const char *path)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(a->sun_path, sizeof a->sun_path, "%s", path);
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int serve(const char *path)
{
	static unsigned char b[1 << 16];
	const uint32_t head = 9;
	struct sockaddr_un a;
	int fd = unix_socket(&a, path);

	unlink(path);
	if (bind(fd, (const struct sockaddr *)&a, sizeof a) < 0 || listen(fd, 8) < 0)
		return 1;
	for (;;) {
		int c = accept(fd, NULL, NULL);
		ssize_t got;

		while ((got = read(c, b, sizeof b)) > 13) {
			uint32_t n = (uint32_t)got - 4 - head;

			memcpy(b + head, &n, 4);
			if (write(c, b + head, 4 + n) < 0)
				break;
		}
		close(c);
	}
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int ascending(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

static int ask(const char *path, size_t n)
{
	unsigned char out[21] = {17, 0, 0, 0, 1, 1}, in[64];
	int64_t *t = malloc(n * sizeof *t);
	struct sockaddr_un a;
	int fd = unix_socket(&a, path);
	size_t warm = 100;

	if (!t || connect(fd, (const struct sockaddr *)&a, sizeof a) < 0)
		return 1;
	for (size_t i = 0; i < n + warm; i++) {
		int64_t from = now();

		if (write(fd, out, sizeof out) != sizeof out || read(fd, in, sizeof in) != 12)
			return 1;
		if (i >= warm)
			t[i - warm] = now() - from;
	}
	qsort(t, n, sizeof *t, ascending);
	printf("%lld\n", (long long)t[n / 2]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "serve") == 0)
		return serve(argv[2]);
	if (argc == 4 && strcmp(argv[1], "ask") == 0)
		return ask(argv[2], (size_t)atol(argv[3]));
	fprintf(stderr, "usage: pingpong serve PATH | ask PATH N\n");
	return 2;
}
