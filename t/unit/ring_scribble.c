/*
 * ring_scribble PATH ROUNDS SEED: a client of the engine on the Unix socket PATH
 * that sets up a ring, asks for echoes, and scribbles over everything it
 * shares meanwhile; a new connection each round. 0 when the engine was there to the end.
 */
#include "lib/bytes.h"
#include "lib/frame.h"
#include "lib/num.h"
#include "lib/stat.h"
#include "lib/transport_ring.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define TURNS 3000

/* Any word, or one that is nearly right. */
static uint64_t word(uint64_t *state, uint64_t size)
{
	uint64_t r = stat_random(state);

	if (r % 8 == 0)
		return stat_random(state);
	if (r % 8 == 1)
		return 0;
	return (r & 64) << 57 | (r >> 8) % 72 << 32 | (r >> 16) % (r % 8 < 4 ? 2 * size : 4096);
}

static void scribble(struct ring_link *l, uint64_t *state)
{
	uint64_t r = stat_random(state), size = l->map.size;
	uint64_t near = r & 1 ? l->in.tail : l->out.head;
	unsigned char *at =
	    l->map.data[r & 1 ? 1 : 0] + (near + (r >> 8) % (r & 2 ? 16 : size / 64) * 64) % size;

	if ((r >> 2 & 7) == 0)
		at = (unsigned char *)l->map.shared[0] + (r >> 8) % 64 * 8;
	else if ((r >> 2 & 7) < 4)
		at += 8 + (r >> 40) % 48;
	put_u64(at, word(state, size));
}

/* An echo or a sweep of random size, whole and honest until it is scribbled over. */
static void ask(struct ring_link *l, uint64_t *state)
{
	uint64_t r = stat_random(state);
	struct frame_head h = {.op = r & 1 ? OP_ECHO : OP_SWEEP,
	    .n_bars = (uint32_t)(r >> 8) % (r & 30 ? 60 : 3000),
	    .n_sets = r & 1 ? 0 : 2};
	unsigned char head[4 + FRAME_HEAD_MAX], *body;
	size_t n = frame_head_write(head, &h) - 4;
	uint32_t len = get_u32(head);
	struct err e;

	if (ring_reserve(&l->out, len, 15, &body, &e) != RING_OK)
		return;
	memset(body, 1, len);
	memcpy(body, head + 4, n);
	for (uint32_t i = 0; i < h.n_sets * 6; i++)
		put_u64(body + n + (size_t)h.n_bars * 8 + 8 * (size_t)i, 1 + i);
	if (r >> 60 < 12)
		ring_link_publish(l, len, 15);
	else
		for (uint32_t part = 0; part <= 2; part++)
			ring_link_publish_part(l, len, 15, part < 2 ? len / 2 * part : len);
}

static int round_of(const char *path, uint64_t *state, struct err *e)
{
	struct transport_client c;
	struct ring_link l;
	struct ring_record rec;
	char byte;

	if (transport_unix(&c, path, 0, e) < 0)
		return -1;
	if (ring_link_take(&l, c.t.fd_in, 65536, e) < 0)
		return -1;
	for (int i = 0; i < TURNS && recv(c.t.fd_in, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0; i++) {
		ask(&l, state);
		if (ring_next(&l.in, &rec, e) == RING_OK)
			ring_link_release(&l, rec.end);
		if (i > 20)
			scribble(&l, state);
	}
	ring_link_close(&l);
	c.t.ops->close(&c.t);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t rounds, state;
	struct err e;

	if (argc < 4 || num_parse_u64(argv[2], strlen(argv[2]), &rounds) != NUM_OK ||
	    num_parse_u64(argv[3], strlen(argv[3]), &state) != NUM_OK)
		return 2;
	for (uint64_t i = 0; i < rounds; i++)
		if (round_of(argv[1], &state, &e) < 0) {
			puts(e.text);
			return 1;
		}
	return 0;
}
