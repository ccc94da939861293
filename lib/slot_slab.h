/* L1, private to lib/slot*.c: the memory of a series. */
#ifndef IPCTAX_SLOT_SLAB_H
#define IPCTAX_SLOT_SLAB_H

#include <stddef.h>

/* Commits are multiples of this, whatever the machine's page (4 to 64 KiB). */
#define SLAB_PAGE ((size_t)64 << 10)

/* Beyond the largest series: a file's header when it is mapped with its closes. */
#define SLAB_SLACK ((size_t)128 << 10)

struct slab {
	unsigned char *base;                /* of the reserved address space */
	unsigned char *start;               /* the first close */
	size_t reserved, committed, mapped; /* bytes from base; mapped: a file's, not counted */
	size_t users;                       /* snapshots */
};

#endif
