#include "lib/codec_tagged.h"

#include <errno.h>

enum tagged_type { TAGGED_NULL, TAGGED_I64, TAGGED_F64, TAGGED_TEXT, TAGGED_LIST, TAGGED_MAP };

/* A value: type byte, then nothing | i64 | f64 | u32 n and n bytes | u32 n, n values or pairs. */
struct tagged {
	enum tagged_type type;
	int64_t i64;
	double f64;
	uint32_t count; /* bytes of text, values of a list, pairs of a map */
	const unsigned char *text;
};

/* Bytes of payload that follow the type byte, without what a count announces. */
static size_t fixed(enum tagged_type type)
{
	switch (type) {
	case TAGGED_NULL: return 0;
	case TAGGED_I64:
	case TAGGED_F64: return 8;
	default: return 4;
	}
}

/* Appends a value (of a list or map the head only: its members are put next). 0, or -1 (ENOMEM). */
static inline int put(struct buf *b, const struct tagged *v)
{
	size_t n = fixed(v->type), text = v->type == TAGGED_TEXT ? v->count : 0;
	unsigned char *p;

	if (buf_reserve(b, 1 + n + text) < 0)
		return -1;
	p = b->p + b->len;
	*p = (unsigned char)v->type;
	if (v->type == TAGGED_F64)
		put_f64(p + 1, v->f64);
	else if (v->type == TAGGED_I64)
		put_u64(p + 1, (uint64_t)v->i64);
	else if (n)
		put_u32(p + 1, v->count);
	if (text)
		memcpy(p + 1 + n, v->text, text);
	b->len += 1 + n + text;
	return 0;
}

static int cut_short(const char *name, size_t at, struct err *e)
{
	return err_set(e, STATUS_INPUT, "%s: byte %zu: the value is cut short", name, at);
}

/* The value at *at in n bytes at p, *at moved behind it. 0, or -1 with *e (STATUS_INPUT). */
static int get(
    struct tagged *v, const char *name, const void *p, size_t n, size_t *at, struct err *e)
{
	const unsigned char *s = (const unsigned char *)p + *at;
	size_t left = n - *at, size;

	if (left == 0)
		return cut_short(name, *at, e);
	if (*s > TAGGED_MAP)
		return err_set(e, STATUS_INPUT, "%s: byte %zu: type %u is unknown", name, *at, *s);
	*v = (struct tagged){.type = *s};
	size = 1 + fixed(v->type);
	if (left < size)
		return cut_short(name, *at, e);
	if (v->type == TAGGED_F64) {
		v->f64 = get_f64(s + 1);
	} else if (v->type == TAGGED_I64) {
		v->i64 = get_i64(s + 1);
	} else if (v->type != TAGGED_NULL) {
		v->count = get_u32(s + 1);
		v->text = s + size;
		if (v->type == TAGGED_TEXT) {
			if (left - size < v->count)
				return cut_short(name, *at, e);
			size += v->count;
		}
	}
	*at += size;
	return 0;
}

int codec_tagged_write(struct buf *b, const void *x, size_t n)
{
	const unsigned char *p = x;
	/* A copy that can live in registers: through memory, how fast len comes back is luck. */
	struct buf to = *b;
	int bad;

	if (n > UINT32_MAX) {
		errno = EOVERFLOW;
		return -1;
	}
	bad = put(&to, &(struct tagged){.type = TAGGED_LIST, .count = (uint32_t)n});
	for (size_t i = 0; i < n && !bad; i++)
		bad = put(&to, &(struct tagged){.type = TAGGED_F64, .f64 = get_f64(p + 8 * i)});
	*b = to;
	return bad;
}

int codec_tagged_closes(
    struct buf *closes, const char *name, const void *p, size_t n, struct err *e)
{
	struct tagged list, v;
	size_t at = 0;

	if (get(&list, name, p, n, &at, e) < 0)
		return -1;
	if (list.type != TAGGED_LIST)
		return err_set(e, STATUS_INPUT, "%s: byte 0: a list of closes is meant", name);
	for (uint32_t i = 0; i < list.count; i++) {
		size_t start = at;

		if (get(&v, name, p, n, &at, e) < 0)
			return -1;
		if (v.type != TAGGED_F64)
			return err_set(
			    e, STATUS_INPUT, "%s: byte %zu: a binary64 is meant", name, start);
		if (buf_append(closes, &v.f64, sizeof v.f64) < 0)
			return err_errno(e, "%s: after %u closes", name, i);
	}
	if (at != n)
		return err_set(e, STATUS_INPUT, "%s: byte %zu: text after the list", name, at);
	return 0;
}
