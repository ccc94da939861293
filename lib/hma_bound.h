/* L2: the fast evaluation of HMA3 - HMA and the proven bound on its error. */
#ifndef IPCTAX_HMA_BOUND_H
#define IPCTAX_HMA_BOUND_H

#include "lib/hma.h"

#include <stddef.h>

/*
 * The fast evaluation. Let x be the closes on a local scale, P1 = sum x, P2 =
 * sum P1, P3, P4 likewise, from any starting values. With the lag operator z a
 * weighted moving average is, exactly,
 *
 *     WMA_w = (w - (w+1) z + z^(w+1)) / (1-z)^2 / d_w,     d_w = w (w+1) / 2,
 *
 * and dividing by 1-z is summing: WMA_w(x) = (w - (w+1) z + z^(w+1)) P2 / d_w.
 * The operator in brackets kills constants and straight lines, so starting
 * values do not matter. Averages commute, so the outer one comes first:
 *
 *     U = d_s WMA_s(P2)  with  U[t] = s P3[t] - P4[t-1] + P4[t-s-1],   s = sqrt
 *     V = d_p WMA_p(P2)  likewise,                                     p = full3
 *     D = HMA3 - HMA = combination of V[t], V[t-1], V[t-third3-1], V[t-half3-1],
 *         V[t-p-1], U[t], U[t-1], U[t-half-1], U[t-full-1]
 *
 * with the coefficients below: nine products a bar whatever the windows.
 *
 * The bound. u = 2^-53; a block of closes c with X = max |c|, origin o, scale S (a
 * power of two), x = (c - o) S, |x| <= Q = 2^b, all places within H of the
 * centre, where P1 ... P4 are 0. D and the bound are in units of x.
 *
 * 1. Quantisation. y = rint((c - o) S 2^16) is an integer within 1/2 + 1/8 of the
 *    truth (c - o is rounded by at most u 2^(b+16) <= 1/8, b <= 34), sums of y are exact in
 *    64 bits, and P1 is that sum / 2^16 rounded to an integer: within
 *    r = 1/2 + H 2^-16. D as a combination of P1 has weights (1-z) K, K those of D in
 *    x. The absolute weights of (1-z) WMA_w sum to 4/(w+1), those of WMA_w to 1, and
 *    (1-z) may be given to the inner averages or the outer one, so D moves by at
 *    most r N with
 *        N = min(6, 8/(half+1) + 4/(full+1), 12/(sqrt+1))
 *          + min(10, 12/(third3+1) + 4/(half3+1) + 4/(p+1), 20/(p+1)).
 *    D of a constant is 0: o drops out.
 * 2. Sums. P2 ... P4 are exact in 64-bit integers: |Pk| <= Q C(H+k-1, k), and b
 *    is chosen so that Q C(H+3, 4) <= 2^61. P3 and P4 are then rounded to
 *    binary64 once: u |P3|, u |P4|.
 * 3. U (V likewise, with p). The difference of two P4: 2 u P4 + u 2 P4; product and sum:
 *    u w P3 for P3's rounding, u w P3 for the product where it is not fused, and
 *    u (w P3 + 2 P4) at the end: in all e_w = u (3 w P3 + 6 P4), and
 *    |U| <= d_w P2 + e_w.
 * 4. Combination. Let A_U be the sum of the absolute values of the terms that
 *    make up U's coefficients (some are differences), A_V likewise. Each
 *    coefficient carries at most 8 roundings of its terms; nine products and
 *    eight sums, unfused, carry at most 18 more: (8 + 18) u < 32 u. So
 *    D moves by at most  A_U (e_s + 32 u (d_s P2 + e_s)) + A_V (e_p + 32 u (d_p P2 + e_p)).
 * 5. The reference itself. A weighted average of w values of at most X takes w
 *    products, w sums, a division and a rounded divisor: it is within g_w X of the truth,
 *    g_w = (w+3) u (1 + 2^-20). Through raw = 2 a - b (one rounding of at most 3 X) and
 *    raw3 = 3 a - b - c (three, of 3, 4, 5 X) and the outer average:
 *        HMA:  (2 g_half + g_full + 3 u + 3 g_sqrt) X
 *        HMA3: (3 g_third + g_half3 + g_p + 12 u + 5 g_p) X
 *    in all less than 1.01 u (2 half + full + 3 sqrt + 3 third + half3 + 6 p + 64) X = R X.
 *    What underflow adds (2^-1075 an operation) is far below u X for X >= 2^-900, and
 *    nothing overflows for X <= 2^900; other blocks are not evaluated this way.
 *
 * So where |D| > fixed + R X S, the reference's HMA3 - HMA has the sign of D.
 * The bound's own arithmetic is rounded too: it is taken 1% larger.
 */
struct hma_filter {
	struct hma_set set;
	double u[4]; /* of U[t], U[t-1], U[t-half-1], U[t-full-1]; already negative: - HMA */
	double v[5]; /* of V[t], V[t-1], V[t-third3-1], V[t-half3-1], V[t-full3-1] */
	double fixed, reference; /* 1 to 4 above; R above */
};

#define HMA_FRACTION_BITS 16

/* Bits b of the scaled closes for a block within H of its centre; 0: too long for any. */
int hma_bound_bits(size_t h);

/* Coefficients and bound of one set for blocks of that H and b. */
void hma_filter_init(struct hma_filter *f, const struct hma_set *s, size_t h, int bits);

/* The bound for a block: x the largest |close|, scale its S; in units of q. */
double hma_filter_bound(const struct hma_filter *f, double x, double scale);

#endif
