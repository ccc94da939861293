#include "lib/codec_npy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define HEADER_MAX 65536 /* of the dictionary; numpy's own stay below 300 bytes */

/* The dictionary, a Python literal: only what numpy writes is understood. */
struct literal {
	const char *name, *at, *end;
	struct err *e;
};

__attribute__((format(printf, 2, 3))) static int wrong(
    const struct literal *l, const char *fmt, ...)
{
	char words[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof words, fmt, ap);
	va_end(ap);
	return err_set(l->e, STATUS_INPUT, "%s: npy header: %s", l->name, words);
}

static int unexpected(const struct literal *l, const char *meant)
{
	char quoted[60];
	size_t n = (size_t)(l->end - l->at);

	if (n == 0)
		return wrong(l, "it ends where %s is meant", meant);
	err_quote(quoted, sizeof quoted, l->at, n < 24 ? n : 24);
	return wrong(l, "'%s' where %s is meant", quoted, meant);
}

static void skip_space(struct literal *l)
{
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\n'))
		l->at++;
}

/* Takes c if it stands next. */
static int take(struct literal *l, char c)
{
	skip_space(l);
	if (l->at == l->end || *l->at != c)
		return 0;
	l->at++;
	return 1;
}

static int string(struct literal *l, const char **text, size_t *n)
{
	const char *stop;

	skip_space(l);
	if (l->at == l->end || (*l->at != '\'' && *l->at != '"'))
		return unexpected(l, "a string");
	stop = memchr(l->at + 1, *l->at, (size_t)(l->end - l->at - 1));
	if (!stop)
		return wrong(l, "a string without end");
	*text = l->at + 1;
	*n = (size_t)(stop - *text);
	l->at = stop + 1;
	return 0;
}

static int is(const char *text, size_t n, const char *s)
{
	return n == strlen(s) && memcmp(text, s, n) == 0;
}

static int descr(struct literal *l, struct npy_head *h)
{
	static const struct {
		const char *text;
		enum npy_type type;
		size_t size;
	} types[] = {{"<f8", NPY_F8, 8}, {">f8", NPY_F8_BIG, 8}, {"<f4", NPY_F4, 4}};
	char quoted[60];
	const char *text;
	size_t n;

	skip_space(l);
	if (l->at < l->end && *l->at == '[')
		return wrong(l, "a structured array: save the one column, np.save(f, a['close'])");
	if (string(l, &text, &n) < 0)
		return -1;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (is(text, n, types[i].text)) {
			h->type = types[i].type;
			h->size = types[i].size;
			return 0;
		}
	if (n >= 2 && text[n - 1] == 'O')
		return wrong(l, "an object array, which is a pickle: save a.astype('<f8')");
	err_quote(quoted, sizeof quoted, text, n);
	return wrong(l, "type '%s' is none of <f8 >f8 <f4: save a.astype('<f8')", quoted);
}

static int boolean(struct literal *l)
{
	static const char *const words[] = {"False", "True"};

	skip_space(l);
	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(l->end - l->at) >= n && memcmp(l->at, words[i], n) == 0) {
			l->at += n;
			return 0;
		}
	}
	return unexpected(l, "True or False");
}

static int length(struct literal *l, uint64_t *v)
{
	const char *start;

	skip_space(l);
	start = l->at;
	for (*v = 0; l->at < l->end && *l->at >= '0' && *l->at <= '9'; l->at++)
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*l->at - '0'), v))
			return wrong(l, "a length beyond 64 bits");
	if (l->at == start)
		return unexpected(l, "a length");
	/* Python 2 wrote 3L. */
	if (l->at < l->end && *l->at == 'L')
		l->at++;
	return 0;
}

/* (N,), or two dimensions of which one is 1. */
static int shape(struct literal *l, struct npy_head *h)
{
	uint64_t v;
	int dimensions = 0, long_ones = 0;

	h->count = 1;
	if (!take(l, '('))
		return unexpected(l, "a shape");
	while (!take(l, ')')) {
		if (dimensions && !take(l, ','))
			return unexpected(l, "a comma");
		if (take(l, ')'))
			break;
		if (length(l, &v) < 0)
			return -1;
		dimensions++;
		if (v == 1)
			continue;
		if (long_ones++)
			return wrong(
			    l, "several dimensions: save the one column, np.save(f, a[:, 3])");
		h->count = v;
	}
	if (dimensions == 0)
		return wrong(l, "a single number without dimension: save np.array([x])");
	return 0;
}

static int dictionary(struct literal *l, struct npy_head *h)
{
	static const char *const keys[] = {"descr", "fortran_order", "shape"};
	unsigned seen = 0;
	const char *key;
	size_t n, i;
	int bad;

	if (!take(l, '{'))
		return unexpected(l, "a dictionary");
	while (!take(l, '}')) {
		if (seen && !take(l, ','))
			return unexpected(l, "a comma");
		if (take(l, '}'))
			break;
		if (string(l, &key, &n) < 0)
			return -1;
		for (i = 0; i < 3 && !is(key, n, keys[i]); i++)
			;
		if (i == 3 || (seen & 1u << i))
			return wrong(l, "keys other than descr, fortran_order, shape");
		seen |= 1u << i;
		if (!take(l, ':'))
			return unexpected(l, "a colon");
		bad = i == 0 ? descr(l, h) : i == 1 ? boolean(l) : shape(l, h);
		if (bad < 0)
			return -1;
	}
	skip_space(l);
	if (l->at != l->end)
		return unexpected(l, "the end");
	return seen == 7 ? 0 : wrong(l, "descr, fortran_order or shape is missing");
}

int codec_npy_head(struct npy_head *h, const char *name, const void *p, size_t n, struct err *e)
{
	const unsigned char *s = p;
	struct literal l = {.name = name, .e = e};
	size_t before, len;

	*h = (struct npy_head){0};
	if (n < 10 || memcmp(s, NPY_MAGIC, NPY_MAGIC_SIZE) != 0)
		return wrong(&l, n < 10 ? "it is cut short" : "the magic bytes are missing");
	if (s[6] < 1 || s[6] > 3 || s[7] != 0)
		return wrong(&l, "version %u.%u is unknown (1 to 3 are known)", s[6], s[7]);
	before = s[6] == 1 ? 10 : 12;
	if (n < before)
		return wrong(&l, "it is cut short");
	len = s[6] == 1 ? (size_t)(s[8] | s[9] << 8) : get_u32(s + 8);
	if (len > HEADER_MAX)
		return wrong(&l, "%zu bytes of it, %d at most", len, HEADER_MAX);
	if (len > n - before)
		return wrong(
		    &l, "%zu of its %zu bytes are there: is it cut short?", n - before, len);
	l.at = (const char *)s + before;
	l.end = l.at + len;
	h->data = before + len;
	return dictionary(&l, h);
}

static uint64_t swapped(uint64_t v)
{
	return __builtin_bswap64(v);
}

static double element(const unsigned char *p, enum npy_type type)
{
	float f;
	uint64_t v;
	double x;

	if (type == NPY_F4) {
		memcpy(&f, p, sizeof f);
		return (double)f;
	}
	v = type == NPY_F8_BIG ? swapped(get_u64(p)) : get_u64(p);
	memcpy(&x, &v, sizeof x);
	return x;
}

int codec_npy_closes(struct buf *closes, const char *name, const void *p, size_t n, struct err *e)
{
	const unsigned char *data;
	unsigned char *dst;
	struct npy_head h;

	if (codec_npy_head(&h, name, p, n, e) < 0)
		return -1;
	if (h.count > SIZE_MAX / 8 || h.count * h.size != n - h.data)
		return err_set(e, STATUS_INPUT,
		    "%s: %zu bytes of data where %llu elements of %zu bytes are announced: is it "
		    "cut "
		    "short?",
		    name, n - h.data, (unsigned long long)h.count, h.size);
	if (buf_reserve(closes, (size_t)h.count * 8) < 0)
		return err_errno(e, "%s: %llu closes", name, (unsigned long long)h.count);
	/* Nothing to keep, and nowhere: a buffer without bytes has no address. */
	if (h.count == 0)
		return 0;
	data = (const unsigned char *)p + h.data;
	dst = closes->p + closes->len;
	if (h.type == NPY_F8)
		memcpy(dst, data, (size_t)h.count * 8);
	else
		for (size_t i = 0; i < h.count; i++)
			put_f64(dst + 8 * i, element(data + h.size * i, h.type));
	closes->len += (size_t)h.count * 8;
	return 0;
}
