/* L1: NumPy's array file, versions 1 to 3. */
#ifndef IPCTAX_CODEC_NPY_H
#define IPCTAX_CODEC_NPY_H

#include "lib/bytes.h"
#include "lib/err.h"

#include <stddef.h>
#include <stdint.h>

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_SIZE 6

enum npy_type { NPY_F8, NPY_F8_BIG, NPY_F4 }; /* <f8 >f8 <f4 */

struct npy_head {
	enum npy_type type;
	uint64_t count; /* elements */
	size_t data;    /* offset of the first */
	size_t size;    /* bytes an element */
};

/*
 * Reads the header of the array file in n bytes at p: one dimension (a column
 * (N,1) or row (1,N) passes too) of <f8, >f8 or <f4. Bounded: looks at no more
 * than 64 KiB of header whatever is claimed. 0; -1 with *e (STATUS_INPUT),
 * naming what is there and what would do: object arrays, two dimensions,
 * other types, a header cut short.
 */
int codec_npy_head(struct npy_head *h, const char *name, const void *p, size_t n, struct err *e);

/*
 * Head and data: appends the closes as binary64, as they stand (NaN and all). -1
 * with *e as above, or where fewer or more bytes follow than the shape says.
 */
int codec_npy_closes(struct buf *closes, const char *name, const void *p, size_t n, struct err *e);

struct npy_field {
	const char *name;  /* [A-Za-z0-9_]+, NULL for the only field of a plain array */
	const char *descr; /* "<f8", "<i8" */
};

/*
 * Appends a version 1 header, byte for byte as numpy.save writes it, for rows
 * elements of one plain field or a structured dtype. 0, or -1 (errno ENOMEM).
 * What follows is the caller's: the fields of each row in order, packed.
 */
int codec_npy_head_write(
    struct buf *b, const struct npy_field *fields, size_t n_fields, uint64_t rows);

#endif
