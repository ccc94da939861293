/* ring_limits: sizes at the edge, impossible peers, and memory that cannot be a ring. */
#include "lib/bytes.h"
#include "lib/mem.h"
#include "lib/ring_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int failures;
static struct err e;

#define CHECK(x)                                                                            \
	do {                                                                                \
		if (!(x)) {                                                                 \
			printf("%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #x, e.text); \
			failures++;                                                         \
		}                                                                           \
	} while (0)

static struct ring_map fresh(int *fd)
{
	struct ring_map m;

	if (ring_map_create(&m, RING_MAP_SIZE_MIN, fd, &e) < 0) {
		puts(e.text);
		exit(2);
	}
	return m;
}

static void edges(void)
{
	int fd;
	struct ring_map m = fresh(&fd);
	struct ring_writer w;
	struct ring_reader r;
	struct ring_record rec;
	unsigned char *body;
	uint32_t max = (uint32_t)RING_RECORD_MAX(m.size), n = 0;

	ring_writer_init(&w, m.data[0], m.size, m.shared[0]);
	ring_reader_init(&r, m.data[0], m.size, m.shared[0]);
	CHECK(ring_next(&r, &rec, &e) == RING_WAIT);
	CHECK(ring_reserve(&w, max - 7, 8, &body, &e) == RING_BAD);
	CHECK(strstr(e.text, "ask for a larger ring") != NULL);
	CHECK(ring_reserve(&w, 0x7fffffff, 63, &body, &e) == RING_BAD);
	/* An empty body is a record too. */
	CHECK(ring_reserve(&w, 0, 8, &body, &e) == RING_OK);
	CHECK(ring_publish(&w, 0, 8) == 0);
	CHECK(ring_next(&r, &rec, &e) == RING_OK && rec.len == 0 && rec.word == 0);
	CHECK(ring_next(&r, &rec, &e) == RING_WAIT);
	/* The largest, many times round: each passes the end somewhere else, and is contiguous. */
	for (int lap = 0; lap < 200; lap++) {
		uint32_t len = max - 8 - (uint32_t)lap * 64;

		CHECK(ring_reserve(&w, len, 8, &body, &e) == RING_OK);
		memset(body, lap, len);
		ring_publish(&w, len, 8);
		CHECK(ring_reserve(&w, max - 8, 8, &body, &e) == RING_WAIT);
		CHECK(ring_next(&r, &rec, &e) == RING_OK && rec.len == len);
		CHECK(rec.body[0] == (unsigned char)lap && rec.body[len - 1] == (unsigned char)lap);
		ring_release(&r, rec.end);
	}
	/* Full to the last line but one, and not a line more. */
	while (ring_reserve(&w, 1, 8, &body, &e) == RING_OK) {
		ring_publish(&w, 1, 8);
		n++;
	}
	CHECK(n >= m.size / 64 - m.size / 8 / 64 - 1 && n < m.size / 64);
	for (; n; n--) {
		CHECK(ring_next(&r, &rec, &e) == RING_OK);
		ring_release(&r, rec.end);
	}
	CHECK(ring_next(&r, &rec, &e) == RING_WAIT);
	ring_map_free(&m);
	close(fd);
}

static void sleepers(void)
{
	int fd;
	struct ring_map m = fresh(&fd);
	struct ring_writer w;
	struct ring_reader r;
	struct ring_record rec;
	unsigned char *body;

	ring_writer_init(&w, m.data[0], m.size, m.shared[0]);
	ring_reader_init(&r, m.data[0], m.size, m.shared[0]);
	CHECK(ring_reader_sleep(&r) == 1);
	CHECK(ring_reserve(&w, 100, 8, &body, &e) == RING_OK);
	CHECK(ring_publish(&w, 100, 8) == 1);
	ring_reader_wake(&r);
	CHECK(ring_reader_sleep(&r) == 0);
	CHECK(ring_reserve(&w, 100, 8, &body, &e) == RING_OK);
	CHECK(ring_publish(&w, 100, 8) == 0);
	while (ring_reserve(&w, 1, 8, &body, &e) == RING_OK)
		ring_publish(&w, 1, 8);
	CHECK(ring_writer_sleep(&w) == 1);
	for (int woken = 0; !woken;) {
		if (ring_next(&r, &rec, &e) != RING_OK) {
			CHECK(!"everything read and the producer still sleeps");
			break;
		}
		woken = ring_release(&r, rec.end);
	}
	ring_writer_wake(&w);
	CHECK(ring_reserve(&w, 1, 8, &body, &e) == RING_OK);
	ring_map_free(&m);
	close(fd);
}

/* Each word alone in a fresh ring must be refused, by the sentence that blames the peer. */
static void hostile_words(void)
{
	static const uint64_t words[] = {1, 8, 0x7fffffff, 7ull << 32 | 8, 64ull << 32 | 8,
	    8ull << 32 | 0x7fffffff, 8ull << 32 | 0xffffffff, 8ull << 32 | 49145,
	    0xffffffffull << 32 | 8, UINT64_MAX, 1ull << 63, 63ull << 32 | 49090};
	struct ring_record rec;
	struct ring_reader r;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		int fd;
		struct ring_map m = fresh(&fd);

		ring_reader_init(&r, m.data[0], m.size, m.shared[0]);
		put_u64(m.data[0], words[i]);
		CHECK(ring_next(&r, &rec, &e) == RING_BAD);
		CHECK(strstr(e.text, "the peer broke the protocol") != NULL);
		ring_map_free(&m);
		close(fd);
	}
}

static void hostile_index(void)
{
	static const uint64_t values[] = {
	    1, 63, 128 * 64 + 1, 65536 + 64, UINT64_MAX, 1ull << 63, (uint64_t)0 - 64, 65536 * 2};
	unsigned char *body;
	struct ring_writer w;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		int fd;
		struct ring_map m = fresh(&fd);

		ring_writer_init(&w, m.data[0], m.size, m.shared[0]);
		while (ring_reserve(&w, 4000, 8, &body, &e) == RING_OK)
			ring_publish(&w, 4000, 8);
		atomic_store(&m.shared[0]->released, values[i]);
		CHECK(ring_reserve(&w, 4000, 8, &body, &e) == RING_BAD);
		CHECK(strstr(e.text, "the peer broke the protocol") != NULL);
		ring_map_free(&m);
		close(fd);
	}
}

/* A record in parts: read as far as it is there, slept on, and lied about. */
static void parts(void)
{
	int fd;
	struct ring_map m = fresh(&fd);
	struct ring_writer w;
	struct ring_reader r;
	struct ring_record rec;
	unsigned char *body;
	uint32_t n;

	ring_writer_init(&w, m.data[0], m.size, m.shared[0]);
	ring_reader_init(&r, m.data[0], m.size, m.shared[0]);
	CHECK(ring_reserve(&w, 1000, 8, &body, &e) == RING_OK);
	CHECK(ring_publish_part(&w, 1000, 8, 100) == 0);
	CHECK(ring_next(&r, &rec, &e) == RING_BAD);
	r.parts_allowed = 1;
	CHECK(ring_next(&r, &rec, &e) == RING_OK && rec.len == 1000);
	CHECK(ring_there(&r, &rec, &n, &e) == RING_OK && n == 100);
	CHECK(ring_reader_sleep(&r) == 1);
	CHECK(ring_publish_part(&w, 1000, 8, 1000) == 1);
	CHECK(ring_reader_sleep(&r) == 0);
	/* The index is at the next record, and this one whole all the same. */
	CHECK(ring_reserve(&w, 1000, 8, &body, &e) == RING_OK);
	CHECK(ring_publish_part(&w, 1000, 8, 0) == 0);
	CHECK(ring_there(&r, &rec, &n, &e) == RING_OK && n == 1000);
	CHECK(ring_next(&r, &rec, &e) == RING_OK && rec.len == 1000);
	CHECK(ring_there(&r, &rec, &n, &e) == RING_OK && n == 0);
	/* Given up early, its rest wakes nobody. */
	ring_release(&r, rec.end);
	CHECK(ring_publish_part(&w, 1000, 8, 1000) == 0);
	CHECK(ring_reader_sleep(&r) == 1);
	ring_reader_wake(&r);
	CHECK(ring_reserve(&w, 1000, 8, &body, &e) == RING_OK);
	CHECK(ring_publish_part(&w, 1000, 8, 0) == 0);
	CHECK(ring_next(&r, &rec, &e) == RING_OK && rec.len == 1000);
	atomic_store(&m.shared[0]->written, 7);
	CHECK(ring_there(&r, &rec, &n, &e) == RING_BAD);
	CHECK(strstr(e.text, "the peer broke the protocol") != NULL);
	ring_map_free(&m);
	close(fd);
}

/* More records than fit in what was given back: only a liar publishes them. */
static void hostile_overrun(void)
{
	int fd, n = 0;
	struct ring_map m = fresh(&fd);
	struct ring_record rec;
	struct ring_reader r;
	enum ring_state s;

	ring_reader_init(&r, m.data[0], m.size, m.shared[0]);
	for (uint64_t at = 0; at < m.size; at += 64)
		put_u64(m.data[0] + at, 8ull << 32 | 1);
	while ((s = ring_next(&r, &rec, &e)) == RING_OK)
		n++;
	CHECK(s == RING_BAD && n == (int)(m.size / 64 - 1));
	ring_map_free(&m);
	close(fd);
}

static void not_a_ring(void)
{
	int fd, plain = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct ring_map m = fresh(&fd), other;
	uint64_t in_use = mem_use().bytes;
	void *p;

	CHECK(ring_map_attach(&other, fd, &e) == 0 && other.size == m.size);
	CHECK(mem_use().bytes > in_use);
	ring_map_free(&other);
	CHECK(mem_use().bytes == in_use);
	CHECK(ftruncate(fd, 0) < 0 && ftruncate(fd, 1 << 30) < 0);
	CHECK(ring_map_attach(&other, plain, &e) < 0 && strstr(e.text, "sealed") && !other.base);
	CHECK(ring_map_attach(&other, STDIN_FILENO, &e) < 0 && !other.base);
	CHECK(ftruncate(plain, 4096) == 0);
	CHECK(fcntl(plain, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
	CHECK(ring_map_attach(&other, plain, &e) < 0 && strstr(e.text, "ipctaxR1"));
	p = m.base;
	put_u32((unsigned char *)p + 8, 1 << 17);
	CHECK(ring_map_attach(&other, fd, &e) < 0 && strstr(e.text, "impossible"));
	put_u32((unsigned char *)p + 8, 65535);
	CHECK(ring_map_attach(&other, fd, &e) < 0 && strstr(e.text, "impossible"));
	put_u32((unsigned char *)p + 8, 65536);
	put_u32((unsigned char *)p + 12, 4096);
	CHECK(ring_map_attach(&other, fd, &e) < 0 && strstr(e.text, "impossible"));
	ring_map_free(&m);
	ring_map_free(&m);
	close(fd);
	close(plain);
}

int main(void)
{
	CHECK(ring_map_round(0) == 65536 && ring_map_round(65536) == 65536);
	CHECK(ring_map_round(65537) == 131072 && ring_map_round(1 << 30) == 1 << 30);
	CHECK(ring_map_round((1ull << 30) + 1) == 0 && ring_map_round(UINT64_MAX) == 0);
	CHECK(RING_BODY_OFFSET(9) == 15 && RING_BODY_OFFSET(13) == 11 && RING_BODY_OFFSET(0) == 8);
	edges();
	sleepers();
	hostile_words();
	hostile_index();
	hostile_overrun();
	parts();
	not_a_ring();
	CHECK(mem_use().bytes == 0);
	return failures != 0;
}
