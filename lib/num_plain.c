#include "lib/num_plain.h"
#include "lib/bytes.h"

#define TEN_15S 15, 15, 15, 15, 15, 15, 15, 15, 15, 15
_Alignas(64) const unsigned char num_plain_keep[2 * NUM_PLAIN_DIGITS + 2] = {TEN_15S, TEN_15S};

#define EXPONENT(before) ((uint64_t)((((before)-NUM_PLAIN_DIGITS) * 217706 >> 16) + 1086) << 52)
#define FOUR_EXPONENTS(before) \
	EXPONENT(before), EXPONENT(before + 1), EXPONENT(before + 2), EXPONENT(before + 3)
const uint64_t num_plain_exponent[16] = {
    FOUR_EXPONENTS(0), FOUR_EXPONENTS(4), FOUR_EXPONENTS(8), FOUR_EXPONENTS(12)};

/* A window being read number by number. */
struct window {
	const char *at, *end;
	uint64_t others;
	size_t left; /* bytes of it from at on */
};

static inline void step(struct window *w, size_t n)
{
	w->at += n;
	w->others >>= n;
	w->left -= n;
}

/* The next number; 0 where it is not plain or too near the end. */
static inline int next(struct window *w, struct num_plain *c)
{
	if (w->left < NUM_PLAIN_ONE) {
		if (w->end - w->at < NUM_PLAIN_TWO)
			return 0;
		w->others = num_plain_others(w->at, NUM_PLAIN_TWO);
		w->left = NUM_PLAIN_TWO;
	}
	return num_plain_find(c, w->at, w->others);
}

size_t num_plain_list(const char **at, const char *end, unsigned char *x, size_t max)
{
	struct window w = {.at = *at, .end = end};
	unsigned char *dst = x, *full = x + 8 * max;
	const char *p;
	struct num_plain c;

	while (dst != full && next(&w, &c) && c.digits[c.n] == ',') {
		put_f64(dst, num_plain_value(&c));
		dst += 8;
		step(&w, (size_t)(c.digits - w.at) + c.n + 1);
		while (w.others & 1 && w.left &&
		       (*w.at == ' ' || *w.at == '\n' || *w.at == '\r' || *w.at == '\t'))
			step(&w, 1);
	}
	if (dst == x)
		return 0;
	for (p = w.at - 1; *p != ',';)
		p--;
	*at = p;
	return (size_t)(dst - x) / 8;
}

size_t num_plain_lines(const char **at, const char *end, unsigned char *x, size_t max)
{
	struct window w = {.at = *at, .end = end};
	unsigned char *dst = x, *full = x + 8 * max;
	struct num_plain c;
	size_t n;
	double value;

	while (dst != full && next(&w, &c)) {
		n = c.n;
		if (c.digits[n] == '\r')
			n++;
		if (c.digits[n] != '\n')
			break;
		value = num_plain_value(&c);
		if (!(value > 0))
			break;
		put_f64(dst, value);
		dst += 8;
		step(&w, n + 1);
	}
	*at = w.at;
	return (size_t)(dst - x) / 8;
}
