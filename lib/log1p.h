/* L0: log(1+x) with a fixed order of operations, so that it is the same on every machine. */
#ifndef IPCTAX_LOG1P_H
#define IPCTAX_LOG1P_H

/*
 * log(1+x) within one ulp by K. C. Ng's method and in its order (fdlibm, Sun, 1993), each
 * operation rounded once. libm's do the same sums in other orders, some with FMA,
 * and so differ from it and from each other in the last bit of some 1 in 1,000
 * values; this order is the one that is fixed here. -1 gives -infinity, NaN
 * and what is below -1 give NaN.
 */
double log1p_fixed(double x);

#endif
