#include "lib/series_input.h"
#include "lib/io.h"
#include "lib/mem.h"

#include <string.h>
#include <unistd.h>

int series_input_open(struct series_input *in, int fd, const char *name, struct err *e)
{
	*in = (struct series_input){.fd = fd, .name = name, .p = mem_alloc(INPUT_BLOCK)};
	return in->p ? 0 : err_errno(e, "%s", name);
}

void series_input_close(struct series_input *in)
{
	mem_free(in->p);
	in->p = NULL;
}

/* One read more into the block, its used part dropped first where that makes room. */
static int more(struct series_input *in, struct err *e)
{
	ssize_t got;

	if (in->at == in->len || in->len == INPUT_BLOCK) {
		memmove(in->p, in->p + in->at, in->len - in->at);
		in->before += in->at;
		in->len -= in->at;
		in->at = 0;
	}
	got = io_read(in->fd, in->p + in->len, INPUT_BLOCK - in->len);
	if (got < 0)
		return err_errno(e, "%s: read", in->name);
	in->len += (size_t)got;
	in->ended = got == 0;
	return 0;
}

int series_input_want(struct series_input *in, size_t n, struct err *e)
{
	while (in->len - in->at < n && !in->ended)
		if (more(in, e) < 0)
			return -1;
	return 0;
}

int series_input_line(
    struct series_input *in, const char **p, size_t *n, uint64_t line, struct err *e)
{
	size_t looked = 0;

	for (;;) {
		const unsigned char *start = in->p + in->at;
		size_t have = in->len - in->at;
		const unsigned char *end = memchr(start + looked, '\n', have - looked);

		if (!end && in->ended && have)
			end = start + have;
		if (!end && in->ended)
			return 0;
		if (end ? (size_t)(end - start) > INPUT_LINE : have > INPUT_LINE)
			return err_set(e, STATUS_INPUT,
			    "%s: line %llu: longer than %zu bytes: no price file", in->name,
			    (unsigned long long)line, INPUT_LINE);
		if (end) {
			*p = (const char *)start;
			*n = (size_t)(end - start);
			in->at += *n + (end < in->p + in->len);
			*n -= *n && start[*n - 1] == '\r';
			return 1;
		}
		looked = have;
		if (more(in, e) < 0)
			return -1;
	}
}

int series_input_all(struct series_input *in, struct buf *b, struct err *e)
{
	while (in->len > in->at || !in->ended) {
		if (buf_append(b, in->p + in->at, in->len - in->at) < 0)
			return err_errno(e, "%s", in->name);
		in->at = in->len;
		if (!in->ended && more(in, e) < 0)
			return -1;
	}
	return 0;
}

int series_input_seek(struct series_input *in, uint64_t offset, struct err *e)
{
	if (lseek(in->fd, (off_t)offset, SEEK_SET) < 0)
		return err_errno(e, "%s: seek", in->name);
	in->at = in->len = 0;
	in->before = offset;
	in->ended = 0;
	return 0;
}
