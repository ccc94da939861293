#include "lib/series_policy.h"
#include "lib/num.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Powers of ten up to this one are exact in binary64. */
#define EXACT_POWER 22

static const char *const missing_help =
    "--missing drop leaves it out, --missing ffill repeats the close before";

static enum codec_verdict refuse(const struct codec_odd *odd, struct err *e, const char *words)
{
	char quoted[80];

	err_quote(quoted, sizeof quoted, odd->text ? odd->text : "", odd->text_len);
	if (odd->line)
		err_set(e, STATUS_INPUT, "%s: line %zu, column %zu: '%s' %s", odd->name, odd->line,
		    odd->column, quoted, words);
	else
		err_set(e, STATUS_INPUT, "%s: bar %zu (byte %zu): %s %s", odd->name, odd->row,
		    odd->column, quoted, words);
	return CODEC_REFUSE;
}

/* NaN and infinities that the source spells out, or holds in binary. */
static int stands(const struct codec_odd *odd)
{
	const char *text = odd->text;
	size_t n = odd->text_len;

	if (text && n && (*text == '-' || *text == '+')) {
		text++;
		n--;
	}
	return !text ||
	       (n == 3 && (!strncasecmp(text, "nan", 3) || !strncasecmp(text, "inf", 3))) ||
	       (n == 8 && !strncasecmp(text, "infinity", 8));
}

enum codec_verdict series_judge(void *p, struct codec_odd *odd, struct err *e)
{
	const struct series_policy *policy = p;
	struct codec_odd named = *odd;
	char number[NUM_MAX], words[200];

	if (!odd->text) {
		named.text = number;
		named.text_len = num_format(number, odd->value);
	}
	if (isfinite(odd->value)) {
		if (policy->allow_nonpositive)
			return CODEC_KEEP;
		return refuse(&named, e, "is not above 0: --allow-nonpositive keeps it");
	}
	if (policy->allow_nonfinite && stands(odd))
		return CODEC_KEEP;
	if (policy->missing == SERIES_MISSING_DROP)
		return CODEC_DROP;
	if (policy->missing == SERIES_MISSING_FFILL) {
		if (!odd->n_taken)
			return refuse(&named, e,
			    "is missing and nothing is before it to fill from: --missing drop");
		odd->value = odd->taken[odd->n_taken - 1];
		return CODEC_KEEP;
	}
	snprintf(words, sizeof words, "is no price: %s%s", missing_help,
	    stands(odd) ? ", --allow-nonfinite keeps it" : "");
	return refuse(&named, e, words);
}

struct series_scale series_scale_of(double scale)
{
	struct series_scale s = {.by = scale};
	char text[8];
	size_t used;
	double power;

	for (int k = -EXACT_POWER; k <= EXACT_POWER; k++) {
		int n = snprintf(text, sizeof text, "1e%d", k);

		if (num_parse(text, (size_t)n, &power, &used) == NUM_OK && power == scale) {
			s.power = k;
			s.is_power = 1;
		}
	}
	return s;
}

double series_scaled(const struct series_scale *s, double x)
{
	double ten = 1;

	if (!s->is_power || s->power >= 0)
		return x * s->by;
	/* 10^-k is not exact but 10^k is: a quotient is rounded once. */
	for (int k = s->power; k < 0; k++)
		ten *= 10;
	return x / ten;
}
