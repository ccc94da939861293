/* Any bytes as JSON: what is accepted is written anew and read again as the same. */
#include "lib/json.h"
#include "t/fuzz/fuzz.h"

#include <string.h>

static void put_string(struct json_writer *w, const struct json *j, int key)
{
	size_t n = json_text(j, NULL, 0);
	char *text = malloc(n + 1);

	must(json_text(j, text, n + 1) == n);
	must(json_is(j, text) || memchr(text, '\0', n));
	if (key)
		json_put_key(w, text);
	else
		json_put_text(w, text, n);
	free(text);
}

static void put(struct json_writer *w, const struct json *j, enum json_token t)
{
	switch (t) {
	case JSON_OBJECT: json_put_object(w); break;
	case JSON_ARRAY: json_put_array(w); break;
	case JSON_OBJECT_END:
	case JSON_ARRAY_END: json_put_close(w); break;
	case JSON_KEY: put_string(w, j, 1); break;
	case JSON_STRING: put_string(w, j, 0); break;
	case JSON_NUMBER: json_put_double(w, j->number); break;
	case JSON_NULL: json_put_null(w); break;
	default: json_put_bool(w, t == JSON_TRUE); break;
	}
}

/* Reads text and writes it to b with line breaks down to level `lines`; whether it was JSON. */
static int rewrite(struct buf *b, const void *text, size_t n, unsigned lines)
{
	struct json j;
	struct json_writer w;
	struct err e;
	enum json_token t;
	size_t line, column;

	json_init(&j, "in", text, n);
	json_to_buf(&w, b, lines);
	while ((t = json_next(&j, &e)) > JSON_END) {
		must(j.token >= (const char *)text && j.at <= (const char *)text + n);
		put(&w, &j, t);
	}
	must(w.error == 0);
	json_where(&j, &line, &column);
	must(line >= 1 && column >= 1 && line + column <= n + 3);
	if (t < 0)
		must(e.status == STATUS_INPUT && strncmp(e.text, "in: line ", 9) == 0);
	return t == JSON_END;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf first = {0}, lined = {0}, again = {0};

	if (rewrite(&first, data, size, 0)) {
		must(rewrite(&lined, first.p, first.len, 3));
		must(rewrite(&again, lined.p, lined.len, 0));
		must_be_same(&first, &again);
	}
	buf_free(&first);
	buf_free(&lined);
	buf_free(&again);
	return 0;
}
