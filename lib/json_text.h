/* L1: what strings are made of, for JSON's reader and writer. */
#ifndef IPCTAX_JSON_TEXT_H
#define IPCTAX_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Length of the UTF-8 sequence at s (Unicode table 3-7), n at least 1; 0 where there is none. */
size_t json_utf8(const void *s, size_t n);

/*
 * Length of the escape at p (a backslash), its code point in *code; 0 where it is
 * wrong. A high surrogate's low one belongs to it; alone each is wrong.
 */
size_t json_escape(const char *p, size_t n, uint32_t *code);

#endif
