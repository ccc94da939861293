/*
 * Numbers as text under whatever surroundings a program may be in: the locale named
 * (which must be in force: printf has to write its comma) and every rounding
 * mode. Usage: num_env [LOCALE]; silent when all is as ever.
 */
#include "lib/num.h"

#include <fenv.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void same(const char *what, const char *wanted, const char *got, size_t n)
{
	if (strlen(wanted) == n && memcmp(wanted, got, n) == 0)
		return;
	printf("%s: \"%.*s\", wanted \"%s\"\n", what, (int)n, got, wanted);
	failures++;
}

static void check(const char *what)
{
	static const struct {
		const char *text;
		double x;
	} cases[] = {{"1234567.5", 1234567.5}, {"0.1", 0.1}, {"1e-323", 1e-323}, {"-0.0", -0.0},
	    {"2.2250738585072014e-308", 0x1p-1022},
	    {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
	    {"100.02438033790177", 100.02438033790177}, {"9007199254740992.0", 0x1p53}};
	/* Halves of an ulp and a bit: every mode but to nearest would go the other way on one. */
	static const struct {
		const char *text;
		double x;
	} parses[] = {{"9007199254740993", 0x1p53}, {"9007199254740995", 0x1.0000000000002p53},
	    {"9007199254740993.0000000000000000000000000001", 0x1.0000000000001p53},
	    {"-1.00000000000000011102230246251565404", -1.0}, {"3e-324", 0x1p-1074},
	    {"2e-324", 0.0}, {"1.7976931348623158e308", 0x1.fffffffffffffp1023}};
	char text[NUM_MAX];
	size_t used;
	double x;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		same(what, cases[i].text, text, num_format(text, cases[i].x));
	for (size_t i = 0; i < sizeof parses / sizeof *parses; i++) {
		x = -7;
		if (num_parse(parses[i].text, strlen(parses[i].text), &x, &used) != NUM_OK ||
		    memcmp(&x, &parses[i].x, sizeof x) != 0) {
			printf("%s: %s read as %a\n", what, parses[i].text, x);
			failures++;
		}
	}
	if (num_parse("1,5", 3, &x, &used) != NUM_OK || used != 1 || !(x >= 1 && x <= 1)) {
		printf("%s: a comma was read as a point\n", what);
		failures++;
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int mode;
	} modes[] = {{"nearest", FE_TONEAREST}, {"up", FE_UPWARD}, {"down", FE_DOWNWARD},
	    {"toward zero", FE_TOWARDZERO}};
	char comma[16];

	if (argc > 1) {
		if (!setlocale(LC_ALL, argv[1]))
			return 2;
		snprintf(comma, sizeof comma, "%.1f", 1.5);
		same("printf in that locale", "1,5", comma, strlen(comma));
	}
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		fesetround(modes[i].mode);
		check(modes[i].name);
	}
	return failures != 0;
}
