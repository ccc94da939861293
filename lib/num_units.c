#include "lib/num.h"

#include <string.h>

/* Digits to a magnitude; the caller applies sign and range. */
static enum num_status digits(const char *s, size_t n, uint64_t *v)
{
	uint64_t sum = 0;

	if (n == 0)
		return NUM_SYNTAX;
	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return NUM_SYNTAX;
	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(sum, (uint64_t)10, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(s[i] - '0'), &sum))
			return NUM_OVERFLOW;
	*v = sum;
	return NUM_OK;
}

enum num_status num_parse_u64(const char *s, size_t n, uint64_t *v)
{
	if (n && *s == '+')
		s++, n--;
	return digits(s, n, v);
}

enum num_status num_parse_i64(const char *s, size_t n, int64_t *v)
{
	int minus = n && *s == '-';
	uint64_t m;
	enum num_status bad;

	if (n && (*s == '-' || *s == '+'))
		s++, n--;
	bad = digits(s, n, &m);
	if (bad)
		return bad;
	if (m > (uint64_t)INT64_MAX + (uint64_t)minus)
		return NUM_OVERFLOW;
	*v = minus ? (int64_t)(0 - m) : (int64_t)m;
	return NUM_OK;
}

struct unit {
	const char *name;
	double factor;
};

static enum num_status scaled(const char *s, const struct unit *units, uint64_t *v)
{
	double x;
	size_t used;
	enum num_status bad = num_parse(s, strlen(s), &x, &used);

	if (bad)
		return bad;
	if (*s == '-' || *s == '+')
		return NUM_SYNTAX;
	for (; units->name; units++) {
		if (strcmp(units->name, s + used) != 0)
			continue;
		x = x * units->factor;
		if (!(x < 18446744073709551616.0))
			return NUM_OVERFLOW;
		/* 0.1us is 100 ns, not 99: to nearest. */
		*v = (uint64_t)(x < 4503599627370496.0 ? x + 0.5 : x);
		return NUM_OK;
	}
	return NUM_SYNTAX;
}

enum num_status num_parse_size(const char *s, uint64_t *bytes)
{
	static const struct unit units[] = {{"", 1}, {"B", 1}, {"K", 1e3}, {"k", 1e3}, {"M", 1e6},
	    {"G", 1e9}, {"Ki", 1024}, {"Mi", 1048576}, {"Gi", 1073741824}, {NULL, 0}};

	return scaled(s, units, bytes);
}

enum num_status num_parse_duration(const char *s, uint64_t *ns)
{
	static const struct unit units[] = {{"", 1e9}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6},
	    {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {NULL, 0}};

	return scaled(s, units, ns);
}
