/*
 * bench_ring CPU_A CPU_B [SIZE]: the round trip of whole frames over a pair of
 * rings between two processes, beside the witness. bench_ring CPU_A CPU_B
 * witness: the two-line round trip alone, ns, and near or far. bench_ring CPU_A CPU_B
 * memcpy: one copy of 1.2 MB on CPU_A, ns.
 */
#include "lib/bytes.h"
#include "lib/clock.h"
#include "lib/cpu.h"
#include "lib/frame.h"
#include "lib/ring_map.h"
#include "lib/stat.h"
#include "lib/witness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIPS 20000
#define BIG 1200000
static const uint32_t sizes[] = {8, 64, 1024, 8192, BIG};
static double took[TRIPS];

static void serve(struct ring_map *m)
{
	struct ring_reader in;
	struct ring_writer out;
	struct err e;

	ring_reader_init(&in, m->data[0], m->size, m->shared[0]);
	ring_writer_init(&out, m->data[1], m->size, m->shared[1]);
	for (;;) {
		struct ring_record rec;
		unsigned char head[FRAME_HEAD_MAX], *body;
		struct frame_head h;
		enum ring_state s;
		uint32_t len;

		while ((s = ring_spin(&in, 1000, &rec, &e)) == RING_WAIT)
			;
		if (s != RING_OK || rec.len == 0)
			_exit(1);
		memcpy(head, rec.body, FRAME_HEAD);
		if (frame_head_parse(&h, head, FRAME_HEAD, rec.len, &e) != FRAME_OK)
			_exit(2);
		len = h.n_bars * 8;
		while (ring_reserve(&out, len, 8, &body, &e) == RING_WAIT)
			;
		ring_put(&out, 8, rec.body + FRAME_HEAD, len);
		ring_publish(&out, len, 8);
		ring_release(&in, rec.end);
		ring_tidy(&out);
	}
}

static double run(struct ring_map *m, struct ring_reader *in, struct ring_writer *out,
    uint32_t bytes, size_t n, const unsigned char *payload)
{
	struct frame_head h = {.op = OP_ECHO, .n_bars = bytes / 8};
	unsigned char head[4 + FRAME_HEAD_MAX], *body;
	uint64_t last = clock_ns();
	struct ring_record rec;
	struct err e;

	(void)m;
	for (size_t i = 0; i < n; i++) {
		uint32_t off = RING_BODY_OFFSET(FRAME_HEAD);
		frame_head_write(head, &h);
		while (ring_reserve(out, FRAME_HEAD + bytes, off, &body, &e) == RING_WAIT)
			;
		ring_put(out, off + FRAME_HEAD, payload, bytes);
		ring_put(out, off, head + 4, FRAME_HEAD);
		ring_publish(out, FRAME_HEAD + bytes, off);
		while (ring_spin(in, 1000, &rec, &e) == RING_WAIT)
			;
		if (rec.len != bytes || memcmp(rec.body, payload, bytes) != 0)
			exit(3);
		ring_release(in, rec.end);
		ring_tidy(out);
		uint64_t now = clock_ns();
		took[i] = (double)(now - last);
		last = now;
	}
	return stat_median(took, n);
}

/* The median of copies within one processor's caches, as far as they reach. */
static double copies(unsigned char *to, const unsigned char *from)
{
	for (int i = 0; i < 200; i++) {
		uint64_t t = clock_ns();

		memcpy(to, from, BIG);
		__asm__ volatile("" ::: "memory");
		took[i] = (double)(clock_ns() - t);
	}
	return stat_median(took, 200);
}

int main(int argc, char **argv)
{
	struct ring_map m;
	struct ring_reader in;
	struct ring_writer out;
	struct cpu_grant g;
	struct err e;
	int fd, a = argc > 1 ? atoi(argv[1]) : 0, z = argc > 2 ? atoi(argv[2]) : 1;
	unsigned char *payload = malloc(BIG);
	unsigned char *copy = malloc(BIG);

	if (argc > 3 && strcmp(argv[3], "witness") == 0) {
		struct witness w;

		if (witness_measure(&w, a, z, 10000, &e) < 0) {
			puts(e.text);
			return 1;
		}
		printf("%llu %s\n", (unsigned long long)w.two_lines_ns,
		    witness_place_name(witness_place(&w)));
		return 0;
	}
	for (int i = 0; i < BIG; i++)
		payload[i] = (unsigned char)(i * 7 + i / 1000);
	if (argc > 3 && strcmp(argv[3], "memcpy") == 0) {
		cpu_pin(a, &g);
		printf("%.0f\n", copies(copy, payload));
		return 0;
	}
	if (ring_map_create(&m, argc > 3 ? (uint64_t)atoll(argv[3]) : 2 << 20, &fd, &e) < 0) {
		puts(e.text);
		return 1;
	}
	pid_t pid = fork();
	if (pid == 0) {
		cpu_pin(z, &g);
		serve(&m);
	}
	cpu_pin(a, &g);
	ring_writer_init(&out, m.data[0], m.size, m.shared[0]);
	ring_reader_init(&in, m.data[1], m.size, m.shared[1]);
	for (int r = 0; r < 5; r++) {
		struct witness w;
		if (witness_measure(&w, a, z, 5000, &e) < 0)
			puts(e.text);
		printf("witness one %lu two %lu %s;", (unsigned long)w.one_line_ns,
		    (unsigned long)w.two_lines_ns, witness_place_name(witness_place(&w)));
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			size_t n = sizes[i] > 100000 ? 200 : TRIPS;
			double p = run(&m, &in, &out, sizes[i], n, payload);
			printf(" %u: %.0f (%.2f)", sizes[i], p, p / (double)w.two_lines_ns);
		}
		printf(" memcpy %.0f\n", copies(copy, payload));
	}
	kill(pid, 9);
	waitpid(pid, NULL, 0);
}
