/* L0: reading and writing descriptors without surprises. */
#ifndef IPCTAX_IO_H
#define IPCTAX_IO_H

#include "lib/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* read(2) that goes on after EINTR and waits when the descriptor is non-blocking. */
ssize_t io_read(int fd, void *p, size_t n);

/* Reads until n bytes or the end; the count (less than n only at the end), or -1 with errno. */
ssize_t io_read_full(int fd, void *p, size_t n);

/* Writes all n bytes, short writes and EINTR included; 0, or -1 with errno. */
int io_write_all(int fd, const void *p, size_t n);

/*
 * A buffered writer with a sticky error: put as you like, ask once at the end.
 * The name ("<stdout>" or a path) is kept by reference, for messages.
 */
struct out {
	int fd;
	int error; /* errno of the first failure, 0 while all is well */
	const char *name;
	const char *path; /* what io_out_open will rename to, or NULL */
	char *temp;       /* what it writes meanwhile, or NULL */
	size_t len;
	uint64_t written; /* bytes handed to put so far */
	unsigned char buf[65536];
};

/* A writer on an open descriptor, which stays the caller's. */
void out_init(struct out *o, int fd, const char *name);

/*
 * A writer on PATH, or on stdout where path is NULL or "-". A file is written
 * beside PATH under a temporary name and takes its place in out_close only, so
 * nothing half-written is ever left under the name; PATH that exists and is not
 * a regular file (a device, a fifo) is written directly. 0, or -1 with *e.
 */
int out_open(struct out *o, const char *path, struct err *e);

void out_put(struct out *o, const void *p, size_t n);
void out_str(struct out *o, const char *s);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Room for n (at most sizeof buf) bytes to write in place; then o->len += used, via out_used. */
unsigned char *out_room(struct out *o, size_t n);
void out_used(struct out *o, size_t n);

/* Hands the buffer to the descriptor; 0, or -1 with *e ("NAME: write: No space left on device"). */
int out_flush(struct out *o, struct err *e);

/*
 * Flushes, closes what out_open opened (stdout too, so that a write error
 * reported at close is seen) and puts the file in place; 0, or -1 with *e, the
 * temporary file removed.
 */
int out_close(struct out *o, struct err *e);

/* Gives up: removes the temporary file, closes. For error paths and signals. */
void out_abort(struct out *o);

/* Whether fd is a terminal: tools refuse to write binary to one. */
int io_is_terminal(int fd);

/* Opens PATH for reading, "-" or NULL is stdin; the descriptor or -1 with *e; *name for messages.
 */
int io_open(const char *path, const char **name, struct err *e);

#endif
