/*
 * num.h against libc's printf and strtod as judges. Usage:
 *   num_libc                       a sample of everything; silent when all agree
 *   num_libc exponents | random    every exponent with 2,000 significands; 10^7 bit patterns
 *   num_libc binary32 FIRST STEP   every binary32 as binary64, or a part of them
 */
#include "lib/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long failures, checked;

static void differs(const char *what, const char *text, double ours, double libc)
{
	if (failures++ < 20)
		printf("%s: \"%.900s\": ours %a, libc %a\n", what, text, ours, libc);
}

static double from_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* splitmix64 */
static uint64_t draw(void)
{
	static uint64_t state = 42;
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* A decimal text read by both. The copy is as long as the text: a byte beyond is seen by ASan. */
static void check_parse(const char *text)
{
	size_t n = strlen(text), used;
	char *end, *copy = malloc(n ? n : 1);
	double libc = strtod(text, &end), ours = -1;
	enum num_status status;

	memcpy(copy, text, n);
	status = num_parse(copy, n, &ours, &used);
	if (status == NUM_OVERFLOW)
		ours = *text == '-' ? -INFINITY : INFINITY;
	checked++;
	if (status == NUM_SYNTAX || used != (size_t)(end - text) ||
	    memcmp(&ours, &libc, sizeof ours) != 0)
		differs("parse", text, ours, libc);
	free(copy);
}

/* The significant digits of a decimal text, without trailing zeros. */
static size_t significant(char *dst, const char *text)
{
	size_t n = 0;

	for (; *text && *text != 'e'; text++)
		if (*text >= '0' && *text <= '9' && (n || *text != '0'))
			dst[n++] = *text;
	while (n > 1 && dst[n - 1] == '0')
		n--;
	return n;
}

/* printf's %.*e as num_format lays it out. */
static void lay_out(char *dst, const char *libc)
{
	int exponent = atoi(strchr(libc, 'e') + 1), n;
	char digits[32] = "";

	if (*libc == '-')
		*dst++ = *libc++;
	n = (int)strspn(libc + 1, ".0123456789");
	digits[0] = *libc;
	memcpy(digits + 1, libc + 2, (size_t)(n ? n - 1 : 0));
	n = (int)strlen(digits);
	if (exponent < -5 || exponent >= 16) {
		dst += sprintf(dst, n > 1 ? "%c.%s" : "%c%s", *digits, digits + 1);
		sprintf(dst, "e%d", exponent);
	} else if (exponent < 0) {
		sprintf(dst, "0.%.*s%s", -1 - exponent, "0000", digits);
	} else {
		memset(digits + n, '0', sizeof digits - 1 - (size_t)n);
		sprintf(dst, "%.*s.%.*s", exponent + 1, digits,
		    n > exponent + 1 ? n - exponent - 1 : 1, digits + exponent + 1);
	}
}

/*
 * Shortest: libc's rounding to the fewest digits that read back gives the same
 * text. Above a power of two the numbers that round to it reach twice as far as below, so
 * a shorter one may exist that is not libc's rounding; it has been read back already.
 */
static void check_shortest(double x, const char *ours)
{
	char libc[64], a[64], b[64];
	int digits = 0, exponent;
	size_t n = significant(a, ours);

	do
		snprintf(libc, sizeof libc, "%.*e", digits, x);
	while (strtod(libc, NULL) != x && ++digits < 17);
	if (frexp(fabs(x), &exponent) == 0.5 && n < significant(b, libc))
		return;
	lay_out(b, libc);
	if (strcmp(ours, b) != 0)
		differs("not the shortest, not the nearest, or not its form", ours,
		    strtod(ours, NULL), x);
}

static void check(double x, int shortest)
{
	char text[NUM_MAX + 1], libc[64];
	size_t n, used;
	double back = 0;

	if (!isfinite(x))
		return;
	n = num_format(text, x);
	text[n < NUM_MAX ? n : NUM_MAX] = '\0';
	checked++;
	if (n > NUM_MAX || num_parse(text, n, &back, &used) != NUM_OK || used != n ||
	    memcmp(&back, &x, sizeof x) != 0)
		differs("round trip", text, back, x);
	back = strtod(text, NULL);
	if (memcmp(&back, &x, sizeof x) != 0)
		differs("format, read by strtod", text, x, back);
	if (!shortest)
		return;
	check_shortest(x, text);
	snprintf(libc, sizeof libc, "%.17g", x);
	check_parse(libc);
}

/*
 * Half way between x and the next binary64, which long double holds exactly: in
 * all its digits, with more digits behind, and cut short on either side.
 */
static void check_midpoint(double x)
{
	static const int lengths[] = {17, 18, 19, 20, 21, 25, 40, 100, 400, 767, 768, 769, 800};
	char text[1200], *e;
	long double half = ((long double)x + (long double)nextafter(x, INFINITY)) / 2;

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		snprintf(text, sizeof text, "%.*Le", lengths[i] - 1, half);
		check_parse(text);
		e = strchr(text, 'e');
		memmove(e + 1, e, strlen(e) + 1);
		for (*e = '0'; *e <= '1'; ++*e)
			check_parse(text);
		*e = '9';
		while (*--e == '0')
			*e = '9';
		if (*e != '.') {
			--*e;
			check_parse(text);
		}
	}
}

/* Digits, points, signs, exponents thrown together, all of them numbers. */
static void check_random_text(void)
{
	static const uint8_t widths[] = {1, 3, 8, 17, 20, 40};
	char text[200], *p = text;
	int before = (int)(draw() % widths[draw() % 6]), after = (int)(draw() % widths[draw() % 6]);

	if (draw() % 4 == 0)
		*p++ = draw() % 2 ? '-' : '+';
	for (int i = 0; i <= before; i++)
		*p++ = (char)('0' + draw() % (draw() % 3 ? 10 : 1));
	if (after && draw() % 4)
		*p++ = '.';
	for (int i = 0; i < after; i++)
		*p++ = (char)('0' + draw() % (draw() % 3 ? 10 : 1));
	*p = '\0';
	if (draw() % 2)
		sprintf(p, "e%d", (int)(draw() % 700) - 350);
	check_parse(text);
}

static void check_hard(void)
{
	static const char *const texts[] = {"-0", "0e999", "-0.0e-999", "1e-323", "4e-324",
	    "2e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
	    "2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072013e-308",
	    "2.2250738585072014e-308", "9.223372036854775807e18", "9223372036854775807",
	    "9223372036854775808", "18446744073709551615", "18446744073709551616",
	    "18446744073709551617", "-1.1030161663305387", "1e-00011111111111", "1e00000000000308",
	    "1e400", "-1e400", "1e309", "1.7976931348623157e308", "1.7976931348623158e308",
	    "1.7976931348623159e308", "1e99999999999999999999", "1e-99999999999999999999",
	    "0e99999999999999999999", "5.", ".5", "+.5e1", "1e", "1e+", "1.5e-", "1e5.5",
	    "00000000000000000000000000000001",
	    "0.00000000000000000000000000000000000000000000001e47", "1e23", "8.5e22",
	    "9007199254740993", "9007199254740992.99999999999999999999999",
	    "9007199254740993.00000000000000000000001", "179769313486231580793728971405301e276",
	    "6631236846766476e-316", "7.4e47223648"};
	static const char pi[] =
	    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862"
	    "80348253421170679821480865132823066470938446095505822317253594081284811174502841027019"
	    "3"
	    "85211055596446229489549303819644288109756659334461284756482337867831652712019091456485"
	    "6"
	    "69234603486104543266482133936072602491412737245870066063155881748815209209628292540917"
	    "1"
	    "53643678925903600113305305488204665213841469519415116094330572703657595919530921861173"
	    "8"
	    "19326117931051185480744623799627495673518857527248912279381830119491298336733624406566"
	    "4"
	    "30860213949463952247371907021798609437027705392171762931767523846748184676694051320005"
	    "6"
	    "81271452635608277857713427577896091736371787214684409012249534301465495853710507922796"
	    "8"
	    "925892354201995611212902196086403441815981362977477130996051870721134999999";
	char text[sizeof pi];

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check_parse(texts[i]);
	for (size_t n = 1; n < sizeof pi; n++) {
		memcpy(text, pi, n);
		text[n] = '\0';
		check_parse(text);
	}
}

/* A million digits: linear time, and only the last one decides. */
static void check_endless(void)
{
	size_t n = 1000000;
	char *text = malloc(n + 40);

	memset(text, '0', n);
	memcpy(text, "9007199254740993.", 17);
	text[n] = '\0';
	check_parse(text);
	text[n - 1] = '1';
	check_parse(text);
	memset(text, '0', n);
	text[n - 1] = '7';
	strcpy(text + n, "e-999990");
	check_parse(text);
	text[1] = '.';
	strcpy(text + n, "e999990");
	check_parse(text);
	free(text);
}

/* Every step-th binary32 from `first` on. */
static void check_binary32(uint32_t first, uint32_t step)
{
	uint32_t bits = first;
	float f;

	do {
		memcpy(&f, &bits, sizeof f);
		check((double)f, 0);
		bits += step;
	} while (bits >= step);
}

/* Every exponent with so many significands, the outermost too; each midpoint-th has midpoints. */
static void check_exponents(int significands, unsigned midpoint)
{
	for (uint64_t e = 0; e < 2047; e++) {
		check(from_bits(e << 52), 1);
		check(from_bits((e << 52) + 1), 1);
		check(from_bits(((e + 1) << 52) - 1), 1);
		for (int i = 0; i < significands; i++)
			check(from_bits(e << 52 | draw() >> 12), 1);
		if (e < 2046 && e % midpoint == 0) {
			check_midpoint(from_bits(e << 52));
			check_midpoint(from_bits(e << 52 | draw() >> 12));
		}
	}
	for (int k = 0; k < 52; k++) {
		check(from_bits((uint64_t)1 << k), 1);
		check_midpoint(from_bits((uint64_t)1 << k));
		check_midpoint(from_bits(((uint64_t)1 << k) - 1));
	}
}

static void check_random(int n)
{
	for (int i = 0; i < n; i++)
		check(from_bits(draw()), 1);
	for (int i = 0; i < n; i++)
		check_random_text();
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "sample";

	if (strcmp(part, "exponents") == 0) {
		check_exponents(2000, 1);
	} else if (strcmp(part, "random") == 0) {
		check_random(10000000);
	} else if (strcmp(part, "binary32") == 0 && argc > 3) {
		check_binary32(
		    (uint32_t)strtoul(argv[2], NULL, 10), (uint32_t)strtoul(argv[3], NULL, 10));
	} else {
		check_hard();
		check_endless();
		check_exponents(3, 16);
		check_random(20000);
		check_binary32(1, 100003);
	}
	if (argc > 1)
		printf("%s: %lu checks, %lu differ from libc\n", part, checked, failures);
	return failures != 0;
}
