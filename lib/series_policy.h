/* L1: what becomes of a value that is no plain price. */
#ifndef IPCTAX_SERIES_POLICY_H
#define IPCTAX_SERIES_POLICY_H

#include "lib/codec_close.h"

#include <stddef.h>
#include <stdint.h>

enum series_missing { SERIES_MISSING_REFUSE, SERIES_MISSING_DROP, SERIES_MISSING_FFILL };

/* A codec_judge's user; {0} refuses whatever is not finite and above 0. */
struct series_policy {
	enum series_missing missing; /* of NaN, infinities, null and empty */
	int allow_nonpositive;       /* 0 and below pass */
	int allow_nonfinite;         /* NaN and infinities that stand as such pass */
};

/*
 * The judge: p is a struct series_policy. A value without text and line is one of a
 * binary source: the message then says bar and byte (row and column of *odd).
 */
enum codec_verdict series_judge(void *p, struct codec_odd *odd, struct err *e);

/* The number a scale is applied to: exact where scale is a power of ten, else one product. */
struct series_scale {
	double by;
	int power; /* of ten, where by is one */
	int is_power;
};

/* scale is finite and above 0. */
struct series_scale series_scale_of(double scale);
double series_scaled(const struct series_scale *s, double x);

#endif
