/*
 * Numbers of every length before and after the point, whatever follows them, cut at every
 * byte, against strtod; then arrays and lines of them, against the reader that goes one by one. All
 * texts end where readable memory does. Silent when all agree.
 */
#include "lib/codec_csv.h"
#include "lib/json.h"
#include "lib/num.h"
#include "lib/num_plain.h"
#include "lib/stat.h"
#include "t/unit/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 400

static char *last; /* the end of a page before one that may not be read */
static uint64_t state = 1;
static int failures;

static void differs(const char *what, const char *text, size_t n)
{
	if (failures++ < 20)
		printf("%s: \"%.*s\"\n", what, (int)n, text);
}

static unsigned draw(unsigned below)
{
	return (unsigned)(stat_random(&state) % below);
}

/* Zeros, nines, any; or zeros and then any. */
static char *put_digits(char *p, int n, int kind)
{
	for (int i = 0; i < n; i++)
		*p++ = (char)('0' + (kind == 0 || (kind == 3 && i < n / 2) ? 0
					: kind == 1                        ? 9
									   : (int)draw(10)));
	return p;
}

/* A number, with no point where after is below 0. */
static char *put_number(char *p, int minus, int before, int after, int kind)
{
	if (minus)
		*p++ = '-';
	p = put_digits(p, before, kind % 4);
	/* Seldom a zero in front, which JSON takes for one digit only. */
	if (before > 1 && kind / 4)
		p[-before] = (char)('1' + draw(9));
	if (after >= 0)
		*p++ = '.';
	return put_digits(p, after, kind % 4);
}

/* Whether the n bytes, which num_parse takes whole, are a number by RFC 8259. */
static int is_strict(const char *s, size_t n)
{
	size_t i = *s == '-', first = i;

	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	if (i == first || (s[first] == '0' && i - first > 1))
		return 0;
	return i == n || s[i] != '.' || (i + 1 < n && s[i + 1] >= '0' && s[i + 1] <= '9');
}

/* The n bytes, of which a number and what follows is read, by strtod and by us. */
static void check(const char *text, size_t n)
{
	char copy[LONGEST], *end, *s = last - n;
	double libc, ours = -7, strict = -7;
	size_t used, used_strict, wanted;
	enum num_status status, status_strict;

	memcpy(copy, text, n);
	copy[n] = '\0';
	/* It passes over white space. */
	libc = strtod(copy, &end);
	wanted = strchr(" \n\r", *copy) ? 0 : (size_t)(end - copy);
	memcpy(s, text, n);
	status = num_parse(s, n, &ours, &used);
	status_strict = num_parse_strict(s, n, &strict, &used_strict);
	if (status != (wanted ? NUM_OK : NUM_SYNTAX) || used != wanted ||
	    (wanted && memcmp(&ours, &libc, sizeof ours) != 0))
		differs("strtod differs", text, n);
	if (status_strict == NUM_OK
		? !is_strict(text, wanted) || used_strict != wanted ||
		      memcmp(&strict, &libc, sizeof strict) != 0
		: wanted && is_strict(text, wanted) &&
		      (n == wanted || (text[wanted] != 'e' && text[wanted] != 'E')))
		differs("the strict one differs", text, n);
}

/* Also as the loops read it: in a window that has a number before it. */
static void check_window(const char *text, size_t n)
{
	char copy[LONGEST] = "1,", *end;
	const char *at = copy, *after = copy + 2;
	unsigned char x[2 * sizeof(double)];
	double libc;
	size_t count;

	memcpy(copy + 2, text, n);
	memset(copy + 2 + n, ';', NUM_PLAIN_TWO);
	count = num_plain_list(&at, copy + 2 + n + NUM_PLAIN_TWO, x, 2);
	if (count < 1 || get_f64(x) - 1 != 0) {
		differs("the first of the window", copy, n + 2);
	} else if (count == 2) {
		libc = strtod(after, &end);
		if (at != end || *at != ',' || !is_strict(after, (size_t)(end - after)) ||
		    memcmp(x + 8, &libc, sizeof libc) != 0)
			differs("the second of the window", copy, n + 2);
	}
}

static void check_lengths(void)
{
	static const char *const follow[] = {"", ",", "\n", "\r\n", " ", "]", "}", "e", "e5", "E-3",
	    "e+", ".", ".5", "-", "y", "/", ":", "\x80", "\xb0\xb5"};
	char text[LONGEST], *p;

	for (int before = 0; before <= 25; before++)
		for (int after = -1; after <= 25; after++)
			for (unsigned f = 0; f < sizeof follow / sizeof *follow; f++)
				for (int kind = 0; kind < 8; kind++) {
					p = put_number(text, kind % 2, before, after, kind);
					p = stpcpy(p, follow[f]);
					check_window(text, (size_t)(p - text));
					memset(p, ';', 32);
					check(text, (size_t)(p - text) + 32);
					for (size_t n = (size_t)(p - text) + 1; kind > 5 && n--;)
						check(text, n);
				}
}

/*
 * Half way between two binary64, and next to it, in 19 digits: no nearer can a plain number be;
 * and exactly so, which takes 15 before the point.
 */
static void check_midpoints(void)
{
	char text[LONGEST], *p;

	for (int i = 0; i < 40000; i++) {
		uint64_t m = ((uint64_t)1 << 53) + stat_random(&state) % 6992800745259008 / 2 * 2;
		int shift = 10 + (int)draw(90), before;
		long double half = (long double)(m + 1);

		while (shift--)
			half /= 2;
		before = snprintf(text, sizeof text, "%.0Lf", half);
		if (before > 15)
			continue;
		p = text + snprintf(text, sizeof text, "%.*Lf", 19 - before, half) - 1;
		memset(p + 1, ';', 32);
		for (int k = 0; k < 3; k++) {
			check(text, (size_t)(p + 1 - text) + 32);
			*p = (char)('0' + (*p - '0' + 9) % 10);
		}
		sprintf(
		    text, "%llu.%04u;", (unsigned long long)m >> 4, (unsigned)(m & 14) * 625 + 625);
		memset(strchr(text, ';'), ';', 32);
		check(text, 20 + 32);
	}
}

/* Every token by json_next; or the arrays' numbers by json_numbers. The text ends at `last`. */
static void read_json(struct buf *closes, struct err *e, size_t n, int fast)
{
	struct json j;
	enum json_token t;

	json_init(&j, "in", last - n, n);
	while ((t = json_next(&j, e)) > JSON_END) {
		if (t == JSON_NUMBER)
			buf_append(closes, &j.number, sizeof j.number);
		if (fast && t == JSON_ARRAY && json_numbers(&j, closes, e) < 0)
			break;
	}
}

/* One by one, by strtod: a line feed ends a line, a carriage return before it is no part of it. */
static void read_lines(struct buf *closes, const char *text, size_t n)
{
	char copy[LONGEST], *line = copy, *end, *rest;
	double x;

	memcpy(copy, text, n);
	copy[n] = '\0';
	for (; line < copy + n; line = end + 1) {
		end = strchrnul(line, '\n');
		x = strtod(line, &rest);
		if (rest == line || rest + (*rest == '\r') != end)
			return;
		buf_append(closes, &x, sizeof x);
	}
}

static void same(const char *what, const struct buf *a, const struct buf *b, const struct err *ea,
    const struct err *eb, const char *text, size_t n)
{
	if (a->len != b->len || (a->len && memcmp(a->p, b->p, a->len) != 0) ||
	    strcmp(ea->text, eb->text) != 0)
		differs(what, text, n);
}

static enum codec_verdict keep(void *user, struct codec_odd *odd, struct err *e)
{
	size_t *asked = user;

	++*asked;
	if (odd->value > 0)
		err_set(e, STATUS_INPUT, "nothing odd");
	return odd->value > 0 ? CODEC_REFUSE : CODEC_KEEP;
}

static char *put_some(char *p, int minus)
{
	int before = 1 + (int)draw(draw(4) ? 3 : 24), after = (int)draw(draw(4) ? 17 : 24) - 1;

	if (draw(20) == 0)
		return stpcpy(p, draw(2) ? "0" : "0.000");
	return put_number(p, minus && draw(4) == 0, before, after ? after : 1, 4 + (int)draw(4));
}

static void check_array(void)
{
	static const char *const between[] = {
	    ",", ",", ",", ", ", ",\n  ", " ,", ",,", "e1,", ",null,", ",[", "]"};
	unsigned kinds = draw(3) ? 5 : sizeof between / sizeof *between;
	char text[LONGEST], *p = text;
	size_t n;

	*p++ = '[';
	while (p - text < LONGEST - 140) {
		p = put_some(p, 1);
		p = stpcpy(p, between[draw(kinds)]);
	}
	p = stpcpy(put_some(p, 1), "]");
	for (n = (size_t)(p - text); n--;) {
		struct buf a = {0}, b = {0};
		struct err ea = {0}, eb = {0};

		memcpy(last - n, text, n);
		read_json(&a, &ea, n, 0);
		read_json(&b, &eb, n, 1);
		same("json_numbers differs", &a, &b, &ea, &eb, text, n);
		buf_free(&a);
		buf_free(&b);
	}
}

static void check_lines(void)
{
	static const char *const ends[] = {
	    "\n", "\r\n", "\n", "e1\n", "\r\r\n", " \n", ",5\n", "\r"};
	unsigned kinds = draw(2) ? 2 : draw(2) ? 4 : sizeof ends / sizeof *ends;
	char text[LONGEST], *p = text;
	size_t n;

	while (p - text < LONGEST - 140) {
		p = put_some(p, 0);
		p = stpcpy(p, ends[draw(kinds)]);
	}
	for (n = (size_t)(p - text); n--;) {
		struct buf a = {0}, b = {0};
		struct err e = {0};
		size_t asked = 0;

		memcpy(last - n, text, n);
		read_lines(&a, text, n);
		if (codec_csv_closes(&b, "in", last - n, n, keep, &asked, &e) < 0 && !*e.text)
			differs("no words", text, n);
		same("codec_csv_closes differs", &a, &b, &e, &e, text, n);
		for (size_t i = 0; i < a.len; i += sizeof(double))
			asked -= !(get_f64(a.p + i) > 0);
		if (asked != 0)
			differs("not all that is odd was judged", text, n);
		buf_free(&a);
		buf_free(&b);
	}
}

int main(void)
{
	last = guarded_end();
	check_lengths();
	check_midpoints();
	for (int i = 0; i < 1000; i++) {
		check_array();
		check_lines();
	}
	return failures != 0;
}
