/* L0: decimals against binary midpoints, exactly, in bounded memory. For num_parse. */
#ifndef IPCTAX_NUM_BIG_H
#define IPCTAX_NUM_BIG_H

#include <stddef.h>
#include <stdint.h>

/*
 * No midpoint of two binary64 has more significant decimal digits than 767; of
 * what follows the first NUM_BIG_DIGITS of a number only matters whether it is zero.
 */
#define NUM_BIG_DIGITS 768

/*
 * Compares digits * 10^exponent with half * 2^exponent2: -1, 0, 1. The digits
 * are the decimal ones among the n bytes at s from the first that is not 0 on
 * (a point among them is passed over); `exponent` counts from the last digit. Both values lie
 * within a factor of two of each other and below 2^1025, half below 2^54 and exponent2 at least
 * -1075.
 */
int num_big_compare(const char *s, size_t n, int64_t exponent, uint64_t half, int exponent2);

#endif
