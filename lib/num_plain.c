#include "lib/num_plain.h"
#include "lib/bytes.h"

#define TEN_15S 15, 15, 15, 15, 15, 15, 15, 15, 15, 15
const unsigned char num_plain_keep[2 * NUM_PLAIN_DIGITS + 2] = {TEN_15S, TEN_15S};

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

/* The next number: its length and *x; 0 where it is not plain or too near the end. */
static inline size_t next(struct window *w, struct num_plain *c)
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
	struct num_plain c;
	size_t count = 0, n;

	while (count < max && (n = next(&w, &c)) && w.at[n] == ',') {
		put_f64(x + 8 * count++, num_plain_value(&c));
		*at = w.at + n;
		step(&w, n + 1);
		while (w.others & 1 && w.left &&
		       (*w.at == ' ' || *w.at == '\n' || *w.at == '\r' || *w.at == '\t'))
			step(&w, 1);
	}
	return count;
}

size_t num_plain_lines(const char **at, const char *end, unsigned char *x, size_t max)
{
	struct window w = {.at = *at, .end = end};
	struct num_plain c;
	size_t count = 0, n;
	double value;

	while (count < max && (n = next(&w, &c))) {
		if (w.at[n] == '\r')
			n++;
		value = num_plain_value(&c);
		if (w.at[n] != '\n' || !(value > 0))
			break;
		put_f64(x + 8 * count++, value);
		step(&w, n + 1);
		*at = w.at;
	}
	return count;
}
