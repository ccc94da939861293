/*
 * ring_threads N SEED [sleep]: a producer and a consumer thread pass N records
 * of random size, some in parts, over plain memory; every byte and the order are checked. With
 * `sleep`, both sleep at the first wait; else they spin. Prints the records.
 */
#include "lib/num.h"
#include "lib/ring.h"
#include "lib/stat.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define SIZE 4096u
#define SPINS 200

static alignas(128) unsigned char data[SIZE];
static struct ring_shared shared;
static uint64_t count, seed;
static int sleeping, wake_consumer, wake_producer;

static _Noreturn void fail(const char *what, uint64_t i)
{
	printf("record %llu: %s\n", (unsigned long long)i, what);
	exit(1);
}

static void wake(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof one) != sizeof one)
		fail("cannot wake", 0);
}

static void await(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t n;

	/* A wake-up that gets lost would hang here for ever: that is the test. */
	if (poll(&p, 1, 20000) != 1 || read(fd, &n, sizeof n) != sizeof n)
		fail("not woken in 20 s", 0);
}

/* Mostly small, some as large as can be; the sequence is the same on both sides. */
static uint32_t next_len(uint64_t *state, uint32_t *offset)
{
	uint64_t r = stat_random(state);

	*offset = 8 + (uint32_t)(r % 56);
	return (uint32_t)(r >> 8) % (r >> 60 ? 100 : RING_RECORD_MAX(SIZE) - 128);
}

/* The memory is plain, mapped once: bytes beyond the end are at its start. */
static unsigned char *at(const unsigned char *body, uint64_t i)
{
	return data + ((uint64_t)(body - data) + i) % SIZE;
}

/* Some parts of a record, each written only after the one before was published. */
static void publish_in_parts(
    struct ring_writer *w, unsigned char *body, uint64_t i, uint32_t len, uint32_t offset)
{
	uint32_t word = len | (i % 5 ? 0 : 0x80000000u), k = 0;

	for (uint32_t part = 0; part < 4; part++) {
		uint32_t there = part < 3 ? len / 4 * part : len;

		for (; k < there; k++)
			*at(body, k) = (unsigned char)(i + k);
		if (ring_publish_part(w, word, offset, there))
			wake(wake_consumer);
		if (there == len)
			return;
	}
}

static void *produce(void *unused)
{
	struct ring_writer w;
	uint64_t state = seed;
	struct err e;

	ring_writer_init(&w, data, SIZE, &shared);
	for (uint64_t i = 0; i < count; i++) {
		uint32_t offset, len = next_len(&state, &offset), extra = i % 3 ? 0 : 64;
		unsigned char *body;
		enum ring_state s;

		while ((s = ring_reserve(&w, len + extra, offset, &body, &e)) == RING_WAIT) {
			if (sleeping && ring_writer_sleep(&w)) {
				await(wake_producer);
				ring_writer_wake(&w);
			} else {
				sched_yield();
			}
		}
		if (s != RING_OK)
			fail(e.text, i);
		if (i % 7 == 3 && !extra) {
			publish_in_parts(&w, body, i, len, offset);
			continue;
		}
		/* What was reserved and not published may be dirty. */
		for (uint32_t k = 0; k < len + extra; k++)
			*at(body, k) = (unsigned char)(i + k);
		if (ring_publish(&w, len | (i % 5 ? 0 : 0x80000000u), offset))
			wake(wake_consumer);
		if (i % 2)
			ring_tidy(&w);
	}
	return unused;
}

/* Looks at the bytes as they come. */
static void check(struct ring_reader *r, const struct ring_record *rec, uint64_t i)
{
	uint32_t k = 0, there;
	struct err e;

	for (;;) {
		if (ring_there(r, rec, &there, &e) != RING_OK)
			fail(e.text, i);
		for (; k < there; k++)
			if (*at(rec->body, k) != (unsigned char)(i + k))
				fail("another byte", i);
		if (k == rec->len)
			return;
		if (sleeping && ring_reader_sleep(r)) {
			await(wake_consumer);
			ring_reader_wake(r);
		} else {
			sched_yield();
		}
	}
}

static void consume(void)
{
	struct ring_reader r;
	struct ring_record rec;
	uint64_t state = seed, held = 0;
	struct err e;

	ring_reader_init(&r, data, SIZE, &shared);
	r.parts_allowed = 1;
	for (uint64_t i = 0; i < count; i++) {
		uint32_t offset, len = next_len(&state, &offset);
		enum ring_state s;

		while ((s = ring_spin(&r, SPINS, &rec, &e)) == RING_WAIT) {
			/* Records held back are released before a sleep, else nobody moves. */
			if (held && ring_release(&r, held))
				wake(wake_producer);
			held = 0;
			if (sleeping && ring_reader_sleep(&r)) {
				await(wake_consumer);
				ring_reader_wake(&r);
			} else {
				sched_yield();
			}
		}
		if (s != RING_OK)
			fail(e.text, i);
		if (rec.len != len || rec.word != (len | (i % 5 ? 0 : 0x80000000u)))
			fail("another length word", i);
		if ((uint64_t)(rec.body - data) % 64 != offset % 64)
			fail("another offset", i);
		check(&r, &rec, i);
		held = rec.end;
		if (i % 4 == 3) {
			if (ring_release(&r, held))
				wake(wake_producer);
			held = 0;
		}
	}
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc < 3 || num_parse_u64(argv[1], strlen(argv[1]), &count) != NUM_OK ||
	    num_parse_u64(argv[2], strlen(argv[2]), &seed) != NUM_OK)
		return 2;
	sleeping = argc > 3;
	wake_consumer = eventfd(0, EFD_CLOEXEC);
	wake_producer = eventfd(0, EFD_CLOEXEC);
	if (wake_consumer < 0 || wake_producer < 0 || pthread_create(&t, NULL, produce, NULL) != 0)
		return 2;
	consume();
	pthread_join(t, NULL);
	printf("%llu records\n", (unsigned long long)count);
	return 0;
}
