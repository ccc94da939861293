#include "lib/transport_ring.h"
#include "lib/bytes.h"
#include "lib/frame.h"
#include "lib/io.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define FDS 3

/* A message with room for the descriptors. */
struct envelope {
	struct iovec v;
	struct msghdr m;
	alignas(struct cmsghdr) char control[CMSG_SPACE(FDS * sizeof(int))];
};

static void envelope(struct envelope *n, void *p, size_t len)
{
	memset(n, 0, sizeof *n);
	n->v = (struct iovec){p, len};
	n->m.msg_iov = &n->v;
	n->m.msg_iovlen = 1;
	n->m.msg_control = n->control;
	n->m.msg_controllen = sizeof n->control;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void ring_link_close(struct ring_link *l)
{
	ring_map_free(&l->map);
	close_fd(&l->wake_me);
	close_fd(&l->wake_peer);
}

static int post(int socket, const void *reply, size_t n, const int fds[FDS])
{
	struct envelope out;
	struct cmsghdr *c;

	envelope(&out, (void *)(uintptr_t)reply, n);
	c = CMSG_FIRSTHDR(&out.m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(FDS * sizeof(int));
	memcpy(CMSG_DATA(c), fds, FDS * sizeof(int));
	return sendmsg(socket, &out.m, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)n ? 0 : -1;
}

int ring_link_offer(
    struct ring_link *l, int socket, uint64_t size, const void *reply, size_t n, struct err *e)
{
	int memory = -1, bad;

	*l = (struct ring_link){.wake_me = -1, .wake_peer = -1};
	if (ring_map_create(&l->map, size, &memory, e) < 0)
		return -1;
	l->wake_me = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->wake_peer = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bad = l->wake_me < 0 || l->wake_peer < 0 ||
	      post(socket, reply, n, (int[FDS]){memory, l->wake_me, l->wake_peer}) < 0;
	if (bad) {
		err_errno(e, "ring: cannot be handed over");
		ring_link_close(l);
	}
	/* The mappings hold the memory; nobody needs its descriptor here. */
	close(memory);
	if (bad)
		return -1;
	ring_reader_init(&l->in, l->map.data[0], size, l->map.shared[0]);
	l->in.parts_allowed = 1;
	ring_writer_init(&l->out, l->map.data[1], size, l->map.shared[1]);
	return 0;
}

/* The engine's refusal, whose length word was `word`. */
static int refused(int socket, uint32_t word, struct err *e)
{
	size_t n = word & 0x7fffffffu;
	unsigned char body[400];
	char quoted[400];
	ssize_t got = io_read_full(socket, body, n < sizeof body ? n : sizeof body);

	if (!(word & FRAME_ERROR_BIT) || got < 4)
		return err_set(e, STATUS_FAILED, "ring: the peer's answer is no ring");
	err_quote(quoted, sizeof quoted, body + 4, (size_t)got - 4);
	return err_set(e, STATUS_FAILED, "ring: refused with error %u: %s", get_u32(body), quoted);
}

/* The reply's length word, and the descriptors that came with it; how many, or -1. */
static int receive(int socket, uint32_t *word, int fds[FDS], struct err *e)
{
	struct envelope in;
	unsigned char head[4];
	struct cmsghdr *c;
	ssize_t got;
	size_t n = 0;

	envelope(&in, head, sizeof head);
	do
		got = recvmsg(socket, &in.m, MSG_CMSG_CLOEXEC | MSG_WAITALL);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_errno(e, "ring: read");
	c = CMSG_FIRSTHDR(&in.m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), n * sizeof(int));
	}
	if (got != sizeof head)
		return err_set(e, STATUS_FAILED, "ring: the peer closed instead of answering");
	*word = get_u32(head);
	return (int)n;
}

int ring_link_take(struct ring_link *l, int socket, uint32_t bytes, struct err *e)
{
	struct frame_head h = {.op = OP_RING, .bytes = bytes};
	unsigned char request[4 + FRAME_HEAD_MAX];
	int fds[FDS] = {-1, -1, -1}, n;
	uint32_t word = 0;
	int bad;

	*l = (struct ring_link){.wake_me = -1, .wake_peer = -1};
	if (io_write_all(socket, request, frame_head_write(request, &h)) < 0)
		return err_errno(e, "ring: write");
	n = receive(socket, &word, fds, e);
	bad = n < 0;
	if (!bad && word)
		bad = refused(socket, word, e);
	else if (!bad && n != FDS)
		bad = err_set(e, STATUS_FAILED, "ring: %d descriptors came, 3 are due", n);
	if (!bad)
		bad = ring_map_attach(&l->map, fds[0], e);
	close_fd(&fds[0]);
	l->wake_peer = fds[1];
	l->wake_me = fds[2];
	if (bad) {
		ring_link_close(l);
		return -1;
	}
	ring_writer_init(&l->out, l->map.data[0], l->map.size, l->map.shared[0]);
	ring_reader_init(&l->in, l->map.data[1], l->map.size, l->map.shared[1]);
	return 0;
}

static void wake(const struct ring_link *l)
{
	uint64_t one = 1;

	/* EAGAIN: it has been woken 2^64 times and never looked; nothing else can fail. */
	(void)!write(l->wake_peer, &one, sizeof one);
}

void ring_link_publish(struct ring_link *l, uint32_t word, uint32_t offset)
{
	if (ring_publish(&l->out, word, offset))
		wake(l);
}

void ring_link_publish_part(struct ring_link *l, uint32_t word, uint32_t offset, uint32_t there)
{
	if (ring_publish_part(&l->out, word, offset, there))
		wake(l);
}

void ring_link_release(struct ring_link *l, uint64_t end)
{
	if (ring_release(&l->in, end))
		wake(l);
}

int ring_link_shares_cpu(pid_t pid)
{
	cpu_set_t mine, theirs;

	if (sysconf(_SC_NPROCESSORS_ONLN) == 1)
		return 1;
	if (pid <= 0 || sched_getaffinity(0, sizeof mine, &mine) < 0 ||
	    sched_getaffinity(pid, sizeof theirs, &theirs) < 0)
		return 0;
	CPU_OR(&mine, &mine, &theirs);
	return CPU_COUNT(&mine) == 1;
}
