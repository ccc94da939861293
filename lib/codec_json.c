#include "lib/codec_json.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* A document being read and where its closes go. */
struct reader {
	struct json json;
	struct buf *closes;
	const char *key; /* of the member that holds them; NULL: close, closes */
	size_t rows;     /* values met, kept or not */
	codec_judge *judge;
	void *user;
	struct err *e;
};

/* The value just read: a number or null, to the judge where it is odd. */
static int take(struct reader *r, enum json_token token)
{
	struct codec_odd odd = {.name = r->json.name,
	    .row = ++r->rows,
	    .text = r->json.text,
	    .text_len = r->json.text_len,
	    .value = token == JSON_NUMBER ? r->json.number : NAN};

	if (token < 0)
		return -1;
	if (token != JSON_NUMBER && token != JSON_NULL)
		return json_fail(&r->json, r->e, "%s where a close is meant%s",
		    json_token_name(token),
		    token == JSON_STRING ? " (jq's tonumber makes numbers of strings)"
		    : token == JSON_ARRAY
			? " (rows? jq 'map(.[4]|tonumber)' takes the fifth value of each)"
			: "");
	if (token == JSON_NUMBER && r->json.number > 0) {
		if (buf_append(r->closes, &odd.value, sizeof odd.value) < 0)
			return err_errno(r->e, "%s: after %zu closes", r->json.name, r->rows);
		return 0;
	}
	json_where(&r->json, &odd.line, &odd.column);
	return codec_take(r->closes, &odd, r->judge, r->user, r->e);
}

/* The numbers that follow, as long as none is odd: those are read again one by one. */
static int take_plain(struct reader *r)
{
	struct json before = r->json;
	size_t len = r->closes->len, n;

	if (json_numbers(&r->json, r->closes, r->e) < 0)
		return -1;
	n = (r->closes->len - len) / sizeof(double);
	if (n == 0 || codec_first_odd(r->closes->p + len, n) == n) {
		r->rows += n;
		return 0;
	}
	r->json = before;
	r->closes->len = len;
	return 0;
}

/* The array or object of numbers just opened; its members' keys are labels. */
static int numbers(struct reader *r, enum json_token opened)
{
	enum json_token t;

	if (opened == JSON_ARRAY && take_plain(r) < 0)
		return -1;
	for (;;) {
		t = json_next(&r->json, r->e);
		if (t == JSON_ARRAY_END || t == JSON_OBJECT_END)
			return 0;
		if (t == JSON_KEY)
			t = json_next(&r->json, r->e);
		if (take(r, t) < 0)
			return -1;
	}
}

static int is_key(const struct reader *r, const char *key)
{
	if (r->key)
		return strcasecmp(key, r->key) == 0;
	return strcasecmp(key, "close") == 0 || strcasecmp(key, "closes") == 0;
}

static int no_close(const struct reader *r)
{
	char quoted[80];
	const char *key = r->key ? r->key : "close";

	return json_fail(&r->json, r->e,
	    "the object has no \"%s\": --column NAME says which member",
	    err_quote(quoted, sizeof quoted, key, strlen(key)));
}

/* The next key of the open object that means the closes: 1; 0 at the object's end; -1. */
static int find_close(struct reader *r)
{
	char key[64];
	enum json_token t;

	while ((t = json_next(&r->json, r->e)) == JSON_KEY) {
		if (json_text(&r->json, key, sizeof key) < sizeof key && is_key(r, key))
			return 1;
		if (json_skip(&r->json, t, r->e) < 0)
			return -1;
	}
	return t < 0 ? -1 : 0;
}

/* The rest of an object whose closes were read. */
static int no_other_close(struct reader *r)
{
	int found = find_close(r);

	return found > 0 ? json_fail(&r->json, r->e, "the object has a second close") : found;
}

/* Objects, a bar each; the first is open. */
static int bars(struct reader *r)
{
	enum json_token t = JSON_OBJECT;
	int found;

	do {
		if (t != JSON_OBJECT)
			return t < 0 ? -1
				     : json_fail(&r->json, r->e, "%s where a bar's object is meant",
					   json_token_name(t));
		found = find_close(r);
		if (found == 0)
			return no_close(r);
		if (found < 0 || take(r, json_next(&r->json, r->e)) < 0 || no_other_close(r) < 0)
			return -1;
		t = json_next(&r->json, r->e);
	} while (t != JSON_ARRAY_END);
	return 0;
}

static int array(struct reader *r)
{
	struct json first;
	enum json_token t;

	if (take_plain(r) < 0)
		return -1;
	first = r->json;
	t = json_next(&r->json, r->e);
	if (t == JSON_OBJECT && r->rows == 0)
		return bars(r);
	r->json = first;
	return t < 0 ? -1 : numbers(r, JSON_OBJECT);
}

static int object(struct reader *r)
{
	int found = find_close(r);
	enum json_token t;

	if (found < 0)
		return -1;
	if (found == 0)
		return no_close(r);
	t = json_next(&r->json, r->e);
	if (t == JSON_NUMBER)
		return json_fail(&r->json, r->e,
		    "a number where the array of closes is meant (an object a line? jq -s . makes "
		    "an array)");
	if (t != JSON_ARRAY && t != JSON_OBJECT)
		return t < 0 ? -1
			     : json_fail(&r->json, r->e, "%s where the array of closes is meant",
				   json_token_name(t));
	return numbers(r, t) < 0 || no_other_close(r) < 0 ? -1 : 0;
}

int codec_json_closes(struct buf *closes, const char *name, const char *key, const void *p,
    size_t n, codec_judge *judge, void *user, struct err *e)
{
	struct reader r = {.closes = closes, .key = key, .judge = judge, .user = user, .e = e};
	enum json_token t;
	int bad;

	json_init(&r.json, name, p, n);
	t = json_next(&r.json, e);
	if (t != JSON_ARRAY && t != JSON_OBJECT)
		return t < 0 ? -1
			     : json_fail(&r.json, e,
				   "%s where an array or an object of closes is meant",
				   json_token_name(t));
	bad = t == JSON_ARRAY ? array(&r) : object(&r);
	if (bad < 0)
		return -1;
	return json_next(&r.json, e) == JSON_END ? 0 : -1;
}
