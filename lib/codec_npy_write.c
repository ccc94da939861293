#include "lib/codec_npy.h"

#include <stdio.h>

#define ALIGN 64  /* the data starts at a multiple of it */
#define GROWTH 21 /* digits that numpy leaves room for, so that a file can grow in place */

static int text(struct buf *b, const char *s)
{
	return buf_append(b, s, strlen(s));
}

static int descr(struct buf *b, const struct npy_field *fields, size_t n)
{
	int bad;

	if (!fields->name) {
		bad = text(b, "'") | text(b, fields->descr) | text(b, "'");
		return bad;
	}
	bad = text(b, "[");
	for (size_t i = 0; i < n; i++)
		bad |= text(b, i ? ", ('" : "('") | text(b, fields[i].name) | text(b, "', '") |
		       text(b, fields[i].descr) | text(b, "')");
	return bad | text(b, "]");
}

int codec_npy_head_write(
    struct buf *b, const struct npy_field *fields, size_t n_fields, uint64_t rows)
{
	size_t start = b->len, pad;
	char number[32];
	int digits = snprintf(number, sizeof number, "%llu", (unsigned long long)rows);

	if (buf_append(b, NPY_MAGIC "\1\0\0\0", 10) < 0 || text(b, "{'descr': ") < 0 ||
	    descr(b, fields, n_fields) < 0 || text(b, ", 'fortran_order': False, 'shape': (") < 0 ||
	    text(b, number) < 0 || text(b, ",), }") < 0)
		goto out_of_memory;
	pad = (size_t)(GROWTH - digits);
	/* numpy pads by a whole line where none is needed, and so must we. */
	pad += ALIGN - (b->len - start + pad + 1) % ALIGN;
	if (buf_reserve(b, pad + 1) < 0)
		goto out_of_memory;
	memset(b->p + b->len, ' ', pad);
	b->len += pad;
	b->p[b->len++] = '\n';
	pad = b->len - start - 10;
	b->p[start + 8] = (unsigned char)pad;
	b->p[start + 9] = (unsigned char)(pad >> 8);
	return 0;
out_of_memory:
	b->len = start;
	return -1;
}
