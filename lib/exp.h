/* L0: the exponential function, correctly rounded, so that it is the same on every machine. */
#ifndef IPCTAX_EXP_H
#define IPCTAX_EXP_H

/*
 * e to the x, the exact value rounded once to nearest even: into subnormals,
 * to 0 and to infinity too. NaN for NaN. Needs the default rounding mode and sets
 * no errno; of the exception flags nothing is promised.
 */
double exp_rounded(double x);

/*
 * The same by the wide evaluation alone, 224 fraction bits: what exp_rounded
 * asks where its fast path cannot decide. About a hundred times slower; finite x only.
 */
double exp_wide(double x);

/* 2^(j/64) as the unevaluated sum hi + lo, for j from 0 to 63. */
extern const double exp_table[64][2];

#endif
