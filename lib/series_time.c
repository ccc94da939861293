#include "lib/series_time.h"

#include <string.h>
#include <strings.h>

#define SECOND 1000000000LL
#define DAY (86400 * SECOND)

/* What is left of the text. */
struct scan {
	const char *p, *end;
};

static int peek(const struct scan *s)
{
	return s->p < s->end ? (unsigned char)*s->p : -1;
}

static int digit(const struct scan *s)
{
	return peek(s) >= '0' && peek(s) <= '9';
}

static int eat(struct scan *s, const char *any)
{
	int c = peek(s);

	if (c <= 0 || !strchr(any, c))
		return 0;
	s->p++;
	return c;
}

/* Up to max digits; how many there were. */
static int number(struct scan *s, int max, int64_t *v)
{
	int n = 0;

	for (*v = 0; n < max && digit(s); n++)
		*v = *v * 10 + (*s->p++ - '0');
	return n;
}

static int month_name(struct scan *s)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";

	if (s->end - s->p < 3)
		return 0;
	for (int m = 0; m < 12; m++)
		if (strncasecmp(s->p, names + 3 * m, 3) == 0) {
			while (peek(s) >= 'A') /* the rest of a long name */
				s->p++;
			return m + 1;
		}
	return 0;
}

/* Days of the civil calendar from 1970-01-01 (March-based years; Hinnant's days_from_civil). */
static int date(int64_t y, int64_t m, int64_t d, int64_t *t)
{
	int64_t era, yoe, doy;

	if (y < 100)
		y += y < 70 ? 2000 : 1900;
	if (y < 1700 || y > 2261 || m < 1 || m > 12 || d < 1 || d > 31)
		return 0;
	y -= m <= 2;
	era = y / 400;
	yoe = y - era * 400;
	doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	*t = (era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468) * DAY;
	return 1;
}

static int64_t fraction(struct scan *s)
{
	int64_t v = 0, unit = SECOND;

	if (!eat(s, ".,"))
		return 0;
	for (; digit(s); s->p++) {
		unit /= 10;
		v += unit * (*s->p - '0');
	}
	return v;
}

/* HH:MM[:SS[.f]], HHMM[SS[fff]], or HH-PM; AM or PM may follow. */
static int clock_scan(struct scan *s, int64_t *t)
{
	int64_t h, m = 0, sec = 0, part = 0;
	int n = number(s, 2, &h);

	if (n == 2 && digit(s)) {
		if (number(s, 2, &m) != 2 || (digit(s) && number(s, 2, &sec) != 2))
			return 0;
		if (digit(s) && number(s, 3, &part) == 3)
			part *= SECOND / 1000;
	} else if (n && eat(s, ":")) {
		if (number(s, 2, &m) != 2)
			return 0;
		if (eat(s, ":") && number(s, 2, &sec) != 2)
			return 0;
	} else if (!n || peek(s) != '-') {
		return 0;
	}
	part += fraction(s);
	eat(s, " -");
	if (s->end - s->p >= 2 && (s->p[1] == 'M' || s->p[1] == 'm') && strchr("AaPp", *s->p)) {
		h = h % 12 + (*s->p == 'P' || *s->p == 'p' ? 12 : 0);
		s->p += 2;
	}
	*t = ((h * 60 + m) * 60 + sec) * SECOND + part;
	return h <= 24 && m < 60 && sec <= 60;
}

/* Z, UTC, GMT, +HH:MM, +HHMM, GMT+HHMM: what it is ahead of UTC. */
static int zone(struct scan *s, int64_t *ahead)
{
	int64_t h, m = 0;
	int sign;

	*ahead = 0;
	eat(s, " ");
	if (s->end - s->p >= 3 && (!strncasecmp(s->p, "UTC", 3) || !strncasecmp(s->p, "GMT", 3)))
		s->p += 3;
	else
		eat(s, "Zz");
	sign = eat(s, "+-");
	if (sign && number(s, 2, &h) == 2) {
		eat(s, ":");
		number(s, 2, &m);
		*ahead = (sign == '-' ? -1 : 1) * (h * 60 + m) * 60 * SECOND;
	}
	return s->p == s->end;
}

/* 2020-01-02, 2020/01/02, 2020.01.02, 02.01.2020, 01/02/2020, 2-Jan-2020, Jan 2, 2020. */
static int date_scan(struct scan *s, int day_first, int64_t *t)
{
	int64_t a, b, c;
	int sep, month = month_name(s), n;

	if (month) {
		if (!eat(s, " ") || !number(s, 2, &a))
			return 0;
		eat(s, ",");
		return eat(s, " ") && number(s, 4, &c) && date(c, month, a, t);
	}
	n = number(s, 4, &a);
	sep = eat(s, "-/. ");
	if (!n || !sep)
		return 0;
	month = month_name(s);
	if (month)
		return eat(s, "-/. ") && number(s, 4, &c) && date(c, month, a, t);
	if (!number(s, 2, &b) || !eat(s, (char[]){(char)sep, 0}) || !number(s, 4, &c))
		return 0;
	if (n == 4)
		return date(a, b, c, t);
	return day_first || sep == '.' ? date(c, b, a, t) : date(c, a, b, t);
}

/* Digits alone (a fraction may follow): YYYYMMDD, YYYYMMDDHHMMSS, or the epoch. */
static int digits(struct scan *s, int64_t *t)
{
	const char *start = s->p;
	int64_t v, of_day, unit;
	int n = number(s, 19, &v);

	if (digit(s))
		return 0;
	if (n == 8 && date(v / 10000, v / 100 % 100, v % 100, t)) {
		if (!eat(s, " ") && peek(s) != '.')
			return s->p == s->end;
		if (!clock_scan(s, &of_day))
			return 0;
		*t += of_day;
		return s->p == s->end;
	}
	if (n == 14 && date(v / 10000000000, v / 100000000 % 100, v / 1000000 % 100, t)) {
		s->p = start + 8;
		if (!clock_scan(s, &of_day))
			return 0;
		*t += of_day;
		return s->p == s->end;
	}
	unit = v < 100000000000         ? SECOND
	       : v < 100000000000000    ? SECOND / 1000
	       : v < 100000000000000000 ? 1000
					: 1;
	if (v > INT64_MAX / unit - 1)
		return 0;
	if (n < 9 || n > 19 || (n == 19 && *start > '8') || (unit == SECOND && v > 9000000000))
		return 0;
	*t = v * unit + fraction(s) / (SECOND / unit);
	return s->p == s->end;
}

int series_time_parse(const char *p, size_t n, int day_first, int64_t *t)
{
	struct scan s = {p, p + n};
	int64_t of_day, ahead;

	if (digits(&s, t))
		return 1;
	s.p = p;
	if (!date_scan(&s, day_first, t))
		return 0;
	if (s.p == s.end)
		return 1;
	if (!eat(&s, " T") || !clock_scan(&s, &of_day) || !zone(&s, &ahead))
		return 0;
	*t += of_day - ahead;
	return 1;
}

int series_clock_parse(const char *p, size_t n, int64_t *t)
{
	struct scan s = {p, p + n};

	return clock_scan(&s, t) && s.p == s.end;
}
