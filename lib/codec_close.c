#include "lib/codec_close.h"

#include <stdio.h>
#include <string.h>

enum codec_verdict codec_refuse(const struct codec_odd *odd, struct err *e, const char *words)
{
	char quoted[64], where[96] = "";

	if (odd->line)
		snprintf(where, sizeof where, "line %zu column %zu: ", odd->line, odd->column);
	if (odd->text) {
		err_quote(quoted, sizeof quoted, odd->text, odd->text_len);
		err_set(e, STATUS_INPUT, "%s: %s'%s' (value %zu): %s", odd->name, where, quoted,
		    odd->row, words);
	} else {
		err_set(e, STATUS_INPUT, "%s: %svalue %zu: %s", odd->name, where, odd->row, words);
	}
	return CODEC_REFUSE;
}

static enum codec_verdict refuse_all(struct codec_odd *odd, struct err *e)
{
	return codec_refuse(odd, e,
	    odd->value <= 0 && odd->value - odd->value == 0 ? "a close is above 0"
							    : "a close is a number, and finite");
}

int codec_take(
    struct buf *closes, struct codec_odd *odd, codec_judge *judge, void *user, struct err *e)
{
	enum codec_verdict verdict;

	odd->taken = (const double *)(const void *)closes->p;
	odd->n_taken = closes->len / sizeof(double);
	verdict = judge ? judge(user, odd, e) : refuse_all(odd, e);
	if (verdict == CODEC_REFUSE)
		return -1;
	if (verdict == CODEC_KEEP && buf_append(closes, &odd->value, sizeof odd->value) < 0)
		return err_errno(e, "%s: after %zu numbers", odd->name, odd->n_taken);
	return 0;
}

size_t codec_first_odd(const void *x, size_t n)
{
	const unsigned char *p = x;
	size_t i = 0;

	/* Sixteen without a branch: the high bit tells 0 and what is negative, or infinity and NaN.
	 */
	for (; n - i >= 16; i += 16) {
		uint64_t odd = 0;

		for (size_t k = i; k < i + 16; k++) {
			uint64_t below = get_u64(p + 8 * k) - 1;

			odd |= below | (below + 0x0010000000000001);
		}
		if (odd >> 63)
			break;
	}
	/* A finite number above 0 is one of these bit patterns, and nothing else is. */
	while (i < n && get_u64(p + 8 * i) - 1 < 0x7fefffffffffffff)
		i++;
	return i;
}
