/* L0: an error that a library hands up instead of printing it. */
#ifndef IPCTAX_ERR_H
#define IPCTAX_ERR_H

#include <stdarg.h>
#include <stddef.h>

/* Exit statuses of every tool. */
enum status {
	STATUS_OK = 0,
	STATUS_FAILED = 1, /* I/O or peer */
	STATUS_USAGE = 2,
	STATUS_INPUT = 3, /* bad input */
	STATUS_DIFFER = 4 /* results differ or regressed */
};

/*
 * What went wrong, as `source: where: what, and what to do`, without the
 * tool's name (the tool puts it before). Status is what the tool exits with.
 */
struct err {
	enum status status;
	char text[1024];
};

/*
 * Sets *e (which may be NULL) and returns -1, so that a function can end in
 * `return err_set(...)`. Text beyond the buffer is cut.
 */
int err_set(struct err *e, enum status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As err_set, with "source: " before and ": " and strerror(errno) behind. */
int err_errno(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Writes n bytes of foreign text to dst (cap bytes with its NUL) so that it is
 * safe in a message: control bytes and bytes above 0x7e as \xNN, longer text
 * cut with "...". Returns dst.
 */
char *err_quote(char *dst, size_t cap, const void *src, size_t n);

/* What a count of n puts behind its noun: "" of one, else "s". */
const char *err_plural(unsigned long long n);

#endif
