#include "lib/num.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Interim: libc's conversions behind the final interface. */
size_t num_format(char *dst, double x)
{
	char text[64];
	int n = 0;

	if (isnan(x))
		return (size_t)sprintf(dst, "nan");
	if (isinf(x))
		return (size_t)sprintf(dst, x < 0 ? "-inf" : "inf");
	for (int digits = 15; digits <= 17; digits++) {
		n = snprintf(text, sizeof text, "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	if (!strpbrk(text, ".e")) {
		strcat(text, ".0");
		n += 2;
	}
	memcpy(dst, text, (size_t)n);
	return (size_t)n;
}

static size_t extent(const char *s, size_t n)
{
	size_t i = 0, digits = 0;

	if (i < n && (s[i] == '+' || s[i] == '-'))
		i++;
	for (; i < n && s[i] >= '0' && s[i] <= '9'; i++)
		digits++;
	if (i < n && s[i] == '.')
		for (i++; i < n && s[i] >= '0' && s[i] <= '9'; i++)
			digits++;
	if (!digits)
		return 0;
	if (i < n && (s[i] == 'e' || s[i] == 'E')) {
		size_t k = i + 1;

		if (k < n && (s[k] == '+' || s[k] == '-'))
			k++;
		if (k < n && s[k] >= '0' && s[k] <= '9') {
			while (k < n && s[k] >= '0' && s[k] <= '9')
				k++;
			i = k;
		}
	}
	return i;
}

enum num_status num_parse(const char *s, size_t n, double *x, size_t *used)
{
	char *copy;

	*used = extent(s, n);
	if (!*used)
		return NUM_SYNTAX;
	copy = malloc(*used + 1);
	if (!copy)
		return NUM_SYNTAX;
	memcpy(copy, s, *used);
	copy[*used] = '\0';
	*x = strtod(copy, NULL);
	free(copy);
	return isinf(*x) ? NUM_OVERFLOW : NUM_OK;
}
