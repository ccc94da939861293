#include "lib/ring.h"

#include <string.h>

/* How far ring_tidy clears: a frame of 1 KiB and the word behind it. */
#define AHEAD (18 * RING_LINE)

/* How much of a body is asked for at once. */
#define FETCH (16 * RING_LINE)

/* Of a record's word: more of it comes. */
#define IN_PARTS ((uint64_t)1 << 63)

static _Atomic uint64_t *word_at(unsigned char *data, uint64_t size, uint64_t position)
{
	return (_Atomic uint64_t *)(void *)(data + (position & (size - 1)));
}

/* Bytes of the record; 64-bit, so no length overflows. */
static uint64_t record_size(uint32_t len, uint32_t offset)
{
	return ((uint64_t)offset + len + RING_LINE - 1) & ~(uint64_t)(RING_LINE - 1);
}

void ring_writer_init(struct ring_writer *w, void *data, uint64_t size, struct ring_shared *shared)
{
	/* Memory that is all 0 is clean, but claim only what a lap needs. */
	*w = (struct ring_writer){.data = data, .size = size, .shared = shared, .clean = RING_LINE};
}

void ring_reader_init(struct ring_reader *r, void *data, uint64_t size, struct ring_shared *shared)
{
	*r = (struct ring_reader){.data = data, .size = size, .shared = shared};
}

/*
 * Acquire: pairs with the release in ring_release. The consumer's loads from
 * the lines it gave back come before our stores into them. The value is
 * foreign: it must lie between what was seen last and what was published.
 */
static int refresh(struct ring_writer *w, struct err *e)
{
	uint64_t now = atomic_load_explicit(&w->shared->released, memory_order_acquire);

	if (now - w->released > w->head - w->released || now % RING_LINE != 0)
		return err_set(e, STATUS_FAILED,
		    "ring: released %llu is outside of %llu to %llu: the peer broke the protocol",
		    (unsigned long long)now, (unsigned long long)w->released,
		    (unsigned long long)w->head);
	w->released = now;
	return 0;
}

enum ring_state ring_reserve(
    struct ring_writer *w, uint32_t len, uint32_t offset, unsigned char **body, struct err *e)
{
	uint64_t size = record_size(len, offset);
	uint64_t end = w->head + size;

	if (size > RING_RECORD_MAX(w->size))
		return err_set(e, STATUS_FAILED,
		    "ring: a frame of %lu bytes does not fit a ring of %llu: ask for a larger ring",
		    (unsigned long)len, (unsigned long long)w->size);
	/* One line more than the record: the word behind it is cleared first. */
	if (end + RING_LINE - w->released > w->size) {
		if (refresh(w, e) < 0)
			return RING_BAD;
		if (end + RING_LINE - w->released > w->size)
			return RING_WAIT;
	}
	w->reserved = end;
	*body = w->data + (w->head & (w->size - 1)) + offset;
	return RING_OK;
}

void ring_put(struct ring_writer *w, uint32_t at, const void *p, size_t n)
{
	unsigned char *to = w->data + (w->head & (w->size - 1)) + at;
	const unsigned char *from = p;
	size_t second = at < RING_LINE ? RING_LINE - at : 0;
	size_t third = at < 2 * RING_LINE ? 2 * RING_LINE - at : 0;

	if (n > third) {
		memcpy(to + third, from + third, n - third);
		n = third;
	}
	if (n > second) {
		memcpy(to + second, from + second, n - second);
		n = second;
	}
	memcpy(to, from, n);
}

/*
 * The word of the record that ends at `end`. Before it the word behind is cleared,
 * relaxed: the release orders it before the record's own word, and the consumer
 * looks at it only after it has acquired that one. Where less was published
 * than reserved, the body may have dirtied the line.
 */
static void set_word(struct ring_writer *w, uint64_t word, uint64_t end)
{
	if (w->clean <= end || end != w->reserved) {
		atomic_store_explicit(word_at(w->data, w->size, end), 0, memory_order_relaxed);
		w->clean = end + RING_LINE;
	}
	/* Release: body and cleared word are there for whoever acquires this word. */
	atomic_store_explicit(word_at(w->data, w->size, w->head), word, memory_order_release);
}

/*
 * Store of the word (or of `written`), fence, load of the flag; the consumer's
 * side is store of the flag, fence, load of the word. In the one order of both
 * fences the later side sees the earlier side's store: no sleep goes unnoticed.
 */
static int consumer_sleeps(const struct ring_writer *w)
{
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load_explicit(&w->shared->consumer_sleeps, memory_order_relaxed) != 0;
}

int ring_publish(struct ring_writer *w, uint32_t word, uint32_t offset)
{
	uint64_t end = w->head + record_size(word & 0x7fffffffu, offset);

	set_word(w, (uint64_t)offset << 32 | word, end);
	w->head = w->reserved = end;
	return consumer_sleeps(w);
}

int ring_publish_part(struct ring_writer *w, uint32_t word, uint32_t offset, uint32_t there)
{
	uint32_t len = word & 0x7fffffffu;
	uint64_t end = w->head + record_size(len, offset);

	/* Release: these bytes of the body are there for whoever acquires the index. */
	atomic_store_explicit(&w->shared->written, w->head + offset + there, memory_order_release);
	/* After the index, so that who acquires the word does not see an older one. */
	if (!w->in_parts)
		set_word(w, IN_PARTS | (uint64_t)offset << 32 | word, end);
	w->in_parts = there < len;
	if (!w->in_parts)
		w->head = w->reserved = end;
	return consumer_sleeps(w);
}

void ring_tidy(struct ring_writer *w)
{
	uint64_t to = w->head + AHEAD;

	/* Only lines that are free as far as is known: the index is not looked at. */
	if (to > w->released + w->size)
		to = w->released + w->size;
	/* Relaxed: the next publish orders them; until then nobody looks there. */
	for (; w->clean < to; w->clean += RING_LINE)
		atomic_store_explicit(word_at(w->data, w->size, w->clean), 0, memory_order_relaxed);
}

/*
 * Asks for the first lines of a body all at once, while its head is looked at;
 * the processor's own prefetching starts too late for a KiB. What is longer it
 * does well by itself.
 */
static void fetch(const unsigned char *p, uint32_t len)
{
	const unsigned char *end = p + (len < FETCH ? len : FETCH);

	for (; p < end; p += RING_LINE)
		__builtin_prefetch(p);
}

/* Takes a word, already loaded, apart; it is foreign, so everything is checked here. */
static enum ring_state take(
    struct ring_reader *r, uint64_t word, struct ring_record *record, struct err *e)
{
	int in_parts = r->parts_allowed && word & IN_PARTS;
	uint32_t offset = (uint32_t)((in_parts ? word & ~IN_PARTS : word) >> 32);
	uint32_t len = (uint32_t)word & 0x7fffffffu;
	uint64_t size = record_size(len, offset);

	/*
	 * A record within RING_RECORD_MAX stays inside the two mappings; one that
	 * overlaps what is not released yet is impossible for an honest producer.
	 */
	if (offset < 8 || offset >= RING_LINE || size > RING_RECORD_MAX(r->size) ||
	    r->tail + size + RING_LINE - r->published > r->size)
		return err_set(e, STATUS_FAILED,
		    "ring: record at %llu: word %#llx is impossible: the peer broke the protocol",
		    (unsigned long long)r->tail, (unsigned long long)word);
	record->word = (uint32_t)word;
	record->len = len;
	record->body = r->data + (r->tail & (r->size - 1)) + offset;
	record->start = r->tail + offset;
	record->in_parts = in_parts;
	r->tail += size;
	r->partial = 0;
	record->end = r->tail;
	fetch(record->body + RING_LINE, record->len);
	return RING_OK;
}

enum ring_state ring_next(struct ring_reader *r, struct ring_record *record, struct err *e)
{
	return ring_spin(r, 0, record, e);
}

enum ring_state ring_spin(
    struct ring_reader *r, uint64_t spins, struct ring_record *record, struct err *e)
{
	_Atomic uint64_t *at = word_at(r->data, r->size, r->tail);
	uint64_t word;

	/*
	 * Acquire: pairs with the release in ring_publish; the body is complete.
	 * The second line of a record is asked for along with the first, so that
	 * both cross at once when they come; a hint past the end does nothing.
	 */
	while (!(word = atomic_load_explicit(at, memory_order_acquire))) {
		__builtin_prefetch((const char *)at + RING_LINE);
		if (!spins--)
			return RING_WAIT;
		ring_relax();
	}
	return take(r, word, record, e);
}

enum ring_state ring_there(
    struct ring_reader *r, const struct ring_record *record, uint32_t *n, struct err *e)
{
	uint64_t now, there;

	*n = record->len;
	if (!record->in_parts)
		return RING_OK;
	/* Acquire: pairs with the release in ring_publish_part. Foreign: loaded once, checked. */
	now = atomic_load_explicit(&r->shared->written, memory_order_acquire);
	there = now - record->start;
	if (there > UINT64_MAX / 2)
		return err_set(e, STATUS_FAILED,
		    "ring: written %llu is before the record at %llu: the peer broke the protocol",
		    (unsigned long long)now, (unsigned long long)record->start);
	/* Beyond: the producer is at a later record already. */
	there = there < record->len ? there : record->len;
	*n = (uint32_t)there;
	r->partial = there < record->len;
	r->written = now;
	return RING_OK;
}

int ring_release(struct ring_reader *r, uint64_t end)
{
	r->freed = end;
	/* Given up before it was whole, as when its head is refused: nobody awaits the rest. */
	if (end == r->tail)
		r->partial = 0;
	if (r->freed - r->published < r->size / 8)
		return 0;
	r->published = r->freed;
	/* Release: our loads from the lines come before the producer's next stores there. */
	atomic_store_explicit(&r->shared->released, r->published, memory_order_release);
	/* Against ring_writer_sleep, as in ring_publish: store, fence, load on both sides. */
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load_explicit(&r->shared->producer_sleeps, memory_order_relaxed) != 0;
}

int ring_reader_sleep(struct ring_reader *r)
{
	int quiet;

	atomic_store_explicit(&r->shared->consumer_sleeps, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	/* Relaxed: only whether it changed; it is acquired again before use. */
	if (r->partial)
		quiet =
		    atomic_load_explicit(&r->shared->written, memory_order_relaxed) == r->written;
	else
		quiet =
		    !atomic_load_explicit(word_at(r->data, r->size, r->tail), memory_order_relaxed);
	if (!quiet)
		ring_reader_wake(r);
	return quiet;
}

void ring_reader_wake(struct ring_reader *r)
{
	/* Relaxed: a producer that still sees 1 wakes us once too often, which is harmless. */
	atomic_store_explicit(&r->shared->consumer_sleeps, 0, memory_order_relaxed);
}

int ring_writer_sleep(struct ring_writer *w)
{
	atomic_store_explicit(&w->shared->producer_sleeps, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	/* Relaxed: only whether it moved; ring_reserve acquires and checks it. */
	if (atomic_load_explicit(&w->shared->released, memory_order_relaxed) == w->released)
		return 1;
	ring_writer_wake(w);
	return 0;
}

void ring_writer_wake(struct ring_writer *w)
{
	/* Relaxed: as in ring_reader_wake. */
	atomic_store_explicit(&w->shared->producer_sleeps, 0, memory_order_relaxed);
}
