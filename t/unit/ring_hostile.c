/*
 * ring_hostile ROUNDS SEED: an echo over a pair of rings while another thread
 * scribbles over all that is shared. Each round lasts until the echo notices, or for a number of
 * turns. Bodies are read and written in full: a byte outside the rings is a guard page, so it would
 * crash. Prints how the rounds ended.
 */
#include "lib/bytes.h"
#include "lib/num.h"
#include "lib/ring_map.h"
#include "lib/stat.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SHARED_BYTES (2 * sizeof(struct ring_shared))

static struct ring_map m;
static _Atomic int stop; /* by either thread: the round is over */
static uint64_t seed;

/* A word as a producer might write it, or nearly, or anything. */
static uint64_t word(uint64_t r, uint64_t *state)
{
	switch (r % 8) {
	case 0: return stat_random(state);
	case 1: return 0;
	case 2: return (r >> 8) % 72 << 32 | (r >> 16) % (2 * m.size);
	case 3: return 1ull << 63 | (8 + (r >> 8) % 56) << 32 | (r >> 16) % 4096;
	default: return (8 + (r >> 8) % 56) << 32 | (r >> 16) % 4096;
	}
}

/* Anywhere in the shared memory: a line's word, the rest of a line, or the
 * indices and flags; near where the rings are in use, or anywhere. */
static void scribble(uint64_t *state, uint64_t head, uint64_t tail)
{
	uint64_t r = stat_random(state), v = word(stat_random(state), state);
	uint64_t line = (r & 1 ? tail : head) / 64 + (r >> 8) % (r & 32 ? 8 : m.size / 64);
	unsigned char *at = m.data[r & 1] + line % (m.size / 64) * 64;

	if ((r >> 1 & 3) == 0)
		at = (unsigned char *)m.shared[0] + (r >> 8) % (SHARED_BYTES / 8) * 8;
	else if ((r >> 1 & 3) == 1)
		at += 8 + (r >> 40) % 48;
	if (((size_t)(at - m.base) & 7) == 0)
		atomic_store_explicit((_Atomic uint64_t *)(void *)at, v, memory_order_relaxed);
	else
		put_u64(at, v);
}

/* A client that keeps to the protocol but for a scribble now and then. */
static void *hostile(void *p)
{
	uint64_t *state = p;
	struct ring_writer out;
	struct ring_reader in;
	struct ring_record rec;
	unsigned char *body;
	struct err e;

	ring_writer_init(&out, m.data[0], m.size, m.shared[0]);
	ring_reader_init(&in, m.data[1], m.size, m.shared[1]);
	for (int i = 0; i < 20000 && !atomic_load(&stop); i++) {
		uint64_t r = stat_random(state);
		uint32_t len = (uint32_t)(r >> 8) % (r & 15 ? 300 : 40000);

		if (r % 16 == 7)
			scribble(state, out.head, in.tail);
		if (ring_reserve(&out, len, 15, &body, &e) != RING_OK)
			sched_yield();
		else if (r % 16 < 13)
			ring_publish(&out, len, 15);
		else
			for (uint32_t part = 0; part <= 2; part++)
				ring_publish_part(&out, len, 15, part < 2 ? len / 2 * part : len);
		if (ring_next(&in, &rec, &e) == RING_OK)
			ring_release(&in, rec.end);
	}
	atomic_store(&stop, 1);
	return NULL;
}

enum outcome { BY_READER, BY_WRITER, UNNOTICED, OUTCOMES };

/* One round: echoes records until an end says that the peer broke the protocol, or it stops. */
static enum outcome echo(struct err *e, uint64_t *records)
{
	struct ring_reader in;
	struct ring_writer out;
	struct ring_record rec;
	unsigned char *body;
	enum ring_state s;
	uint32_t there;

	ring_reader_init(&in, m.data[0], m.size, m.shared[0]);
	in.parts_allowed = 1;
	ring_writer_init(&out, m.data[1], m.size, m.shared[1]);
	while (!atomic_load(&stop)) {
		if ((s = ring_spin(&in, 100, &rec, e)) == RING_BAD)
			return BY_READER;
		if (s == RING_WAIT) {
			if (ring_reader_sleep(&in))
				sched_yield();
			ring_reader_wake(&in);
			continue;
		}
		while ((s = ring_reserve(&out, rec.len, 8, &body, e)) == RING_WAIT &&
		       !atomic_load(&stop))
			if (ring_writer_sleep(&out)) {
				sched_yield();
				ring_writer_wake(&out);
			}
		if (s == RING_BAD)
			return BY_WRITER;
		if (s == RING_WAIT)
			break;
		do
			s = ring_there(&in, &rec, &there, e);
		while (s == RING_OK && there < rec.len && !atomic_load(&stop));
		if (s == RING_BAD)
			return BY_READER;
		ring_put(&out, 8, rec.body, there);
		ring_publish(&out, rec.len, 8);
		ring_release(&in, rec.end);
		ring_tidy(&out);
		++*records;
	}
	return UNNOTICED;
}

int main(int argc, char **argv)
{
	uint64_t rounds, records = 0, n[OUTCOMES] = {0};
	pthread_t t;
	struct err e;
	int fd;

	if (argc < 3 || num_parse_u64(argv[1], strlen(argv[1]), &rounds) != NUM_OK ||
	    num_parse_u64(argv[2], strlen(argv[2]), &seed) != NUM_OK ||
	    ring_map_create(&m, RING_MAP_SIZE_MIN, &fd, &e) < 0)
		return 2;
	for (uint64_t i = 0; i < rounds; i++) {
		enum outcome o;

		memset(m.shared[0], 0, SHARED_BYTES);
		memset(m.data[0], 0, m.size);
		memset(m.data[1], 0, m.size);
		atomic_store(&stop, 0);
		if (pthread_create(&t, NULL, hostile, &seed) != 0)
			return 2;
		o = echo(&e, &records);
		atomic_store(&stop, 1);
		pthread_join(t, NULL);
		n[o]++;
		if (o != UNNOTICED && !strstr(e.text, "the peer broke the protocol")) {
			printf("round %llu: %s\n", (unsigned long long)i, e.text);
			return 1;
		}
	}
	ring_map_free(&m);
	close(fd);
	printf("%llu records; noticed by reader %llu, by writer %llu, harmless %llu\n",
	    (unsigned long long)records, (unsigned long long)n[BY_READER],
	    (unsigned long long)n[BY_WRITER], (unsigned long long)n[UNNOTICED]);
	/* A test in which nothing was echoed, or nothing noticed, shows nothing. */
	return !(records && n[BY_READER] + n[BY_WRITER]);
}
