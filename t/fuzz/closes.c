/*
 * Any bytes as closes in each format: what is accepted is written anew and read
 * again as the same. The first byte chooses the format and what the judge says.
 */
#include "lib/codec_csv.h"
#include "lib/codec_json.h"
#include "lib/codec_npy.h"
#include "lib/codec_tagged.h"
#include "t/fuzz/fuzz.h"

#include <string.h>

static enum codec_verdict keep(void *user, struct codec_odd *odd, struct err *e)
{
	char quoted[32];

	(void)e;
	must(odd->row > odd->n_taken);
	err_quote(quoted, sizeof quoted, odd->text, odd->text_len);
	return user ? CODEC_DROP : CODEC_KEEP;
}

static void check_json(const void *p, size_t n, void *drop)
{
	struct buf closes = {0}, text = {0}, again = {0};
	struct json_writer w;
	struct err e;

	if (codec_json_closes(&closes, "in", NULL, p, n, keep, drop, &e) == 0 &&
	    codec_first_nonfinite(closes.p, closes.len / 8) == closes.len / 8) {
		json_to_buf(&w, &text, 0);
		json_put_array(&w);
		json_put_doubles(&w, closes.p, closes.len / 8);
		json_put_close(&w);
		must(codec_json_closes(&again, "in", NULL, text.p, text.len, keep, NULL, &e) == 0);
		must_be_same(&closes, &again);
	}
	buf_free(&closes);
	buf_free(&text);
	buf_free(&again);
}

static void check_csv(const void *p, size_t n, void *drop)
{
	struct buf closes = {0}, text = {0}, again = {0};
	struct err e;

	if (codec_csv_closes(&closes, "in", p, n, keep, drop, &e) == 0) {
		must(codec_csv_write(&text, closes.p, closes.len / 8) == 0);
		must(codec_csv_closes(&again, "in", text.p, text.len, keep, NULL, &e) == 0);
		must_be_same(&closes, &again);
	}
	buf_free(&closes);
	buf_free(&text);
	buf_free(&again);
}

static void check_npy(const void *p, size_t n)
{
	static const struct npy_field plain = {NULL, "<f8"};
	struct buf closes = {0}, text = {0}, again = {0};
	struct npy_head h;
	struct err e;

	if (codec_npy_head(&h, "in", p, n, &e) == 0)
		must(h.data <= n && (h.size == 4 || h.size == 8));
	if (codec_npy_closes(&closes, "in", p, n, &e) == 0) {
		must(closes.len / 8 == h.count);
		must(codec_npy_head_write(&text, &plain, 1, h.count) == 0);
		must(text.len % 64 == 0 && buf_append(&text, closes.p, closes.len) == 0);
		must(codec_npy_closes(&again, "in", text.p, text.len, &e) == 0);
		must_be_same(&closes, &again);
	}
	buf_free(&closes);
	buf_free(&text);
	buf_free(&again);
}

static void check_tagged(const void *p, size_t n)
{
	struct buf closes = {0}, text = {0}, in = {0};
	struct err e;

	if (codec_tagged_closes(&closes, "in", p, n, &e) == 0) {
		must(codec_tagged_write(&text, closes.p, closes.len / 8) == 0);
		must(buf_append(&in, p, n) == 0);
		must_be_same(&text, &in);
	}
	buf_free(&closes);
	buf_free(&text);
	buf_free(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void *copy, *drop;

	if (size == 0)
		return 0;
	drop = data[0] & 4 ? (void *)"drop" : NULL;
	copy = malloc(size - 1 ? size - 1 : 1);
	if (size > 1)
		memcpy(copy, data + 1, size - 1);
	switch (data[0] & 3) {
	case 0: check_json(copy, size - 1, drop); break;
	case 1: check_csv(copy, size - 1, drop); break;
	case 2: check_npy(copy, size - 1); break;
	default: check_tagged(copy, size - 1); break;
	}
	free(copy);
	return 0;
}
