/*
 * L1: a generic binary codec as reflecting libraries have it: a type byte before
 * every value. Here for contrast: what self-description costs where the layout
 * is known to both sides.
 */
#ifndef IPCTAX_CODEC_TAGGED_H
#define IPCTAX_CODEC_TAGGED_H

#include "lib/bytes.h"
#include "lib/err.h"

#include <stddef.h>
#include <stdint.h>

enum tagged_type { TAGGED_NULL, TAGGED_I64, TAGGED_F64, TAGGED_TEXT, TAGGED_LIST, TAGGED_MAP };

/* A value: type byte, then nothing | i64 | f64 | u32 n and n bytes | u32 n, n values or pairs. */
struct tagged {
	enum tagged_type type;
	int64_t i64;
	double f64;
	uint32_t count; /* bytes of text, values of a list, pairs of a map */
	const unsigned char *text;
};

/* Appends a value (of a list or map the head only: its members are put next). 0, or -1 (ENOMEM). */
int tagged_put(struct buf *b, const struct tagged *v);

/* The value at *at in n bytes at p, *at moved behind it. 0, or -1 with *e (STATUS_INPUT). */
int tagged_get(
    struct tagged *v, const char *name, const void *p, size_t n, size_t *at, struct err *e);

/* Closes as a list of f64, value by value through the two above. */
int codec_tagged_write(struct buf *b, const void *x, size_t n);
int codec_tagged_closes(
    struct buf *closes, const char *name, const void *p, size_t n, struct err *e);

#endif
