#include "lib/json.h"
#include "lib/json_text.h"
#include "lib/num.h"
#include "lib/num_plain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What may come next. */
enum expect {
	VALUE,       /* a value */
	FIRST_VALUE, /* or the array's end */
	KEY,         /* a key */
	FIRST_KEY,   /* or the object's end */
	AFTER,       /* a comma or the container's end; the document's at depth 0 */
	FAILED
};

void json_init(struct json *j, const char *name, const void *p, size_t n)
{
	/* An empty buffer may have no address. */
	const char *text = n ? p : "";

	*j = (struct json){.name = name,
	    .start = text,
	    .at = text,
	    .end = text + n,
	    .token = text,
	    .expect = VALUE};
}

const char *json_token_name(enum json_token token)
{
	static const char *const names[] = {"the end", "an object", "the object's end", "an array",
	    "the array's end", "a key", "a string", "a number", "true", "false", "null"};

	return token < 0 ? "an error" : names[token];
}

void json_where(const struct json *j, size_t *line, size_t *column)
{
	const char *p = j->start, *q;

	*line = 1;
	while (p < j->token && (q = memchr(p, '\n', (size_t)(j->token - p)))) {
		++*line;
		p = q + 1;
	}
	*column = (size_t)(j->token - p) + 1;
}

__attribute__((format(printf, 3, 0))) static int fail(
    const struct json *j, struct err *e, const char *fmt, va_list ap)
{
	char words[512];
	size_t line, column;

	json_where(j, &line, &column);
	vsnprintf(words, sizeof words, fmt, ap);
	return err_set(
	    e, STATUS_INPUT, "%s: line %zu column %zu: %s", j->name, line, column, words);
}

int json_fail(const struct json *j, struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(j, e, fmt, ap);
	va_end(ap);
	return -1;
}

/* The text at `at` is wrong: says what was meant, and stops the reader there. */
static enum json_token wrong(struct json *j, struct err *e, const char *at, const char *meant)
{
	char quoted[80];
	size_t n = (size_t)(j->end - at), shown = 0;

	j->token = j->at = at;
	j->expect = FAILED;
	if (n == 0) {
		json_fail(j, e, "the text ends where %s: is it cut short?", meant);
		return JSON_ERROR;
	}
	for (; shown < n && shown < 24 && !memchr(",]} \t\r\n", at[shown], 7); shown++)
		;
	err_quote(quoted, sizeof quoted, at, shown ? shown : 1);
	json_fail(j, e, "'%s' where %s", quoted, meant);
	return JSON_ERROR;
}

static void skip_space(struct json *j)
{
	while (
	    j->at < j->end && (*j->at == ' ' || *j->at == '\n' || *j->at == '\r' || *j->at == '\t'))
		j->at++;
}

static enum json_token string(struct json *j, struct err *e, enum json_token token)
{
	const char *p = j->at + 1;
	uint32_t code;
	size_t n;

	while (p < j->end && *p != '"') {
		if ((unsigned char)*p < 0x20)
			return wrong(j, e, p,
			    "the rest of a string is meant: control bytes are written \\\\u00NN");
		n = *p == '\\' ? json_escape(p, (size_t)(j->end - p), &code)
			       : json_utf8(p, (size_t)(j->end - p));
		if (n == 0)
			return wrong(j, e, p,
			    *p == '\\' ? "an escape is meant"
				       : "UTF-8 is meant (try iconv -t UTF-8)");
		p += n;
	}
	if (p == j->end)
		return wrong(j, e, p, "a string goes on");
	j->text = j->at + 1;
	j->text_len = (size_t)(p - j->text);
	j->at = p + 1;
	return token;
}

static enum json_token number(struct json *j,
    enum num_status (*parse)(const char *, size_t, double *, size_t *), struct err *e)
{
	size_t used;
	enum num_status bad = parse(j->at, (size_t)(j->end - j->at), &j->number, &used);

	if (bad == NUM_OVERFLOW)
		return wrong(j, e, j->at, "a number below 1.8e308 is meant");
	if (bad)
		return wrong(j, e, j->at,
		    "a number is meant (no + before it, no 0 before its digits, digits on both "
		    "sides of a point)");
	j->text = j->at;
	j->text_len = used;
	j->at += used;
	return JSON_NUMBER;
}

static enum json_token word(struct json *j, struct err *e)
{
	static const struct {
		const char *text;
		enum json_token token;
	} words[] = {{"true", JSON_TRUE}, {"false", JSON_FALSE}, {"null", JSON_NULL}};
	static const char *const not_json[] = {"NaN", "nan", "Infinity", "inf"};

	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(words[i].text);

		if ((size_t)(j->end - j->at) < n || memcmp(j->at, words[i].text, n) != 0)
			continue;
		j->text = j->at;
		j->text_len = n;
		j->at += n;
		return words[i].token;
	}
	for (size_t i = 0; i < 4; i++) {
		size_t n = strlen(not_json[i]);

		if ((size_t)(j->end - j->at) >= n && memcmp(j->at, not_json[i], n) == 0)
			return wrong(
			    j, e, j->at, "a value is meant: JSON has no such number, write null");
	}
	return wrong(j, e, j->at, "a value is meant");
}

static enum json_token enter(struct json *j, struct err *e, int object)
{
	uint64_t bit;

	if (j->depth == JSON_DEPTH) {
		j->expect = FAILED;
		json_fail(j, e, "nested deeper than %d", JSON_DEPTH);
		return JSON_ERROR;
	}
	bit = (uint64_t)1 << j->depth++;
	j->objects = object ? j->objects | bit : j->objects & ~bit;
	j->expect = object ? FIRST_KEY : FIRST_VALUE;
	j->at++;
	return object ? JSON_OBJECT : JSON_ARRAY;
}

static int in_object(const struct json *j)
{
	return j->depth && (j->objects >> (j->depth - 1) & 1);
}

static enum json_token leave(struct json *j)
{
	enum json_token t = in_object(j) ? JSON_OBJECT_END : JSON_ARRAY_END;

	j->at++;
	j->depth--;
	j->expect = AFTER;
	return t;
}

static enum json_token value(struct json *j, struct err *e)
{
	char c = *j->at;

	if (c == '{' || c == '[')
		return enter(j, e, c == '{');
	j->expect = AFTER;
	if (c == '"')
		return string(j, e, JSON_STRING);
	if (c == '-' || (c >= '0' && c <= '9'))
		return number(j, num_parse_strict, e);
	return word(j, e);
}

static enum json_token key(struct json *j, struct err *e)
{
	if (j->at == j->end || *j->at != '"')
		return wrong(j, e, j->at, "a key in double quotes is meant");
	if (string(j, e, JSON_KEY) < 0)
		return JSON_ERROR;
	skip_space(j);
	if (j->at == j->end || *j->at != ':')
		return wrong(j, e, j->at, "a colon is meant");
	j->at++;
	j->expect = VALUE;
	return JSON_KEY;
}

enum json_token json_next(struct json *j, struct err *e)
{
	int object = in_object(j), expect = j->expect;
	char c;

	if (expect == FAILED) {
		json_fail(j, e, "not read on after an error");
		return JSON_ERROR;
	}
	skip_space(j);
	j->token = j->at;
	c = j->at < j->end ? *j->at : '\0';
	if (j->depth && expect != VALUE && expect != KEY && c == (object ? '}' : ']'))
		return leave(j);
	if (expect == AFTER) {
		if (j->depth == 0)
			return j->at == j->end ? JSON_END
					       : wrong(j, e, j->at, "the text should end");
		if (c != ',')
			return wrong(j, e, j->at,
			    object ? "a comma or } is meant" : "a comma or ] is meant");
		j->at++;
		skip_space(j);
		j->token = j->at;
		expect = object ? KEY : VALUE;
	}
	if (expect == KEY || expect == FIRST_KEY)
		return key(j, e);
	if (j->at == j->end)
		return wrong(j, e, j->at, "a value is meant");
	return value(j, e);
}

int json_more(struct json *j)
{
	if (j->depth || j->expect != AFTER)
		return 0;
	skip_space(j);
	if (j->at == j->end)
		return 0;
	j->expect = VALUE;
	return 1;
}

int json_skip(struct json *j, enum json_token token, struct err *e)
{
	unsigned depth = j->depth;

	if (token < 0)
		return -1;
	if (token == JSON_KEY)
		return json_skip(j, json_next(j, e), e);
	if (token != JSON_OBJECT && token != JSON_ARRAY)
		return 0;
	while (j->depth >= depth)
		if (json_next(j, e) < 0)
			return -1;
	return 0;
}

int json_i64(const struct json *j, int64_t *v)
{
	return num_parse_i64(j->text, j->text_len, v) == NUM_OK ? 0 : -1;
}

/* Room for a few more numbers at a time: the loop below then only compares. */
static int room(struct json *j, struct buf *closes, struct err *e)
{
	if (closes->cap - closes->len >= sizeof(double))
		return 0;
	if (buf_reserve(closes, 512 * sizeof(double)) == 0)
		return 0;
	j->expect = FAILED;
	return err_errno(e, "%s: after %zu numbers", j->name, closes->len / sizeof(double));
}

int json_numbers(struct json *j, struct buf *closes, struct err *e)
{
	if (in_object(j) || j->depth == 0 || (j->expect != FIRST_VALUE && j->expect != AFTER))
		return 0;
	for (;;) {
		const char *before = j->at;
		size_t n;

		skip_space(j);
		if (j->expect == AFTER) {
			if (j->at == j->end || *j->at != ',')
				break;
			j->at++;
			skip_space(j);
		}
		if (j->at == j->end || (*j->at != '-' && (*j->at < '0' || *j->at > '9'))) {
			/* Not ours; a comma is read again by json_next. */
			j->at = before;
			break;
		}
		j->expect = AFTER;
		if (room(j, closes, e) < 0)
			return -1;
		n = num_plain_list(&j->at, j->end, closes->p + closes->len,
		    (closes->cap - closes->len) / sizeof(double));
		closes->len += n * sizeof(double);
		if (n)
			continue;
		j->token = j->at;
		if (number(j, num_parse_strict_other, e) < 0)
			return -1;
		put_f64(closes->p + closes->len, j->number);
		closes->len += sizeof(double);
	}
	return 0;
}
