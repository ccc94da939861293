/* Any bytes as a request and as a reply of the JSON service, there and back. */
#include "lib/codec_json.h"
#include "t/fuzz/fuzz.h"

#include <string.h>

static void check_request(const uint8_t *data, size_t size)
{
	struct codec_json_request first = {0}, again = {0};
	struct buf line = {0};
	struct err e;

	if (codec_json_request_parse(&first, data, size, &e) == FRAME_OK) {
		must(codec_json_request_write(&line, &first.request, &e) == 0);
		must(memchr(line.p, '\n', line.len) == line.p + line.len - 1);
		must(codec_json_request_parse(&again, line.p, line.len, &e) == FRAME_OK);
		must_be_same(&first.closes, &again.closes);
		must_be_same(&first.sets, &again.sets);
		must(first.closes.len + first.sets.len <= 8 * size);
	} else {
		must(strncmp(e.text, "request: ", 9) == 0);
	}
	codec_json_request_free(&first);
	codec_json_request_free(&again);
	buf_free(&line);
}

static void check_reply(const uint8_t *data, size_t size)
{
	struct buf pnl = {0}, trades = {0}, line = {0}, pnl2 = {0}, trades2 = {0};
	struct reply r = {0};
	struct err e;

	if (codec_json_reply_parse(&pnl, &trades, data, size, &e) == 0) {
		r.n_sets = (uint32_t)(pnl.len / 8);
		r.pnl = pnl.p;
		r.trades = trades.p;
		must(codec_json_reply_write(&line, &r, CODEC_NAN_NULL, &e) == 0);
		must(codec_json_reply_parse(&pnl2, &trades2, line.p, line.len, &e) == 0);
		must_be_same(&pnl, &pnl2);
		must_be_same(&trades, &trades2);
	}
	line.len = 0;
	must(codec_json_error_write(&line, FRAME_BAD_REQUEST, data, size, &e) == 0);
	must(codec_json_reply_parse(&pnl2, &trades2, line.p, line.len, &e) < 0);
	must(e.status == STATUS_FAILED);
	buf_free(&pnl);
	buf_free(&trades);
	buf_free(&line);
	buf_free(&pnl2);
	buf_free(&trades2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_request(data, size);
	check_reply(data, size);
	return 0;
}
