/* L0: little-endian numbers and a growing buffer. */
#ifndef IPCTAX_BYTES_H
#define IPCTAX_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the wire is little-endian and so must the machine be"
#endif

static inline uint32_t get_u32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint64_t get_u64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static inline int64_t get_i64(const void *p)
{
	return (int64_t)get_u64(p);
}

static inline double get_f64(const void *p)
{
	double v;

	memcpy(&v, p, sizeof v);
	return v;
}

static inline void put_u32(void *p, uint32_t v)
{
	memcpy(p, &v, sizeof v);
}

static inline void put_u64(void *p, uint64_t v)
{
	memcpy(p, &v, sizeof v);
}

static inline void put_f64(void *p, double v)
{
	memcpy(p, &v, sizeof v);
}

/* A growing byte buffer, counted memory, aligned to MEM_ALIGN; {0} is an empty one. */
struct buf {
	unsigned char *p;
	size_t len, cap;
};

/*
 * Makes room for `more` bytes behind len. Grows by half of what is held or to
 * what is needed, whichever is more, so appending is linear. 0, or -1 (errno ENOMEM).
 */
int buf_reserve(struct buf *b, size_t more);

/* Appends; 0, or -1 (errno ENOMEM) with the buffer unchanged. */
int buf_append(struct buf *b, const void *p, size_t n);

/* Frees the memory and leaves an empty buffer. */
void buf_free(struct buf *b);

#endif
