#include "lib/bytes.h"
#include "lib/mem.h"

#include <errno.h>

int buf_reserve(struct buf *b, size_t more)
{
	size_t need, cap;
	void *p;

	if (more <= b->cap - b->len)
		return 0;
	if (more > SIZE_MAX / 4 || b->len > SIZE_MAX / 4) {
		errno = ENOMEM;
		return -1;
	}
	need = b->len + more;
	cap = b->cap + b->cap / 2;
	if (cap < need)
		cap = need;
	p = mem_resize(b->p, cap);
	if (!p)
		return -1;
	b->p = p;
	b->cap = cap;
	return 0;
}

int buf_append(struct buf *b, const void *p, size_t n)
{
	if (buf_reserve(b, n) < 0)
		return -1;
	if (n)
		memcpy(b->p + b->len, p, n);
	b->len += n;
	return 0;
}

void buf_free(struct buf *b)
{
	mem_free(b->p);
	*b = (struct buf){0};
}
