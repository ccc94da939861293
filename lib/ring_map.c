#include "lib/ring_map.h"
#include "lib/bytes.h"
#include "lib/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "ipctaxR1"
#define DATA_AT 65536u
#define SHARED_AT 256u
#define GUARD 65536u /* no access: behind each ring */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static uint64_t file_size(uint64_t size)
{
	return DATA_AT + 2 * size;
}

/* In the mapping: ring i's data, twice, and its guard behind it. */
static size_t data_at(uint64_t size, size_t i)
{
	return (size_t)(DATA_AT + i * (2 * size + GUARD));
}

uint64_t ring_map_round(uint64_t bytes)
{
	uint64_t size = RING_MAP_SIZE_MIN;

	while (size < bytes && size < RING_SIZE_MAX)
		size *= 2;
	return size < bytes ? 0 : size;
}

static int map_part(unsigned char *at, size_t n, int fd, uint64_t offset)
{
	return mmap(at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset) ==
		       MAP_FAILED
		   ? -1
		   : 0;
}

/* Reserves the whole range first, so that the parts cannot land on anything else. */
static int map_all(struct ring_map *m, uint64_t size, int fd, struct err *e)
{
	size_t whole = data_at(size, 2), n = (size_t)size;
	unsigned char *p = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int bad;

	if (p == MAP_FAILED)
		return err_errno(e, "ring of %llu bytes: address space", (unsigned long long)size);
	bad = map_part(p, DATA_AT, fd, 0);
	for (uint64_t i = 0; i < 4 && !bad; i++)
		bad = map_part(p + data_at(size, i / 2) + i % 2 * n, n, fd, DATA_AT + i / 2 * size);
	if (bad) {
		err_errno(e, "ring of %llu bytes: mmap", (unsigned long long)size);
		munmap(p, whole);
		return -1;
	}
	*m = (struct ring_map){.base = p, .size = size};
	for (size_t i = 0; i < 2; i++) {
		m->shared[i] = (struct ring_shared *)(void *)(p + SHARED_AT) + i;
		m->data[i] = p + data_at(size, i);
	}
	mem_count((int64_t)file_size(size));
	return 0;
}

int ring_map_create(struct ring_map *m, uint64_t size, int *fd, struct err *e)
{
	int f = memfd_create("ipctax-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	*m = (struct ring_map){0};
	*fd = -1;
	if (f < 0)
		return err_errno(e, "ring: memfd_create");
	/* fallocate: memory that is not there is an error now, not a SIGBUS later. */
	if (ftruncate(f, (off_t)file_size(size)) < 0 ||
	    fallocate(f, 0, 0, (off_t)file_size(size)) < 0 || fcntl(f, F_ADD_SEALS, SEALS) < 0)
		err_errno(e, "ring of %llu bytes", (unsigned long long)size);
	else if (map_all(m, size, f, e) == 0) {
		memcpy(m->base, MAGIC, 8);
		put_u32(m->base + 8, (uint32_t)size);
		put_u32(m->base + 12, DATA_AT);
		*fd = f;
		return 0;
	}
	close(f);
	return -1;
}

int ring_map_attach(struct ring_map *m, int fd, struct err *e)
{
	unsigned char head[16];
	struct stat st;
	uint64_t size;
	int seals = fcntl(fd, F_GET_SEALS);

	*m = (struct ring_map){0};
	/* Without the seals a peer could shrink the file under us: SIGBUS. */
	if (seals < 0 || (seals & SEALS) != SEALS)
		return err_set(e, STATUS_FAILED, "ring: the memory is not a sealed memfd");
	if (pread(fd, head, sizeof head, 0) != sizeof head || fstat(fd, &st) < 0 ||
	    memcmp(head, MAGIC, 8) != 0)
		return err_set(e, STATUS_FAILED, "ring: the memory does not start with " MAGIC);
	size = get_u32(head + 8);
	if (size < RING_MAP_SIZE_MIN || size > RING_SIZE_MAX || (size & (size - 1)) != 0 ||
	    get_u32(head + 12) != DATA_AT || (uint64_t)st.st_size != file_size(size))
		return err_set(e, STATUS_FAILED,
		    "ring: %lld bytes of memory announce rings of %llu: impossible",
		    (long long)st.st_size, (unsigned long long)size);
	return map_all(m, size, fd, e);
}

void ring_map_free(struct ring_map *m)
{
	if (!m->base)
		return;
	munmap(m->base, data_at(m->size, 2));
	mem_count(-(int64_t)file_size(m->size));
	*m = (struct ring_map){0};
}
