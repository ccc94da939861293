#include "lib/codec_csv.h"
#include "lib/num.h"
#include "lib/num_plain.h"
#include "lib/num_write.h"

#include <math.h>
#include <string.h>

#define AT_ONCE 256 /* numbers for which room is made in one go */

int codec_csv_write(struct buf *text, const void *x, size_t n)
{
	const unsigned char *p = x;
	char *dst;

	for (size_t i = 0, few; i < n; i += few) {
		few = n - i < AT_ONCE ? n - i : AT_ONCE;
		if (buf_reserve(text, AT_ONCE * (NUM_MAX + 1)) < 0)
			return -1;
		dst = (char *)text->p + text->len;
		text->len += (size_t)(num_write_all(dst, p + 8 * i, few, '\n', NULL) - dst);
	}
	return 0;
}

/* A text being read and where its numbers go. */
struct reader {
	const char *name, *at, *end;
	size_t line, rows;
	struct buf *closes;
	codec_judge *judge;
	void *user;
	struct err *e;
};

/* nan, inf, infinity in any case and with a sign, as printf and pandas write them. */
static int not_finite(const char *s, size_t n, double *x)
{
	int minus = n && *s == '-';
	char word[9] = "";

	if (n && (*s == '-' || *s == '+'))
		s++, n--;
	if (n >= sizeof word)
		return 0;
	for (size_t i = 0; i < n; i++)
		word[i] = (char)(s[i] | 32);
	if (strcmp(word, "nan") == 0)
		*x = NAN;
	else if (strcmp(word, "inf") == 0 || strcmp(word, "infinity") == 0)
		*x = minus ? -INFINITY : INFINITY;
	else
		return 0;
	return 1;
}

/* A line that is no plain price: its n bytes lie at r->at. */
static int odd_line(struct reader *r, size_t n)
{
	char quoted[64];
	size_t used;
	struct codec_odd odd = {.name = r->name,
	    .row = ++r->rows,
	    .line = r->line,
	    .column = 1,
	    .text = r->at,
	    .text_len = n,
	    .value = NAN};
	enum num_status bad = num_parse(r->at, n, &odd.value, &used);

	if (n == 0 || (!bad && used == n) || not_finite(r->at, n, &odd.value))
		return codec_take(r->closes, &odd, r->judge, r->user, r->e);
	err_quote(quoted, sizeof quoted, r->at, n < 40 ? n : 40);
	return err_set(r->e, STATUS_INPUT, "%s: line %zu column %zu: '%s' %s", r->name, r->line,
	    bad == NUM_OVERFLOW ? 1 : used + 1, quoted,
	    bad == NUM_OVERFLOW ? "is above the largest binary64"
				: "where one number a line is meant");
}

/* A price as it should be. */
static int plain(struct reader *r, double x)
{
	r->rows++;
	if (buf_append(r->closes, &x, sizeof x) < 0)
		return err_errno(r->e, "%s: after %zu closes", r->name, r->rows);
	return 0;
}

/* As many lines of them as are written plainly. */
static int plain_lines(struct reader *r)
{
	struct buf *b = r->closes;
	size_t n = 1;

	while (n && r->end - r->at >= NUM_PLAIN_TWO) {
		if (buf_reserve(b, AT_ONCE * sizeof(double)) < 0)
			return err_errno(r->e, "%s: after %zu closes", r->name, r->rows);
		n = num_plain_lines(
		    &r->at, r->end, b->p + b->len, (b->cap - b->len) / sizeof(double));
		b->len += n * sizeof(double);
		r->rows += n;
		r->line += n;
	}
	return 0;
}

static int line(struct reader *r)
{
	const char *stop;
	size_t used, n;
	double x;

	/* A number and a line feed, which is not looked for first. */
	if (num_parse_other(r->at, (size_t)(r->end - r->at), &x, &used) == NUM_OK && x > 0 &&
	    r->at + used < r->end && r->at[used] == '\n') {
		r->at += used + 1;
		return plain(r, x);
	}
	stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
	n = (size_t)((stop ? stop : r->end) - r->at);
	n -= n && r->at[n - 1] == '\r';
	used = 0;
	if (n && num_parse(r->at, n, &x, &used) == NUM_OK && used == n && x > 0) {
		if (plain(r, x) < 0)
			return -1;
	} else if (odd_line(r, n) < 0) {
		return -1;
	}
	r->at = stop ? stop + 1 : r->end;
	return 0;
}

static size_t header(const char *p, size_t n)
{
	if (n >= 6 && memcmp(p, "close\n", 6) == 0)
		return 6;
	if (n >= 7 && memcmp(p, "close\r\n", 7) == 0)
		return 7;
	return n == 5 && memcmp(p, "close", 5) == 0 ? 5 : 0;
}

int codec_csv_closes(struct buf *closes, const char *name, const void *p, size_t n,
    codec_judge *judge, void *user, struct err *e)
{
	struct reader r = {
	    .name = name, .at = n ? p : "", .closes = closes, .judge = judge, .user = user, .e = e};
	size_t head = header(r.at, n);

	r.end = r.at + n;
	r.at += head;
	for (r.line = 1 + (head != 0); r.at < r.end; r.line++)
		if (plain_lines(&r) < 0 || line(&r) < 0)
			return -1;
	return 0;
}
