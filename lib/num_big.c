#include "lib/num_big.h"

#include <string.h>

/*
 * 769 digits are below 2^2555, times 2^1 where twos are evened out; the other
 * side is as large. 48 words of 64 bits hold 3072.
 */
#define WORDS 48

__extension__ typedef unsigned __int128 u128;

struct big {
	uint64_t w[WORDS]; /* lowest first */
	int n;             /* words in use; the highest is not 0 */
};

/* b = b * factor + add. What would not fit is dropped: the bound above says it cannot be. */
static void multiply_add(struct big *b, uint64_t factor, uint64_t add)
{
	u128 carry = add;

	for (int i = 0; i < b->n; i++) {
		carry += (u128)b->w[i] * factor;
		b->w[i] = (uint64_t)carry;
		carry >>= 64;
	}
	if (carry && b->n < WORDS)
		b->w[b->n++] = (uint64_t)carry;
}

static void times_pow5(struct big *b, int64_t k)
{
	static const uint64_t five27 = 7450580596923828125u; /* the largest that fits */
	uint64_t rest = 1;

	for (; k >= 27; k -= 27)
		multiply_add(b, five27, 0);
	while (k-- > 0)
		rest *= 5;
	multiply_add(b, rest, 0);
}

static void times_pow2(struct big *b, int64_t k)
{
	int words = (int)(k / 64), bits = (int)(k % 64);

	multiply_add(b, (uint64_t)1 << bits, 0);
	if (words > WORDS - b->n)
		words = WORDS - b->n;
	memmove(b->w + words, b->w, (size_t)b->n * sizeof *b->w);
	memset(b->w, 0, (size_t)words * sizeof *b->w);
	b->n += words;
}

static int compare(const struct big *a, const struct big *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (int i = a->n - 1; i >= 0; i--)
		if (a->w[i] != b->w[i])
			return a->w[i] < b->w[i] ? -1 : 1;
	return 0;
}

/* Reads the digits, at most NUM_BIG_DIGITS and one for the rest; *exponent grows by those left out.
 */
static void read_digits(struct big *b, const char *s, size_t n, int64_t *exponent)
{
	uint64_t group = 0, scale = 1;
	int taken = 0, rest = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned d = (unsigned char)s[i] - (unsigned)'0';

		if (d > 9 || (taken == 0 && d == 0))
			continue;
		if (taken >= NUM_BIG_DIGITS) {
			rest |= d != 0;
			++*exponent;
			continue;
		}
		taken++;
		group = group * 10 + d;
		scale *= 10;
		if (scale == 10000000000000000000u) {
			multiply_add(b, scale, group);
			group = 0;
			scale = 1;
		}
	}
	multiply_add(b, scale, group);
	if (rest) {
		/* A digit 1 in the next place stands for all the rest. */
		multiply_add(b, 10, 1);
		--*exponent;
	}
}

int num_big_compare(const char *s, size_t n, int64_t exponent, uint64_t half, int exponent2)
{
	struct big a = {{0}, 0}, b = {{half}, 1};
	int64_t twos;

	read_digits(&a, s, n, &exponent);
	/* a * 5^e * 2^e against b * 2^e2: powers go to the side where they are not negative. */
	times_pow5(exponent >= 0 ? &a : &b, exponent >= 0 ? exponent : -exponent);
	twos = exponent - exponent2;
	times_pow2(twos >= 0 ? &a : &b, twos >= 0 ? twos : -twos);
	return compare(&a, &b);
}
