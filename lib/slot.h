/*
 * L1: named series in memory, as immutable snapshots.
 *
 * One thread owns the table: it loads, appends, takes and releases. A snapshot it
 * took may be read by any thread until it is released, without a lock: the
 * closes of a snapshot never change and never move. A load puts another snapshot
 * in the slot; an append writes behind the last close that any snapshot of
 * the series has, and puts a longer snapshot over the same memory in the slot.
 */
#ifndef IPCTAX_SLOT_H
#define IPCTAX_SLOT_H

#include "lib/err.h"

#include <stddef.h>
#include <stdint.h>

/* Memory of one series: address space for its largest size, pages as they are needed. */
struct slab;

/* Address space for max_bars closes; NULL (errno). */
struct slab *slab_new(size_t max_bars);

/*
 * Room for n bytes from the start of the slab, those before kept; the start,
 * which never moves, or NULL (errno). Memory grows with n, counted.
 */
unsigned char *slab_room(struct slab *s, size_t n);

/* Bytes from the start that are there without asking for more. */
size_t slab_ready(const struct slab *s);

/* Frees a slab that was not given to slots_load. NULL is fine. */
void slab_free(struct slab *s);

struct snapshot {
	const double *closes;
	size_t n_bars;
	uint64_t version; /* of the slot, from 1; each load and append adds one */
	struct slab *slab;
	size_t users; /* the slot itself, and those who took it */
};

struct slots;

/* n empty slots for at most max_bars each; NULL (errno). */
struct slots *slots_new(size_t n, size_t max_bars);

/* Frees everything; snapshots still taken become invalid. NULL is fine. */
void slots_free(struct slots *s);

size_t slots_count(const struct slots *s);
size_t slots_max_bars(const struct slots *s);

/* What stands in slot i now, not taken; NULL: nothing. */
const struct snapshot *slots_peek(const struct slots *s, size_t i);

/* The same, taken: valid until released. */
struct snapshot *slots_take(struct slots *s, size_t i);
void slots_release(struct snapshot *p);

/* Puts the first n_bars closes of slab, which becomes the slot's, in slot i; version, or 0 (errno).
 */
uint64_t slots_load(struct slots *s, size_t i, struct slab *slab, size_t n_bars);

/*
 * slots_append in two steps, for those who copy a little at a time. slots_tail:
 * where n more closes go behind what stands in slot i, or NULL (errno ENOENT:
 * empty, EFBIG: too many, ENOMEM); it holds until the slot's version changes. slots_extend: they
 * are there; version, or 0.
 */
unsigned char *slots_tail(struct slots *s, size_t i, size_t n);
uint64_t slots_extend(struct slots *s, size_t i, size_t n);

/* Appends n closes (any alignment) to what stands in slot i; version, or 0 (errno; ENOENT: empty).
 */
uint64_t slots_append(struct slots *s, size_t i, const void *closes, size_t n);

/*
 * Loads slot i from a file, raw binary64 or npy (<f8, one dimension); mapped
 * where map is set: pages come when touched, and a file that is
 * truncated later ends the process with SIGBUS. 0, or -1 with *e.
 */
int slots_load_file(struct slots *s, size_t i, const char *path, int map, struct err *e);

#endif
