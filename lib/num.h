/* L0: binary64 to the shortest decimal that reads back the same, and back, exactly. */
#ifndef IPCTAX_NUM_H
#define IPCTAX_NUM_H

#include <stddef.h>
#include <stdint.h>

#define NUM_MAX 32 /* bytes num_format may write */

/*
 * Writes the shortest decimal that num_parse (and strtod) reads back to x; of
 * several shortest the nearest. At most NUM_MAX bytes, no NUL; returns how
 * many. Plain for 1e-5 <= |x| < 1e16, else with an exponent ("1e-323",
 * "1.5e+300" as 1.5e300); whole numbers keep ".0" when plain; "-0.0"; "nan",
 * "inf", "-inf". The same bytes whatever the locale.
 */
size_t num_format(char *dst, double x);

enum num_status {
	NUM_OK = 0,
	NUM_SYNTAX,  /* no number stands here */
	NUM_OVERFLOW /* above the largest finite binary64 */
};

/*
 * Reads a decimal from the n bytes at s (no NUL needed, never a byte beyond):
 * [+-] digits [. digits] [e [+-] digits], "5." and ".5" included; no white
 * space, hex, nan or inf. Correctly rounded to nearest even for any number of
 * digits. *used is how many bytes the number took (0 on NUM_SYNTAX); what
 * follows is the caller's to judge.
 */
enum num_status num_parse(const char *s, size_t n, double *x, size_t *used);

/*
 * The same for RFC 8259's grammar: no '+', a digit on both sides of a point, one behind an
 * e, no leading zeros. NUM_SYNTAX where the number that begins at s breaks it.
 */
enum num_status num_parse_strict(const char *s, size_t n, double *x, size_t *used);

/* Integers: [+-]digits, the whole of n bytes; NUM_OVERFLOW outside the type. */
enum num_status num_parse_i64(const char *s, size_t n, int64_t *v);
enum num_status num_parse_u64(const char *s, size_t n, uint64_t *v);

/*
 * Quantities as users write them, the whole NUL-terminated string:
 * sizes "8", "64K", "1.2M", "1Gi" (K M G are powers of 1000, Ki Mi Gi of 1024; result in bytes) and
 * durations "25ms", "14us", "39ns", "2s", "1m" (result in ns; a bare number is seconds).
 */
enum num_status num_parse_size(const char *s, uint64_t *bytes);
enum num_status num_parse_duration(const char *s, uint64_t *ns);

#endif
