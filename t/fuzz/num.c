/* Any bytes as a number, against strtod; the first eight as a binary64, there and back. */
#include "lib/num.h"
#include "t/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

static void parse(const uint8_t *data, size_t size)
{
	double ours = -1, strict = -1, libc;
	size_t used, used_strict;
	char *text = malloc(size + 1), *end;
	enum num_status status = num_parse((const char *)data, size, &ours, &used);
	enum num_status status_strict =
	    num_parse_strict((const char *)data, size, &strict, &used_strict);

	must(used <= size && (used == 0) == (status == NUM_SYNTAX));
	if (status_strict != NUM_SYNTAX) {
		must(status_strict == status && used_strict == used);
		must(memcmp(&strict, &ours, sizeof ours) == 0);
	}
	memcpy(text, data, used);
	text[used] = '\0';
	libc = strtod(text, &end);
	if (status == NUM_SYNTAX)
		must(end == text);
	else
		must(end == text + used);
	if (status == NUM_OK)
		must(memcmp(&libc, &ours, sizeof ours) == 0);
	if (status == NUM_OVERFLOW)
		must(isinf(libc));
	free(text);
}

static void format(const uint8_t *data)
{
	char *text = malloc(NUM_MAX);
	double x, back;
	size_t n, used;

	memcpy(&x, data, sizeof x);
	n = num_format(text, x);
	must(n <= NUM_MAX);
	if (isfinite(x)) {
		must(num_parse(text, n, &back, &used) == NUM_OK && used == n);
		must(memcmp(&back, &x, sizeof x) == 0);
		must(num_parse_strict(text, n, &back, &used) == NUM_OK && used == n);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	parse(data, size);
	if (size >= 8)
		format(data);
	return 0;
}
