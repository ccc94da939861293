#include "lib/mem.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE ((size_t)128 << 10)

/* Stands before each block; a whole line, so that the block stays aligned. */
struct head {
	size_t size;
	size_t mapped; /* bytes of the mapping, 0: from the heap */
};

/* Relaxed everywhere: these are tallies, they order nothing. */
static _Atomic uint64_t in_use, peak, calls;

void mem_count(int64_t delta)
{
	uint64_t now = atomic_fetch_add_explicit(&in_use, (uint64_t)delta, memory_order_relaxed) +
		       (uint64_t)delta;
	uint64_t was = atomic_load_explicit(&peak, memory_order_relaxed);

	if (delta <= 0)
		return;
	atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
	while (was < now && !atomic_compare_exchange_weak_explicit(
				&peak, &was, now, memory_order_relaxed, memory_order_relaxed))
		;
}

struct mem_use mem_use(void)
{
	struct mem_use u;

	u.bytes = atomic_load_explicit(&in_use, memory_order_relaxed);
	u.peak_bytes = atomic_load_explicit(&peak, memory_order_relaxed);
	u.calls = atomic_load_explicit(&calls, memory_order_relaxed);
	return u;
}

static struct head *head_of(void *p)
{
	return (struct head *)(void *)((char *)p - MEM_ALIGN);
}

void *mem_alloc(size_t n)
{
	struct head *h;
	size_t whole;

	if (n > SIZE_MAX / 2) {
		errno = ENOMEM;
		return NULL;
	}
	whole = (n + 2 * MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
	if (whole >= LARGE) {
		h = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (h == MAP_FAILED)
			return NULL;
		h->mapped = whole;
	} else {
		h = aligned_alloc(MEM_ALIGN, whole);
		if (!h)
			return NULL;
		h->mapped = 0;
	}
	h->size = n;
	mem_count((int64_t)n);
	return (char *)h + MEM_ALIGN;
}

void mem_free(void *p)
{
	struct head *h;

	if (!p)
		return;
	h = head_of(p);
	mem_count(-(int64_t)h->size);
	if (h->mapped)
		munmap(h, h->mapped);
	else
		free(h);
}

void *mem_resize(void *p, size_t n)
{
	struct head *h, *moved;
	size_t old, whole;
	void *q;

	if (!p)
		return mem_alloc(n);
	h = head_of(p);
	old = h->size;
	if (n > SIZE_MAX / 2) {
		errno = ENOMEM;
		return NULL;
	}
	whole = n + MEM_ALIGN;
	if (h->mapped && whole >= LARGE) {
		moved = mremap(h, h->mapped, whole, MREMAP_MAYMOVE);
		if (moved == MAP_FAILED)
			return NULL;
		moved->mapped = whole;
		moved->size = n;
		mem_count((int64_t)n - (int64_t)old);
		return (char *)moved + MEM_ALIGN;
	}
	q = mem_alloc(n);
	if (!q)
		return NULL;
	memcpy(q, p, old < n ? old : n);
	mem_free(p);
	return q;
}
