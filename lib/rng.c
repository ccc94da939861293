#include "lib/rng.h"
#include "lib/exp.h"
#include "lib/log1p.h"

__extension__ typedef unsigned __int128 u128;

#define POOL 4

/* SeedSequence's hash: *h runs on from word to word. */
static uint32_t hash(uint32_t v, uint32_t *h, uint32_t multiplier)
{
	v ^= *h;
	*h *= multiplier;
	v *= *h;
	return v ^ v >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y)
{
	uint32_t r = 0xca01f9ddu * x - 0x4973f715u * y;

	return r ^ r >> 16;
}

static void step(struct rng *r)
{
	const u128 multiplier = (u128)2549297995355413924u << 64 | 4865540595714422341u;

	r->state = r->state * multiplier + r->increment;
}

void rng_seed(struct rng *r, uint64_t seed)
{
	uint32_t pool[POOL] = {(uint32_t)seed, (uint32_t)(seed >> 32)}, h = 0x43b0d7e5u;
	uint64_t q[4];

	/* A seed below 2^32 is one word there, but an absent word hashes as 0. */
	for (int i = 0; i < POOL; i++)
		pool[i] = hash(pool[i], &h, 0x931e8875u);
	for (int from = 0; from < POOL; from++)
		for (int to = 0; to < POOL; to++)
			if (to != from)
				pool[to] = mix(pool[to], hash(pool[from], &h, 0x931e8875u));
	h = 0x8b51f9ddu;
	for (int i = 0; i < 4; i++) {
		uint64_t low = hash(pool[2 * i % POOL], &h, 0x58f38dedu);

		q[i] = low | (uint64_t)hash(pool[(2 * i + 1) % POOL], &h, 0x58f38dedu) << 32;
	}
	r->increment = ((u128)q[2] << 64 | q[3]) << 1 | 1;
	r->state = r->increment; /* a step from 0 */
	r->state += (u128)q[0] << 64 | q[1];
	step(r);
}

uint64_t rng_u64(struct rng *r)
{
	uint64_t x;
	unsigned turn;

	step(r);
	x = (uint64_t)(r->state >> 64) ^ (uint64_t)r->state;
	turn = (unsigned)(r->state >> 122);
	return x >> turn | x << (-turn & 63);
}

double rng_uniform(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

/* Beyond R, the last layer's end: Marsaglia's tail method. The bound is double-checked there. */
static double tail(struct rng *r, int negative)
{
	const double end = 3.6541528853610087963519472518;
	const double inverse = 0.27366123732975827203338247596;
	double a, b;

	do {
		a = -log1p_fixed(-rng_uniform(r)) * inverse;
		b = -log1p_fixed(-rng_uniform(r));
	} while (!(b + b > a * a));
	return negative ? -(end + a) : end + a;
}

double rng_normal(struct rng *r)
{
	for (;;) {
		uint64_t bits = rng_u64(r), m = bits >> 9 & 0xfffffffffffff;
		unsigned layer = bits & 255;
		double x = (double)m * rng_ziggurat_width[layer], low, high;

		if (bits >> 8 & 1)
			x = -x;
		if (m < rng_ziggurat_inside[layer])
			return x;
		if (layer == 0)
			return tail(r, m >> 8 & 1);
		low = rng_ziggurat_height[layer];
		high = rng_ziggurat_height[layer - 1];
		if ((high - low) * rng_uniform(r) + low < exp_rounded(-x * x / 2))
			return x;
	}
}
