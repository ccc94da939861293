/* L0: NumPy's default_rng, bit for bit: seeding, PCG64, uniforms, standard normals. */
#ifndef IPCTAX_RNG_H
#define IPCTAX_RNG_H

#include <stdint.h>

/* A PCG64 stream: a 128-bit linear congruential state and its increment. */
struct rng {
	__extension__ unsigned __int128 state, increment;
};

/*
 * Starts the stream of default_rng(seed). The seed is spread by a SeedSequence (M. E. O'Neill's
 * seed_seq_fe as NumPy has it), the generator is PCG XSL RR 128/64 (O'Neill: PCG,
 * HMC-CS-2014-0905, 2014).
 */
void rng_seed(struct rng *r, uint64_t seed);

/* 64 uniform bits. */
uint64_t rng_u64(struct rng *r);

/* Uniform in [0, 1): a multiple of 2^-53. */
double rng_uniform(struct rng *r);

/*
 * Standard normal: the 256-layer ziggurat of G. Marsaglia and W. W. Tsang (The Ziggurat Method for
 * Generating Random Variables, 2000), draws used as Generator.standard_normal uses them. Takes one
 * draw in some 98 of 100 cases, else a varying number.
 */
double rng_normal(struct rng *r);

/* The ziggurat: layer i ends at x_i = wide[i] 2^52, where the density (unscaled) is height[i]. */
extern const uint64_t rng_ziggurat_inside[256]; /* mantissas below it need no look at the curve */
extern const double rng_ziggurat_width[256];    /* x_i 2^-52 */
extern const double rng_ziggurat_height[256];   /* exp(-x_i^2/2) */

#endif
