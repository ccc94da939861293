#include "lib/series_price.h"
#include "lib/num.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 400 /* bytes of a number worth reading */

static const char *const missing[] = {
    "", "nan", "null", "na", "n/a", "#n/a", "#n/a n/a", "none", "nil", "nat", "-", ".", NULL};
static const char *const infinite[] = {"inf", "+inf", "infinity", "-inf", "-infinity", NULL};

/*
 * Copies the digits without their groups and with a point for the decimal mark; bytes
 * written, or 0 where the groups are none.
 */
static size_t plain(char *dst, const struct series_field *f, char decimal, char thousands)
{
	size_t n = 0, group = 0, groups = 0;
	int whole = 1;

	for (size_t i = 0; i < f->n && n + 8 < LONGEST; i++) {
		char c = f->p[i];

		if (whole && thousands && c == thousands) {
			if (groups ? group != 3 && group != 2 : group < 1 || group > 3)
				return 0;
			groups++;
			group = 0;
			continue;
		}
		if (c == decimal || c < '0' || c > '9') {
			if (whole && groups && group != 3)
				return 0;
			whole = c == '-' || c == '+' ? whole : 0;
		} else if (whole) {
			group++;
		}
		dst[n++] = c == decimal ? '.' : c == '.' ? '?' : c;
	}
	return whole && groups && group != 3 ? 0 : n;
}

static enum series_price read_plain(
    char *text, size_t n, const struct series_scale *scale, double *x)
{
	enum num_status status;
	size_t used, had = n;

	if (scale->is_power && scale->power && !memchr(text, 'e', n) && !memchr(text, 'E', n))
		n += (size_t)snprintf(text + n, 8, "e%d", scale->power);
	status = num_parse(text, n, x, &used);
	if (status == NUM_SYNTAX || used < n)
		return PRICE_SYNTAX;
	if (status == NUM_OK && had == n && scale->by != 1)
		*x = series_scaled(scale, *x);
	return status == NUM_OK && isfinite(*x) ? PRICE_OK : PRICE_RANGE;
}

static enum series_price word(const struct series_field *f, double *x)
{
	for (int i = 0; missing[i]; i++)
		if (series_field_is(f, missing[i])) {
			*x = NAN;
			return PRICE_MISSING;
		}
	for (int i = 0; infinite[i]; i++)
		if (series_field_is(f, infinite[i])) {
			*x = *f->p == '-' ? -INFINITY : INFINITY;
			return PRICE_INFINITE;
		}
	return PRICE_SYNTAX;
}

enum series_price series_price_parse(const struct series_field *f, char decimal, char thousands,
    const struct series_scale *scale, double *x)
{
	char text[LONGEST];
	enum series_price price;
	size_t used, n;

	if (decimal == '.' && !thousands && scale->by == 1 &&
	    num_parse(f->p, f->n, x, &used) == NUM_OK && used == f->n)
		return PRICE_OK;
	n = f->n + 16 < LONGEST ? plain(text, f, decimal, thousands) : 0;
	price = n ? read_plain(text, n, scale, x) : PRICE_SYNTAX;
	if (price != PRICE_SYNTAX)
		return price;
	price = word(f, x);
	if (price != PRICE_SYNTAX || f->n + 16 >= LONGEST)
		return price;
	for (int k = 0; k < 4; k++) {
		n = plain(text, f, k % 2 ? ',' : '.', k == 2 ? ',' : k == 3 ? '.' : k ? '\0' : ' ');
		if (n && read_plain(text, n, scale, x) == PRICE_OK)
			return PRICE_COMMA;
	}
	return PRICE_SYNTAX;
}
