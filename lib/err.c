#include "lib/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum status status, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	e->status = status;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	return -1;
}

int err_errno(struct err *e, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;
	size_t n;

	if (!e)
		return -1;
	e->status = STATUS_FAILED;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	snprintf(e->text + n, sizeof e->text - n, ": %s", strerror(saved));
	return -1;
}

char *err_quote(char *dst, size_t cap, const void *src, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *s = src;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		int plain = s[i] >= 0x20 && s[i] < 0x7f && s[i] != '\\';

		if (at + (plain ? 1 : 4) + 4 > cap) {
			memcpy(dst + at, "...", 3);
			at += 3;
			break;
		}
		if (plain) {
			dst[at++] = (char)s[i];
		} else {
			dst[at++] = '\\';
			dst[at++] = 'x';
			dst[at++] = hex[s[i] >> 4];
			dst[at++] = hex[s[i] & 15];
		}
	}
	dst[at] = '\0';
	return dst;
}

const char *err_plural(unsigned long long n)
{
	return n == 1 ? "" : "s";
}
