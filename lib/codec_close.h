/* L1: what readers of closes do with a value that is no plain price. */
#ifndef IPCTAX_CODEC_CLOSE_H
#define IPCTAX_CODEC_CLOSE_H

#include "lib/bytes.h"
#include "lib/err.h"

#include <stddef.h>

/*
 * A value that is missing (null, empty: value NaN), not finite, or not above 0,
 * and where it stands.
 */
struct codec_odd {
	const char *name;    /* of the source */
	size_t row;          /* of the value, from 1, those dropped counted */
	size_t line, column; /* in bytes, from 1; 0 where the source has no lines */
	const char *text;    /* as it stands; NULL in binary sources */
	size_t text_len;     /* not NUL-terminated, foreign: err_quote it */
	double value;        /* what it reads as; the judge may put another in its place */
	const double *taken; /* the closes before it */
	size_t n_taken;
};

enum codec_verdict { CODEC_KEEP, CODEC_DROP, CODEC_REFUSE };

/* Decides what becomes of an odd value; *e is its to set on CODEC_REFUSE. */
typedef enum codec_verdict codec_judge(void *user, struct codec_odd *odd, struct err *e);

/* `NAME: line L column C (row R): ` plus your words: what a judge says. Returns CODEC_REFUSE. */
enum codec_verdict codec_refuse(const struct codec_odd *odd, struct err *e, const char *words);

/*
 * For readers: asks the judge (NULL refuses all) and appends what it keeps to
 * closes, whose length is a multiple of 8. 0, or -1 with *e.
 */
int codec_take(
    struct buf *closes, struct codec_odd *odd, codec_judge *judge, void *user, struct err *e);

/* The index of the first of n binary64 (any alignment) that is not a number above 0 and finite; or
 * n. */
size_t codec_first_odd(const void *x, size_t n);

#endif
