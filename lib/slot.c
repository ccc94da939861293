#include "lib/slot.h"
#include "lib/mem.h"
#include "lib/slot_slab.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_COMMIT ((size_t)64 << 10)

struct slots {
	size_t n, max_bars;
	struct {
		struct snapshot *current;
		uint64_t version;
	} slot[];
};

struct slab *slab_new(size_t max_bars)
{
	size_t bytes = (max_bars * sizeof(double) + SLAB_PAGE - 1) / SLAB_PAGE * SLAB_PAGE;
	struct slab *s;
	void *base;

	if (max_bars > SIZE_MAX / 16) {
		errno = ENOMEM;
		return NULL;
	}
	bytes += SLAB_SLACK;
	base = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return NULL;
	s = mem_alloc(sizeof *s);
	if (!s) {
		munmap(base, bytes);
		return NULL;
	}
	*s = (struct slab){.base = base, .start = base, .reserved = bytes};
	return s;
}

unsigned char *slab_room(struct slab *s, size_t n)
{
	size_t offset = (size_t)(s->start - s->base), want = offset + n, grown;

	if (n > s->reserved || want > s->reserved) {
		errno = ENOMEM;
		return NULL;
	}
	if (want <= s->committed)
		return s->start;
	grown = s->committed + s->committed / 2;
	grown = grown < FIRST_COMMIT ? FIRST_COMMIT : grown;
	grown = grown < want ? want : grown;
	grown = (grown + SLAB_PAGE - 1) / SLAB_PAGE * SLAB_PAGE;
	grown = grown > s->reserved ? s->reserved : grown;
	if (mprotect(s->base + s->committed, grown - s->committed, PROT_READ | PROT_WRITE) < 0)
		return NULL;
	mem_count((int64_t)(grown - s->committed));
	s->committed = grown;
	return s->start;
}

size_t slab_ready(const struct slab *s)
{
	return s->committed - (size_t)(s->start - s->base);
}

void slab_free(struct slab *s)
{
	if (!s)
		return;
	munmap(s->base, s->reserved);
	mem_count(-(int64_t)(s->committed - s->mapped));
	mem_free(s);
}

struct slots *slots_new(size_t n, size_t max_bars)
{
	struct slots *s = mem_alloc(sizeof *s + n * sizeof s->slot[0]);

	if (!s)
		return NULL;
	s->n = n;
	s->max_bars = max_bars;
	memset(s->slot, 0, n * sizeof s->slot[0]);
	return s;
}

static void forget(struct snapshot *p)
{
	if (--p->slab->users == 0)
		slab_free(p->slab);
	mem_free(p);
}

void slots_free(struct slots *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->slot[i].current)
			forget(s->slot[i].current);
	mem_free(s);
}

size_t slots_count(const struct slots *s)
{
	return s->n;
}

size_t slots_max_bars(const struct slots *s)
{
	return s->max_bars;
}

const struct snapshot *slots_peek(const struct slots *s, size_t i)
{
	return s->slot[i].current;
}

struct snapshot *slots_take(struct slots *s, size_t i)
{
	struct snapshot *p = s->slot[i].current;

	if (p)
		p->users++;
	return p;
}

void slots_release(struct snapshot *p)
{
	if (p && --p->users == 0)
		forget(p);
}

/* Makes a snapshot of the slab's first n_bars the slot's; the one before goes with its last user.
 */
static uint64_t publish(struct slots *s, size_t i, struct slab *slab, size_t n_bars)
{
	struct snapshot *p = mem_alloc(sizeof *p);

	if (!p)
		return 0;
	*p = (struct snapshot){.closes = (const double *)(const void *)slab->start,
	    .n_bars = n_bars,
	    .version = ++s->slot[i].version,
	    .slab = slab,
	    .users = 1};
	slab->users++;
	slots_release(s->slot[i].current);
	s->slot[i].current = p;
	return p->version;
}

uint64_t slots_load(struct slots *s, size_t i, struct slab *slab, size_t n_bars)
{
	uint64_t version = publish(s, i, slab, n_bars);

	if (!version)
		slab_free(slab);
	return version;
}

unsigned char *slots_tail(struct slots *s, size_t i, size_t n)
{
	const struct snapshot *now = s->slot[i].current;
	unsigned char *start;

	if (!now || n > s->max_bars || now->n_bars > s->max_bars - n) {
		errno = now ? EFBIG : ENOENT;
		return NULL;
	}
	/* Behind the longest snapshot of this slab, where nobody reads. */
	start = slab_room(now->slab, (now->n_bars + n) * sizeof(double));
	return start ? start + now->n_bars * sizeof(double) : NULL;
}

uint64_t slots_extend(struct slots *s, size_t i, size_t n)
{
	const struct snapshot *now = s->slot[i].current;

	return publish(s, i, now->slab, now->n_bars + n);
}

uint64_t slots_append(struct slots *s, size_t i, const void *closes, size_t n)
{
	unsigned char *tail = slots_tail(s, i, n);

	if (!tail)
		return 0;
	if (n)
		memcpy(tail, closes, n * sizeof(double));
	return slots_extend(s, i, n);
}
