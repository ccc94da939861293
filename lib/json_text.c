#include "lib/json_text.h"
#include "lib/json.h"

#include <string.h>

size_t json_utf8(const void *s, size_t n)
{
	const unsigned char *p = s;
	unsigned low = 0x80, high = 0xbf;
	size_t len;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (p[0] == 0xe0)
		low = 0xa0; /* shorter forms exist */
	else if (p[0] == 0xed)
		high = 0x9f; /* surrogates */
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f; /* beyond U+10FFFF */
	if (n < len || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return len;
}

/* Four hex digits, or -1. */
static int32_t hex4(const char *p)
{
	int32_t v = 0;

	for (int i = 0; i < 4; i++) {
		int c = p[i];

		if (c >= '0' && c <= '9')
			v = v * 16 + c - '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			v = v * 16 + (c | 32) - 'a' + 10;
		else
			return -1;
	}
	return v;
}

size_t json_escape(const char *p, size_t n, uint32_t *code)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *name;
	int32_t v, low;

	if (n < 2 || !p[1])
		return 0;
	if (p[1] != 'u') {
		name = strchr(names, p[1]);
		*code = name ? (unsigned char)values[name - names] : 0;
		return name ? 2 : 0;
	}
	if (n < 6)
		return 0;
	v = hex4(p + 2);
	if (v < 0 || (v >= 0xdc00 && v < 0xe000))
		return 0;
	*code = (uint32_t)v;
	if (v < 0xd800 || v >= 0xe000)
		return 6;
	if (n < 12 || p[6] != '\\' || p[7] != 'u')
		return 0;
	low = hex4(p + 8);
	if (low < 0xdc00 || low >= 0xe000)
		return 0;
	*code = 0x10000 + (((uint32_t)v - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
	return 12;
}

/* A code point as UTF-8; returns its bytes. A scalar value, as the two above yield. */
static size_t encode(char *dst, uint32_t c)
{
	if (c < 0x80) {
		dst[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		dst[0] = (char)(0xc0 | c >> 6);
		dst[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		dst[0] = (char)(0xe0 | c >> 12);
		dst[1] = (char)(0x80 | (c >> 6 & 63));
		dst[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	dst[0] = (char)(0xf0 | c >> 18);
	dst[1] = (char)(0x80 | (c >> 12 & 63));
	dst[2] = (char)(0x80 | (c >> 6 & 63));
	dst[3] = (char)(0x80 | (c & 63));
	return 4;
}

/* The next resolved bytes of a string the reader has accepted; *at moves on. */
static size_t resolve(const struct json *j, size_t *at, char piece[4])
{
	uint32_t code;

	if (j->text[*at] != '\\') {
		piece[0] = j->text[(*at)++];
		return 1;
	}
	*at += json_escape(j->text + *at, j->text_len - *at, &code);
	return encode(piece, code);
}

size_t json_text(const struct json *j, char *dst, size_t cap)
{
	size_t len = 0, at = 0, n;
	char piece[4];

	while (at < j->text_len) {
		n = resolve(j, &at, piece);
		for (size_t i = 0; i < n; i++, len++)
			if (len + 1 < cap)
				dst[len] = piece[i];
	}
	if (cap)
		dst[len < cap ? len : cap - 1] = '\0';
	return len;
}

int json_is(const struct json *j, const char *s)
{
	size_t at = 0, n;
	char piece[4];

	while (at < j->text_len) {
		n = resolve(j, &at, piece);
		if (strncmp(s, piece, n) != 0)
			return 0;
		s += n;
	}
	return *s == '\0';
}
