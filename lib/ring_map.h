/*
 * L1: the memory of a ring channel: a sealed memfd with two rings, mapped so
 * that each ring's data stands twice in a row.
 *
 * Offsets in the memfd; numbers are little-endian:
 *
 *     0              8 bytes  "ipctaxR1"
 *     8              u32      size of each ring's data: a power of two, 64 KiB or more
 *     12             u32      offset of the first ring's data: 65536
 *     256            256      struct ring_shared of the requests (client produces)
 *     512            256      struct ring_shared of the replies (server produces)
 *     65536          size     data of the requests
 *     65536 + size   size     data of the replies
 *
 * The file is 65536 + 2*size bytes, sealed against shrinking, growing and
 * more seals, so that no access can fault. The data starts at 64 KiB, the
 * largest page there is, so that it can be mapped twice.
 */
#ifndef IPCTAX_RING_MAP_H
#define IPCTAX_RING_MAP_H

#include "lib/err.h"
#include "lib/ring.h"

#include <stddef.h>
#include <stdint.h>

#define RING_MAP_SIZE_MIN ((uint64_t)65536)

struct ring_map {
	unsigned char *base;           /* of the mapping: head, requests twice, replies twice */
	uint64_t size;                 /* of each ring's data */
	struct ring_shared *shared[2]; /* 0: requests, 1: replies */
	unsigned char *data[2];
};

/* The ring's size for `bytes` asked for: the next power of two, 64 KiB at least; 0: too many. */
uint64_t ring_map_round(uint64_t bytes);

/*
 * Makes a memfd with rings of `size` bytes (as ring_map_round gives), its
 * pages there already, seals it and maps it; *fd is the caller's, close-on-exec.
 * Counted memory. 0, or -1 with *e.
 */
int ring_map_create(struct ring_map *m, uint64_t size, int *fd, struct err *e);

/* Maps a received memfd after checking seals, length and head; fd stays the caller's. */
int ring_map_attach(struct ring_map *m, int fd, struct err *e);

/* Unmaps; an all-0 struct is fine. */
void ring_map_free(struct ring_map *m);

#endif
