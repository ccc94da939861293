/*
 * L1: one direction of a shared-memory channel: a ring of records, one
 * producer and one consumer, over memory that the caller gives.
 *
 * The data is a power of two bytes, cut into lines of 64. A position counts
 * bytes from the start and never wraps; its place is position mod size. A
 * record starts on a line and takes whole lines:
 *
 *     u64 word | gap | body | gap to the end of the line
 *
 * word is 0 while nothing is there. Its low half is the length word of the
 * frame (body bytes, bit 31: an error frame), its high half the offset of the
 * body from the record's start, 8 to 63. So a frame in a ring is its length
 * word and its body, as on a stream, with the body where the reader wants it:
 * a producer puts it at RING_BODY_OFFSET(header bytes), so that the array
 * behind a header of 9 or 13 bytes is aligned to 8; consumers accept any
 * offset in range.
 *
 * The word is what the consumer polls: there is no index of what was written,
 * so a small frame crosses in the line that announces it. Before a producer
 * publishes a record it clears the word behind it, which therefore is 0 until
 * the next record comes, whatever the line held a lap before. The one index is
 * `released`, the consumer's: up to where the producer may write. It may lag
 * behind by less than an eighth of the size, so a record of up to three
 * quarters of the size (RING_RECORD_MAX) always finds room in the end.
 *
 * A long record may be published in parts, where the consumer allows it, so
 * that it is read while the rest is written: its word has bit 63, and `written`
 * tells up to where it is there.
 *
 * Each side keeps its own position in private memory and never reads it back.
 * What the peer wrote is loaded once, checked, and only the copy is used; so a
 * peer that scribbles over all of the shared memory can make this side close,
 * or give it other payload, and nothing else.
 *
 * Sleeping: who is about to sleep sets its flag, then looks once more; who
 * publishes looks at the other's flag afterwards. A sequentially consistent
 * fence stands between the store and the load on both sides, so that at least
 * one of them sees the other. How the sleeper is woken is the caller's matter.
 */
#ifndef IPCTAX_RING_H
#define IPCTAX_RING_H

#include "lib/err.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define RING_LINE 64u
#define RING_SIZE_MIN ((uint64_t)4096)
#define RING_SIZE_MAX ((uint64_t)1 << 30)
#define RING_RECORD_MAX(size) ((size) / 4 * 3)

/* Where a body goes whose array stands behind `head` bytes: the array is aligned to 8. */
#define RING_BODY_OFFSET(head) (8u + (0u - (unsigned)(head)) % 8u)

/*
 * What both sides share besides the data: one block a direction, all 0 at
 * first. Each field has one writer, and fields of different writers are two
 * lines apart, since processors fetch lines in pairs.
 */
struct ring_shared {
	alignas(128) _Atomic uint64_t released; /* by the consumer: a position, multiple of 64 */
	_Atomic uint32_t consumer_sleeps;       /* by the consumer: 1 before it sleeps, else 0 */
	alignas(128) _Atomic uint32_t producer_sleeps; /* by the producer, which awaits room */
	_Atomic uint64_t written; /* by the producer: a record in parts is there up to here */
};
_Static_assert(sizeof(struct ring_shared) == 256, "part of the shared layout");

struct ring_writer {
	unsigned char *data;
	uint64_t size;
	struct ring_shared *shared;
	uint64_t head;     /* where the next record starts */
	uint64_t clean;    /* words of lines in [head, clean) are 0 */
	uint64_t released; /* last value of the peer's index that was checked */
	uint64_t reserved; /* end of the record being written, head: none */
	int in_parts;      /* its word was published, the last part not yet */
};

struct ring_reader {
	unsigned char *data;
	uint64_t size;
	struct ring_shared *shared;
	uint64_t tail;      /* where the next record starts */
	uint64_t freed;     /* everything before is done with */
	uint64_t published; /* what `released` was last set to */
	uint64_t written;   /* the last value of the peer's index, where partial */
	int partial;        /* the last record was not whole when looked at */
	int parts_allowed;  /* by the caller, after init; else records in parts are refused */
};

/* A record as its consumer sees it; body points into the ring, which the peer may change. */
struct ring_record {
	uint32_t word; /* the frame's length word, bit 31 included */
	uint32_t len;  /* bytes of the body */
	const unsigned char *body;
	uint64_t end;   /* for ring_release */
	uint64_t start; /* the body's first byte, a position */
	int in_parts;   /* see ring_there */
};

enum ring_state { RING_BAD = -1, RING_WAIT = 0, RING_OK = 1 };

/*
 * Both start on memory that is all 0: size bytes of data (a power of two,
 * RING_SIZE_MIN to RING_SIZE_MAX), aligned to a line. The functions below
 * but ring_put touch only the words of lines; records that pass the end of the data are
 * contiguous to the caller where the data is mapped twice in a row.
 */
void ring_writer_init(struct ring_writer *w, void *data, uint64_t size, struct ring_shared *shared);
void ring_reader_init(struct ring_reader *r, void *data, uint64_t size, struct ring_shared *shared);

/*
 * Room for a body of up to len bytes, offset bytes (8 to 63) into the record,
 * at *body. RING_WAIT: the consumer must release first. RING_BAD with *e: len
 * can never fit, or the peer's index is impossible.
 */
enum ring_state ring_reserve(
    struct ring_writer *w, uint32_t len, uint32_t offset, unsigned char **body, struct err *e);

/*
 * Copies n bytes to `at` bytes from the start of the reserved record, the
 * lines that the consumer polls last. Call it for what stands last in the
 * record first: a polled line that is written too early is taken away again.
 * Needs the data mapped twice where the record passes its end.
 */
void ring_put(struct ring_writer *w, uint32_t at, const void *p, size_t n);

/*
 * Publishes the reserved record with the length word `word`, whose length is
 * at most what was reserved. 1 where the consumer sleeps and must be woken.
 */
int ring_publish(struct ring_writer *w, uint32_t word, uint32_t offset);

/*
 * The same in parts: the first `there` bytes of the body are complete. Called
 * again with more until there is all of it; word and offset stay the same, and what
 * was reserved is what the word says.
 */
int ring_publish_part(struct ring_writer *w, uint32_t word, uint32_t offset, uint32_t there);

/*
 * Optional, when there is nothing more urgent: clears the next lines, which
 * also brings them into this processor's cache before they are needed. Best
 * when the peer has read what was published: its processor, reading on, takes
 * lines behind a record away again.
 */
void ring_tidy(struct ring_writer *w);

/* The next record: RING_OK, RING_WAIT where there is none, RING_BAD with *e. */
enum ring_state ring_next(struct ring_reader *r, struct ring_record *record, struct err *e);

/* As ring_next after up to `spins` looks; 0 is one look. */
enum ring_state ring_spin(
    struct ring_reader *r, uint64_t spins, struct ring_record *record, struct err *e);

/* Bytes of the last record's body that are there, RING_OK; or RING_BAD with *e. */
enum ring_state ring_there(
    struct ring_reader *r, const struct ring_record *record, uint32_t *n, struct err *e);

/*
 * Gives everything before `end` (of a record from ring_next, in order) back
 * to the producer. 1 where the producer sleeps and must be woken.
 */
int ring_release(struct ring_reader *r, uint64_t end);

/*
 * Before the consumer sleeps: sets its flag. 1: still nothing (more) there, the
 * caller may sleep until woken; 0: something came, the flag is cleared.
 */
int ring_reader_sleep(struct ring_reader *r);
void ring_reader_wake(struct ring_reader *r);

/* The same for a producer that waits for room after RING_WAIT. */
int ring_writer_sleep(struct ring_writer *w);
void ring_writer_wake(struct ring_writer *w);

/* Tells the processor that this is a waiting loop. */
static inline void ring_relax(void)
{
#if defined __x86_64__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("isb" ::: "memory");
#endif
}

#endif
