#include "lib/series_fields.h"

#include <string.h>
#include <strings.h>

static int blank(char c)
{
	return c == ' ' || c == '\t';
}

/* A quoted cell at *i, which moves to the delimiter or the end behind it; 0: badly quoted. */
static int quoted(struct series_field *f, const char *line, size_t n, char delimiter, size_t *i)
{
	size_t k = *i + 1;

	for (; k < n; k++) {
		if (line[k] != '"')
			continue;
		if (k + 1 == n || line[k + 1] != '"')
			break;
		k++;
	}
	if (k >= n)
		return 0;
	f->p = line + *i + 1;
	f->n = k - *i - 1;
	for (k++; k < n && blank(line[k]) && line[k] != delimiter; k++)
		;
	*i = k;
	return k == n || (delimiter && line[k] == delimiter);
}

enum series_split series_fields(struct series_row *r, const char *line, size_t n, char delimiter)
{
	size_t i = 0;

	for (r->n = 0; r->n < SERIES_FIELDS; r->n++) {
		struct series_field *f = &r->field[r->n];
		const char *end;

		while (i < n && blank(line[i]) && line[i] != delimiter)
			i++;
		if (i < n && line[i] == '"') {
			if (!quoted(f, line, n, delimiter, &i))
				return SPLIT_QUOTE;
		} else {
			end = delimiter ? memchr(line + i, delimiter, n - i) : NULL;
			end = end ? end : line + n;
			f->p = line + i;
			i = (size_t)(end - line);
			for (f->n = (size_t)(end - f->p); f->n && blank(f->p[f->n - 1]);)
				f->n--;
		}
		if (i == n) {
			r->n++;
			return SPLIT_OK;
		}
		i++;
	}
	return SPLIT_MANY;
}

char series_find_delimiter(const char *line, size_t n)
{
	static const char order[] = "\t;,";
	int seen[3] = {0}, inside = 0;

	for (size_t i = 0; i < n; i++) {
		const char *c = line[i] ? strchr(order, line[i]) : NULL;

		inside ^= line[i] == '"';
		if (c && !inside)
			seen[c - order] = 1;
	}
	for (int k = 0; k < 3; k++)
		if (seen[k])
			return order[k];
	return '\0';
}

int series_field_is(const struct series_field *f, const char *text)
{
	return f->n == strlen(text) && strncasecmp(f->p, text, f->n) == 0;
}
