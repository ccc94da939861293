/*
 * The codecs as a filter, for the tests:
 *   codec read json|csv|npy|tagged [keep|drop|ffill]   text to raw closes
 *   codec write json|csv|npy|tagged|npy-table          raw closes to text
 *   codec cut json|csv|npy|tagged|request|reply        every prefix, how many are accepted
 *   codec tokens                                       what the JSON reader sees
 *   codec request | request-write                      a line to a frame, frames to lines
 *   codec reply | reply-write [null]                   a line to a reply's body, and back
 */
#include "lib/codec_csv.h"
#include "lib/codec_json.h"
#include "lib/codec_npy.h"
#include "lib/codec_tagged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum codec_verdict judge(void *user, struct codec_odd *odd, struct err *e)
{
	const char *policy = user;

	if (strcmp(policy, "keep") == 0)
		return CODEC_KEEP;
	if (odd->value <= 0)
		return codec_refuse(odd, e, "not above 0");
	if (strcmp(policy, "drop") == 0)
		return CODEC_DROP;
	if (odd->n_taken == 0)
		return codec_refuse(odd, e, "nothing before it");
	odd->value = odd->taken[odd->n_taken - 1];
	return CODEC_KEEP;
}

static int read_closes(const char *kind, struct buf *closes, const void *p, size_t n,
    const char *policy, struct err *e)
{
	codec_judge *j = policy ? judge : NULL;
	char user[8] = "";

	if (policy)
		snprintf(user, sizeof user, "%s", policy);
	if (strcmp(kind, "json") == 0)
		return codec_json_closes(closes, "in", NULL, p, n, j, user, e);
	if (strcmp(kind, "csv") == 0)
		return codec_csv_closes(closes, "in", p, n, j, user, e);
	if (strcmp(kind, "npy") == 0)
		return codec_npy_closes(closes, "in", p, n, e);
	return codec_tagged_closes(closes, "in", p, n, e);
}

static int write_closes(const char *kind, struct buf *b, const struct buf *raw)
{
	static const struct npy_field plain = {NULL, "<f8"},
				      table[] = {{"set", "<i8"}, {"pnl", "<f8"}};
	struct json_writer w;
	size_t n = raw->len / 8;

	if (strcmp(kind, "csv") == 0)
		return codec_csv_write(b, raw->p, n);
	if (strcmp(kind, "tagged") == 0)
		return codec_tagged_write(b, raw->p, n);
	if (strcmp(kind, "npy") == 0)
		return codec_npy_head_write(b, &plain, 1, n) | buf_append(b, raw->p, raw->len);
	if (strcmp(kind, "npy-table") == 0)
		return codec_npy_head_write(b, table, 2, n / 2) | buf_append(b, raw->p, raw->len);
	json_to_buf(&w, b, 0);
	json_put_array(&w);
	json_put_doubles(&w, raw->p, n);
	json_put_close(&w);
	return w.error ? -1 : 0;
}

static int accepts(const char *kind, const void *p, size_t n, struct err *e)
{
	struct buf a = {0}, b = {0};
	struct codec_json_request r = {0};
	int ok;

	if (strcmp(kind, "request") == 0)
		ok = codec_json_request_parse(&r, p, n, e) == FRAME_OK;
	else if (strcmp(kind, "reply") == 0)
		ok = codec_json_reply_parse(&a, &b, p, n, e) == 0;
	else
		ok = read_closes(kind, &a, p, n, NULL, e) == 0;
	buf_free(&a);
	buf_free(&b);
	codec_json_request_free(&r);
	return ok;
}

/* Each prefix in a block of just its size, so that a sanitizer sees a byte read beyond. */
static void cut(const char *kind, const struct buf *in)
{
	unsigned long accepted = 0;
	struct err e;

	for (size_t n = 0; n <= in->len; n++) {
		char *copy = malloc(n ? n : 1);

		if (n)
			memcpy(copy, in->p, n);
		accepted += (unsigned long)accepts(kind, copy, n, &e);
		free(copy);
	}
	printf("%lu of %zu\n", accepted, in->len + 1);
}

static int tokens(const struct buf *in, struct err *e)
{
	struct json j;
	enum json_token t;
	char text[200];
	size_t line, column, n;

	json_init(&j, "in", in->p, in->len);
	while ((t = json_next(&j, e)) > JSON_END) {
		json_where(&j, &line, &column);
		printf("%zu:%zu %s", line, column, json_token_name(t));
		if (t == JSON_KEY || t == JSON_STRING) {
			n = json_text(&j, text, sizeof text);
			printf(" %zu %s", n, text);
		} else if (t == JSON_NUMBER) {
			printf(" %a", j.number);
		}
		putchar('\n');
	}
	return t;
}

static int request(const struct buf *in, struct buf *out, struct err *e)
{
	struct codec_json_request r = {0};
	enum frame_error code = codec_json_request_parse(&r, in->p, in->len, e);

	if (code) {
		printf("%d\n", (int)code);
	} else {
		unsigned char head[4 + FRAME_HEAD_MAX];

		buf_append(out, head, frame_head_write(head, &r.request.head));
		buf_append(out, r.request.closes, 8 * (size_t)r.request.head.n_bars);
		buf_append(out, r.request.sets, 48 * (size_t)r.request.head.n_sets);
	}
	codec_json_request_free(&r);
	return code ? -1 : 0;
}

/* Frames of sweeps, a line each. */
static int request_write(const struct buf *in, struct buf *out, struct err *e)
{
	struct request r;
	struct frame_head head;
	uint32_t n;

	for (size_t at = 0; at + 4 + FRAME_HEAD <= in->len; at += 4 + n) {
		n = get_u32(in->p + at);
		if (frame_head_parse(&head, in->p + at + 4, in->len - at - 4, n, e) != FRAME_OK)
			return -1;
		request_locate(&r, &head, in->p + at + 4);
		if (codec_json_request_write(out, &r, e) < 0)
			return -1;
	}
	return 0;
}

static int reply(const struct buf *in, struct buf *out, struct err *e)
{
	struct buf trades = {0};
	int bad = codec_json_reply_parse(out, &trades, in->p, in->len, e);

	buf_append(out, trades.p, trades.len);
	buf_free(&trades);
	return bad;
}

static int reply_write(const struct buf *in, struct buf *out, enum codec_nan nan, struct err *e)
{
	struct reply r = {.n_sets = (uint32_t)(in->len / 16)};

	r.pnl = in->p;
	r.trades = in->p + in->len / 2;
	return codec_json_reply_write(out, &r, nan, e);
}

int main(int argc, char **argv)
{
	struct buf in = {0}, out = {0};
	const char *verb = argc > 1 ? argv[1] : "", *kind = argc > 2 ? argv[2] : "";
	struct err e = {STATUS_FAILED, "?"};
	int bad = 0;
	ssize_t n;

	while (buf_reserve(&in, 65536) == 0 && (n = io_read(0, in.p + in.len, 65536)) > 0)
		in.len += (size_t)n;
	if (strcmp(verb, "read") == 0)
		bad = read_closes(kind, &out, in.p, in.len, argc > 3 ? argv[3] : NULL, &e);
	else if (strcmp(verb, "write") == 0)
		bad = write_closes(kind, &out, &in);
	else if (strcmp(verb, "cut") == 0)
		cut(kind, &in);
	else if (strcmp(verb, "tokens") == 0)
		bad = tokens(&in, &e);
	else if (strcmp(verb, "request") == 0)
		bad = request(&in, &out, &e);
	else if (strcmp(verb, "request-write") == 0)
		bad = request_write(&in, &out, &e);
	else if (strcmp(verb, "reply") == 0)
		bad = reply(&in, &out, &e);
	else
		bad = reply_write(&in, &out, *kind ? CODEC_NAN_NULL : CODEC_NAN_REFUSE, &e);
	if (bad < 0)
		fprintf(stderr, "%s\n", e.text);
	fwrite(out.p ? out.p : (unsigned char *)"", 1, out.len, stdout);
	buf_free(&in);
	buf_free(&out);
	return bad < 0 ? (int)e.status : 0;
}
