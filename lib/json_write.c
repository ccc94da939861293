#include "lib/json.h"
#include "lib/json_text.h"
#include "lib/num.h"
#include "lib/num_write.h"

#include <errno.h>
#include <string.h>

void json_to_out(struct json_writer *w, struct out *o, unsigned lines)
{
	*w = (struct json_writer){.out = o, .lined = lines};
}

void json_to_buf(struct json_writer *w, struct buf *b, unsigned lines)
{
	*w = (struct json_writer){.buf = b, .lined = lines};
}

/* Room for n bytes (at most 64 KiB), or NULL. */
static char *room(struct json_writer *w, size_t n)
{
	if (w->out)
		return (char *)out_room(w->out, n);
	if (w->error)
		return NULL;
	if (buf_reserve(w->buf, n) < 0) {
		w->error = errno;
		return NULL;
	}
	return (char *)w->buf->p + w->buf->len;
}

static void used(struct json_writer *w, size_t n)
{
	if (w->out)
		out_used(w->out, n);
	else
		w->buf->len += n;
}

static void raw(struct json_writer *w, const void *p, size_t n)
{
	if (w->out)
		out_put(w->out, p, n);
	else if (!w->error && buf_append(w->buf, p, n) < 0)
		w->error = errno;
}

static void line(struct json_writer *w)
{
	static const char blanks[] = "                                ";
	size_t left = 2 * (size_t)w->depth;

	raw(w, "\n", 1);
	for (; left > 32; left -= 32)
		raw(w, blanks, 32);
	raw(w, blanks, left);
}

/* What stands before a member: comma, line break, nothing after a key. */
static void member(struct json_writer *w)
{
	uint64_t bit;

	if (w->after_key || w->depth == 0) {
		w->after_key = 0;
		return;
	}
	bit = (uint64_t)1 << (w->depth - 1);
	if (w->filled & bit)
		raw(w, ", ", w->lined && w->depth > w->lined ? 2 : 1);
	w->filled |= bit;
	if (w->depth <= w->lined)
		line(w);
}

static void enter(struct json_writer *w, char bracket)
{
	member(w);
	raw(w, &bracket, 1);
	/* Deeper than JSON_DEPTH is a bug of ours; stay within the bits all the same. */
	if (w->depth < JSON_DEPTH)
		w->depth++;
	w->filled &= ~((uint64_t)1 << (w->depth - 1));
	if (bracket == '{')
		w->objects |= (uint64_t)1 << (w->depth - 1);
	else
		w->objects &= ~((uint64_t)1 << (w->depth - 1));
}

void json_put_object(struct json_writer *w)
{
	enter(w, '{');
}

void json_put_array(struct json_writer *w)
{
	enter(w, '[');
}

void json_put_close(struct json_writer *w)
{
	uint64_t bit;

	if (w->depth == 0)
		return;
	bit = (uint64_t)1 << --w->depth;
	if ((w->filled & bit) && w->depth < w->lined)
		line(w);
	raw(w, w->objects & bit ? "}\n" : "]\n", w->depth ? 1 : 2);
}

/* How a byte leaves within a string: 0 as it stands, else the letter of its escape, 'u' in hex. */
static char escape_of(unsigned char c)
{
	switch (c) {
	case '"': return '"';
	case '\\': return '\\';
	case '\b': return 'b';
	case '\f': return 'f';
	case '\n': return 'n';
	case '\r': return 'r';
	case '\t': return 't';
	default: return c < 0x20 || c == 0x7f ? 'u' : '\0';
	}
}

static void quoted(struct json_writer *w, const unsigned char *p, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	size_t i = 0, start = 0, len;

	raw(w, "\"", 1);
	while (i < n) {
		char e = escape_of(p[i]);

		len = json_utf8(p + i, n - i);
		if (len && !e) {
			i += len;
			continue;
		}
		raw(w, p + start, i - start);
		if (!len)
			raw(w, "\xef\xbf\xbd", 3);
		else if (e == 'u')
			raw(w, (char[]){'\\', 'u', '0', '0', hex[p[i] >> 4], hex[p[i] & 15]}, 6);
		else
			raw(w, (char[]){'\\', e}, 2);
		start = ++i;
	}
	raw(w, p + start, n - start);
	raw(w, "\"", 1);
}

void json_put_key(struct json_writer *w, const char *key)
{
	member(w);
	quoted(w, (const unsigned char *)key, strlen(key));
	raw(w, ": ", w->lined ? 2 : 1);
	w->after_key = 1;
}

void json_put_text(struct json_writer *w, const void *s, size_t n)
{
	member(w);
	quoted(w, s, n);
}

void json_put_str(struct json_writer *w, const char *s)
{
	json_put_text(w, s, strlen(s));
}

void json_put_double(struct json_writer *w, double x)
{
	json_put_doubles(w, &x, 1);
}

static void integer(struct json_writer *w, int minus, uint64_t v)
{
	char text[24], *p = text + sizeof text;

	member(w);
	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	if (minus)
		*--p = '-';
	raw(w, p, (size_t)(text + sizeof text - p));
}

void json_put_i64(struct json_writer *w, int64_t v)
{
	integer(w, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void json_put_u64(struct json_writer *w, uint64_t v)
{
	integer(w, 0, v);
}

void json_put_bool(struct json_writer *w, int truth)
{
	member(w);
	raw(w, truth ? "true" : "false", truth ? 4 : 5);
}

void json_put_null(struct json_writer *w)
{
	member(w);
	raw(w, "null", 4);
}

#define AT_ONCE 256 /* numbers for which room is made in one go */

void json_put_doubles(struct json_writer *w, const void *x, size_t n)
{
	const unsigned char *p = x;
	size_t most = w->depth && w->depth <= w->lined ? 1 : AT_ONCE, few;
	char *dst;

	for (size_t i = 0; i < n; i += few) {
		member(w);
		dst = room(w, AT_ONCE * (NUM_MAX + 1));
		if (!dst)
			return;
		few = n - i < most ? n - i : most;
		/* The last comma is left to the next member. */
		used(w, (size_t)(num_write_all(dst, p + 8 * i, few, ',', "null") - 1 - dst));
	}
}

int json_put_done(struct json_writer *w, size_t before, const char *what, struct err *e)
{
	if (!w->error)
		return 0;
	w->buf->len = before;
	errno = w->error;
	return err_errno(e, "%s", what);
}
