/*
 * A peer that echoes, and one that misbehaves: peer [-u PATH] MODE [N], over stdin and stdout
 * or to whoever connects to PATH, a process each. N is the reply that goes wrong, from 1
 * (default 2), for `late` the delay in ms too. It knows as much of frames as
 * it needs: request = length, 9 bytes, closes; reply = length, closes.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define HEAD 9
#define CAP ((size_t)64 << 20)

static unsigned char *frame;

static int read_all(int fd, void *p, size_t n)
{
	for (size_t have = 0; have < n;) {
		ssize_t got = read(fd, (char *)p + have, n - have);

		if (got <= 0)
			return -1;
		have += (size_t)got;
	}
	return 0;
}

static void put(int fd, const void *p, size_t n)
{
	while (n) {
		ssize_t got = write(fd, p, n);

		if (got < 0)
			exit(1);
		p = (const char *)p + got;
		n -= (size_t)got;
	}
}

/* The frame's length word moved behind the header: the reply stands in place. */
static unsigned char *reply_of(uint32_t body, uint32_t *size)
{
	uint32_t n = body - HEAD;

	memcpy(frame + HEAD, &n, 4);
	*size = 4 + n;
	return frame + HEAD;
}

static void pause_ms(long ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

/* What is wrong with the reply at hand; 1: nothing more will follow. */
static int misbehave(const char *mode, int out, unsigned char *reply, uint32_t size, long ms)
{
	static const unsigned char busy[] = {8, 0, 0, 0x80, 5, 0, 0, 0, 'b', 'u', 's', 'y'};
	uint32_t other;

	if (strcmp(mode, "wrong") == 0) {
		reply[size - 1] ^= 1;
		put(out, reply, size);
	} else if (strcmp(mode, "short") == 0) {
		other = size - 4 - 8;
		memcpy(reply, &other, 4);
		put(out, reply, size - 8);
	} else if (strcmp(mode, "long") == 0) {
		other = size - 4 + 8;
		memcpy(reply, &other, 4);
		put(out, reply, size);
		put(out, "surplus.", 8);
	} else if (strcmp(mode, "twice") == 0) {
		put(out, reply, size);
		put(out, reply, size);
	} else if (strcmp(mode, "extra") == 0) {
		put(out, reply, size);
		put(out, "x", 1);
	} else if (strcmp(mode, "late") == 0) {
		pause_ms(ms);
		put(out, reply, size);
	} else if (strcmp(mode, "busy") == 0) {
		put(out, busy, sizeof busy);
	} else if (strcmp(mode, "cut") == 0) {
		put(out, reply, size - 3);
		return 1;
	} else if (strcmp(mode, "close") == 0) {
		return 1;
	} else if (strcmp(mode, "never") != 0) {
		fprintf(stderr, "peer: no mode %s\n", mode);
		exit(2);
	}
	return 0;
}

static void serve(int in, int out, const char *mode, long which, long ms)
{
	uint32_t body, size;

	for (long n = 1; read_all(in, frame, 4) == 0; n++) {
		unsigned char *reply;

		memcpy(&body, frame, 4);
		if (body < HEAD || body > CAP - 4 || read_all(in, frame + 4, body) < 0)
			exit(1);
		reply = reply_of(body, &size);
		if (n != which || strcmp(mode, "echo") == 0)
			put(out, reply, size);
		else if (misbehave(mode, out, reply, size, ms))
			return;
	}
}

static int listen_on(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
	unlink(path);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&a, sizeof a) < 0 || listen(fd, 64) < 0) {
		perror("peer");
		exit(1);
	}
	return fd;
}

int main(int argc, char **argv)
{
	const char *path = NULL, *mode;
	long which, ms;
	int fd;

	if (argc > 2 && strcmp(argv[1], "-u") == 0) {
		path = argv[2];
		argv += 2;
		argc -= 2;
	}
	mode = argc > 1 ? argv[1] : "echo";
	which = argc > 2 ? atol(argv[2]) : 2;
	ms = argc > 3 ? atol(argv[3]) : 300;
	frame = malloc(CAP);
	if (!frame)
		return 1;
	if (!path) {
		serve(STDIN_FILENO, STDOUT_FILENO, mode, which, ms);
		return 0;
	}
	fd = listen_on(path);
	for (;;) {
		int c = accept(fd, NULL, NULL);

		if (c >= 0 && fork() == 0) {
			close(fd);
			serve(c, c, mode, which, ms);
			return 0;
		}
		close(c);
	}
}
