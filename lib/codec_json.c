#include "lib/codec_json.h"

#include <math.h>
#include <stdio.h>
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
	const struct codec_json_bars *bars; /* or NULL */
	char part_key[CODEC_PARTS][64];     /* as the first bar has them */
	size_t part_rank[CODEC_PARTS];      /* 0: no member is that part */
	int settled;
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

/* The close of a bar whose other members are known: to the series, or left out. */
static int take_bar(
    struct reader *r, const struct codec_json_member *parts, const struct codec_json_member *close)
{
	struct json here = r->json;
	int taken = r->bars ? r->bars->bar(r->bars->user, parts, close, r->e) : 1;

	if (taken <= 0)
		return taken;
	r->json = close->at;
	if (take(r, close->token) < 0)
		return -1;
	r->json = here;
	return 0;
}

/* Which parts of a bar the key names; the first bar settles the keys. */
static void note_key(struct reader *r, const char *key, int parts[CODEC_PARTS])
{
	for (int i = 0; i < CODEC_PARTS; i++) {
		size_t rank = r->settled ? 0 : r->bars->rank((enum codec_json_part)i, key);

		parts[i] = r->settled && r->part_rank[i] && strcmp(key, r->part_key[i]) == 0;
		if (!rank || (r->part_rank[i] && rank >= r->part_rank[i]))
			continue;
		r->part_rank[i] = rank;
		snprintf(r->part_key[i], sizeof r->part_key[i], "%s", key);
		parts[i] = 1;
	}
}

static void settle(struct reader *r, struct codec_json_member *parts)
{
	if (r->settled || !r->bars)
		return;
	r->settled = 1;
	if (r->part_rank[CODEC_TIME] && r->bars->has_clock(r->part_key[CODEC_TIME]))
		return;
	r->part_rank[CODEC_CLOCK] = 0;
	parts[CODEC_CLOCK].token = JSON_END;
}

/* json_skip; numbers, of which an array may hold many, at full speed. */
static int pass_over(struct reader *r, enum json_token t)
{
	size_t len = r->closes->len;

	if (t == JSON_ARRAY && json_numbers(&r->json, r->closes, r->e) < 0)
		return -1;
	r->closes->len = len;
	return json_skip(&r->json, t, r->e);
}

/* The members of the open object: each that matters, where its value begins. 0, or -1. */
static int members(
    struct reader *r, struct codec_json_member *parts, struct codec_json_member *close)
{
	char key[64];
	int is[CODEC_PARTS] = {0};
	enum json_token t;

	close->token = JSON_END;
	for (int i = 0; i < CODEC_PARTS; i++)
		parts[i].token = JSON_END;
	while ((t = json_next(&r->json, r->e)) == JSON_KEY) {
		int whole = json_text(&r->json, key, sizeof key) < sizeof key;
		int is_close = whole && is_key(r, key);

		if (is_close && close->token != JSON_END)
			return json_fail(&r->json, r->e, "the object has a second close");
		memset(is, 0, sizeof is);
		if (whole && !is_close && r->bars)
			note_key(r, key, is);
		t = json_next(&r->json, r->e);
		if (is_close)
			*close = (struct codec_json_member){r->json, t};
		for (int i = 0; i < CODEC_PARTS; i++)
			if (is[i])
				parts[i] = (struct codec_json_member){r->json, t};
		if (pass_over(r, t) < 0)
			return -1;
	}
	if (t < 0)
		return -1;
	settle(r, parts);
	return close->token == JSON_END ? no_close(r) : 0;
}

/* Objects, a bar each; the first is open. */
static int bars(struct reader *r)
{
	struct codec_json_member parts[CODEC_PARTS], close;
	enum json_token t = JSON_OBJECT;

	do {
		if (t != JSON_OBJECT)
			return t < 0 ? -1
				     : json_fail(&r->json, r->e, "%s where a bar's object is meant",
					   json_token_name(t));
		if (members(r, parts, &close) < 0 || take_bar(r, parts, &close) < 0)
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

/* The next value of an array or object that stands at m: into m; its end is JSON_END. */
static int step(struct codec_json_member *m, struct err *e)
{
	if (m->token != JSON_END)
		m->token = json_next(&m->at, e);
	if (m->token == JSON_KEY)
		m->token = json_next(&m->at, e);
	if (m->token == JSON_ARRAY_END || m->token == JSON_OBJECT_END)
		m->token = JSON_END;
	return m->token < 0 ? -1 : 0;
}

/* Arrays side by side: the i-th of each is the i-th bar; a lone ticker is every bar's. */
static int columns(
    struct reader *r, struct codec_json_member *parts, struct codec_json_member *close)
{
	struct codec_json_member row[CODEC_PARTS];

	for (;;) {
		if (step(close, r->e) < 0)
			return -1;
		if (close->token == JSON_END)
			return 0;
		for (int i = 0; i < CODEC_PARTS; i++) {
			row[i] = parts[i];
			if (parts[i].token != JSON_ARRAY && parts[i].token != JSON_OBJECT)
				continue;
			if (step(&row[i], r->e) < 0)
				return -1;
			/* Kept as an array: the next step reads on from here. */
			parts[i].at = row[i].at;
			if (row[i].token == JSON_END)
				parts[i].token = JSON_END;
			if (row[i].token != JSON_END &&
			    json_skip(&parts[i].at, row[i].token, r->e) < 0)
				return -1;
		}
		if (take_bar(r, row, close) < 0)
			return -1;
	}
}

static int object(struct reader *r)
{
	struct codec_json_member parts[CODEC_PARTS], close;
	struct json end;
	enum json_token t;
	int bad, plain = 1;

	if (members(r, parts, &close) < 0)
		return -1;
	t = close.token;
	end = r->json;
	r->json = close.at;
	if (t == JSON_NUMBER)
		return json_fail(&r->json, r->e,
		    "a number where the array of closes is meant (an object a line? jq -s . makes "
		    "an array)");
	if (t != JSON_ARRAY && t != JSON_OBJECT)
		return json_fail(
		    &r->json, r->e, "%s where the array of closes is meant", json_token_name(t));
	for (int i = 0; i < CODEC_PARTS; i++) {
		if (i != CODEC_TICKER && parts[i].token != JSON_ARRAY &&
		    parts[i].token != JSON_OBJECT)
			parts[i].token = JSON_END; /* when the document was made, say */
		plain &= parts[i].token == JSON_END;
	}
	bad = plain ? numbers(r, t) : columns(r, parts, &close);
	if (bad == 0)
		r->json = end;
	return bad;
}

int codec_json_closes_of(struct buf *closes, const char *name, const char *key, const void *p,
    size_t n, codec_judge *judge, void *user, const struct codec_json_bars *bars_of, struct err *e)
{
	struct reader r = {
	    .closes = closes, .key = key, .judge = judge, .user = user, .bars = bars_of, .e = e};
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

int codec_json_closes(struct buf *closes, const char *name, const char *key, const void *p,
    size_t n, codec_judge *judge, void *user, struct err *e)
{
	return codec_json_closes_of(closes, name, key, p, n, judge, user, NULL, e);
}
