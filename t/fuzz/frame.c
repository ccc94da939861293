/*
 * Any bytes as request frames, to the parser and through a whole engine; and as
 * a reply to some op. Nothing is read outside the bytes; an accepted head says
 * the same when it is written anew.
 */
#include "lib/message.h"
#include "lib/serve.h"
#include "t/fuzz/fuzz.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void one_head(const uint8_t *body, size_t size)
{
	unsigned char again[4 + FRAME_HEAD_MAX];
	struct frame_head h;
	struct request r;
	struct err e;

	if (frame_head_parse(&h, body, size, size, &e) != FRAME_OK)
		return;
	must(frame_body_size(&h) == size);
	must(frame_head_write(again, &h) == 4 + frame_head_size(h.op));
	must(get_u32(again) == size && memcmp(again + 4, body, frame_head_size(h.op)) == 0);
	request_locate(&r, &h, body);
	must(!r.closes || r.closes + 8 * (size_t)h.n_bars <= body + size);
	must(!r.sets || r.sets + FRAME_SET_SIZE * (size_t)h.n_sets <= body + size);
}

static void one_reply(uint8_t op, const uint8_t *body, size_t size, uint32_t bit)
{
	struct reply r;
	struct err e;

	if (reply_parse(&r, op & 15, op & FLAG_ALL, bit | (uint32_t)size, body, &e) < 0) {
		must(e.status == STATUS_INPUT);
		return;
	}
	must(!r.text || r.text + r.text_len <= body + size);
	must(!r.trades || r.trades + 8 * (size_t)r.n_sets <= body + size);
	must(!r.sides || r.sides + 8 * (size_t)r.n_sets <= body + size);
	must(!r.closes || r.closes + 8 * (size_t)r.n_bars <= body + size);
}

/* All the bytes on the standard input of an engine with small limits. */
static void serve(const uint8_t *data, size_t size)
{
	static struct serve_stats stats;
	struct serve_config config = {.kernel = HMA_FILTERED,
	    .fee = 0.09,
	    .gate = 1,
	    .placement.numa = -1,
	    .limits = {.frame = 1 << 16,
		.connections = 1,
		.slots = 4,
		.slot_bars = 300,
		.memory = 1 << 20,
		.live = 1 << 16},
	    .trace = 4,
	    .trace_path = "/dev/null",
	    .stats = &stats};
	int in = memfd_create("in", MFD_CLOEXEC), out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct serve *s;
	struct err e;

	must(in >= 0 && out >= 0 && write(in, data, size) == (ssize_t)size);
	must(lseek(in, 0, SEEK_SET) == 0);
	memset(&stats, 0, offsetof(struct serve_stats, stage));
	s = serve_new(&config, &e);
	must(s && serve_add_stdio(s, in, out, &e) == 0 && serve_run(s, &e) == 0);
	must(serve_status(s) != STATUS_DIFFER);
	serve_free(s);
	close(in);
	close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A block of its own, so that a byte too many is seen. */
	uint8_t *body = malloc(size + !size);

	memcpy(body, data, size);
	one_head(body, size);
	if (size) {
		uint8_t *rest = malloc(size - 1 + (size == 1));

		memcpy(rest, data + 1, size - 1);
		one_reply(data[0], rest, size - 1, 0);
		one_reply(data[0], rest, size - 1, FRAME_ERROR_BIT);
		free(rest);
	}
	if (size <= 1 << 16)
		serve(body, size);
	free(body);
	return 0;
}
