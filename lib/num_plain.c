#include "lib/num_plain.h"
#include "lib/bytes.h"

#define TEN(x) x, x, x, x, x, x, x, x, x, x
#define EXPONENT(before) ((uint64_t)((((before)-NUM_PLAIN_DIGITS) * 217706 >> 16) + 1086) << 52)
#define FOUR_EXPONENTS(before) \
	EXPONENT(before), EXPONENT(before + 1), EXPONENT(before + 2), EXPONENT(before + 3)
#define TWO_PAIRS 1 + (10 << 8), 1 + (10 << 8)
_Alignas(64) const struct num_plain_table num_plain_table = {
    {TEN(15), TEN(15)},
    {FOUR_EXPONENTS(0), FOUR_EXPONENTS(4), FOUR_EXPONENTS(8), FOUR_EXPONENTS(12)},
    {TWO_PAIRS, TWO_PAIRS, TWO_PAIRS, TWO_PAIRS},
};

/* Bytes told into digits and others, of which enough for a number are left before `enough`. */
struct window {
	const char *at, *enough, *end;
	uint64_t others;
};

static inline void step(struct window *w, size_t n)
{
	w->at += n;
	w->others >>= n;
}

/* Makes sure of it: 1, or 0 too near the end. */
static inline int look(struct window *w)
{
	if (w->at < w->enough)
		return 1;
	if (w->end - w->at < NUM_PLAIN_TWO)
		return 0;
	w->others = num_plain_others(w->at, NUM_PLAIN_TWO);
	w->enough = w->at + (NUM_PLAIN_TWO - NUM_PLAIN_ONE + 1);
	return 1;
}

size_t num_plain_list(const char **at, const char *end, unsigned char *x, size_t max)
{
	struct window w = {.at = *at, .enough = *at, .end = end};
	unsigned char *dst = x, *full = x + 8 * max;
	struct num_plain c;
	uint64_t sign, bits;

	while (dst != full && look(&w)) {
		sign = 0;
		if (__builtin_expect(w.others & 1, 0)) {
			if (*w.at == ' ' || *w.at == '\n' || *w.at == '\r' || *w.at == '\t') {
				step(&w, 1);
				continue;
			}
			if (*w.at != '-')
				break;
			sign = (uint64_t)1 << 63;
			step(&w, 1);
		}
		if (!num_plain_find(&c, w.at, w.others) || w.at[c.n] != ',' ||
		    !num_plain_value(&c, &bits))
			break;
		put_u64(dst, bits | sign);
		dst += 8;
		step(&w, c.n + 1);
	}
	if (dst == x)
		return 0;
	/* A sign and spaces were passed at most. */
	for (end = w.at - 1; *end != ',';)
		end--;
	*at = end;
	return (size_t)(dst - x) / 8;
}

size_t num_plain_lines(const char **at, const char *end, unsigned char *x, size_t max)
{
	struct window w = {.at = *at, .enough = *at, .end = end};
	unsigned char *dst = x, *full = x + 8 * max;
	struct num_plain c;
	uint64_t bits;
	size_t n;

	while (dst != full && look(&w) && num_plain_find(&c, w.at, w.others)) {
		n = c.n;
		if (w.at[n] == '\r')
			n++;
		if (w.at[n] != '\n' || !num_plain_value(&c, &bits) || bits == 0)
			break;
		put_u64(dst, bits);
		dst += 8;
		step(&w, n + 1);
	}
	*at = w.at;
	return (size_t)(dst - x) / 8;
}
