#include "lib/series_ticker.h"

#include <string.h>

int series_ticker_row(struct series_ticker *t, const char *wanted, const char *p, size_t n)
{
	if (wanted)
		return n == strlen(wanted) && memcmp(p, wanted, n) == 0;
	if (!t->seen) {
		t->seen = 1;
		t->n = n < sizeof t->text ? n : sizeof t->text;
		memcpy(t->text, p, t->n);
		return 1;
	}
	return n >= t->n && memcmp(p, t->text, t->n) == 0 && (n == t->n || t->n == sizeof t->text)
		   ? 1
		   : -1;
}

int series_ticker_refuse(const struct series_ticker *t, const char *p, size_t n, const char *name,
    size_t line, size_t column, struct err *e)
{
	char was[64], is[64];

	err_quote(was, sizeof was, t->text, t->n);
	err_quote(is, sizeof is, p, n);
	return err_set(e, STATUS_INPUT,
	    "%s: line %zu, column %zu: several tickers: '%s' after '%s': --ticker %s keeps one",
	    name, line, column, is, was, was);
}
