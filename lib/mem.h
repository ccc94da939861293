/* L0: counted memory, so that the program can say what it uses. */
#ifndef IPCTAX_MEM_H
#define IPCTAX_MEM_H

#include <stddef.h>
#include <stdint.h>

#define MEM_ALIGN 64 /* every block starts on a cache line */

/*
 * A block of n bytes aligned to MEM_ALIGN, or NULL with errno ENOMEM. The
 * content is undefined. Blocks of 128 KiB and more are mappings of their own,
 * so that resizing moves page tables instead of bytes and freeing returns them.
 */
void *mem_alloc(size_t n);

/* Resizes (p may be NULL), content kept up to the smaller size; NULL: p is still valid. */
void *mem_resize(void *p, size_t n);

/* Frees p; NULL is fine. */
void mem_free(void *p);

/*
 * Counters of the whole process, exact under threads: bytes in use as asked
 * for, the highest they were, and how many times memory was asked for.
 */
struct mem_use {
	uint64_t bytes, peak_bytes, calls;
};
struct mem_use mem_use(void);

/*
 * For memory that is not from mem_alloc but should be counted (mappings):
 * adds delta bytes, negative to take back; a positive delta is one call.
 */
void mem_count(int64_t delta);

#endif
