#include "lib/codec_npy.h"
#include "lib/io.h"
#include "lib/series.h"
#include "lib/series_detect.h"
#include "lib/slot.h"
#include "lib/slot_slab.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_MAX ((size_t)65536) /* of an npy header that is looked at */

/* A file of closes: where they begin and how many they are. */
struct file {
	const char *path;
	int fd;
	size_t size, data, n_bars;
};

/* Raw closes are told from other files as frame tells them; of anything else 1 in 8 would pass. */
static int raw_head(struct file *f, const unsigned char *head, size_t n, struct err *e)
{
	int format = series_detect(f->path, head, n < SERIES_PEEK ? n : SERIES_PEEK, e);

	if (format < 0)
		return -1;
	if (n && format != SERIES_RAW)
		return err_set(e, STATUS_INPUT,
		    "%s: this is text, raw binary64 or npy is wanted: load it by frame -x load",
		    f->path);
	f->n_bars = f->size / sizeof(double);
	if (f->size % sizeof(double))
		return err_set(e, STATUS_INPUT,
		    "%s: %zu byte%s no whole number of closes (8 bytes each): raw binary64 or "
		    "npy is wanted",
		    f->path, f->size, f->size == 1 ? " is" : "s are");
	return 0;
}

static int read_head(struct file *f, struct err *e)
{
	unsigned char head[HEAD_MAX];
	ssize_t n = pread(f->fd, head, sizeof head, 0);
	struct npy_head npy;

	if (n < 0)
		return err_errno(e, "%s: read", f->path);
	if ((size_t)n < NPY_MAGIC_SIZE || memcmp(head, NPY_MAGIC, NPY_MAGIC_SIZE) != 0)
		return raw_head(f, head, (size_t)n, e);
	if (codec_npy_head(&npy, f->path, head, (size_t)n, e) < 0)
		return -1;
	if (npy.type != NPY_F8)
		return err_set(
		    e, STATUS_INPUT, "%s: the array is not <f8: save it as float64", f->path);
	if (npy.data > f->size || npy.count != (f->size - npy.data) / sizeof(double) ||
	    (f->size - npy.data) % sizeof(double) || npy.data % sizeof(double))
		return err_set(e, STATUS_INPUT,
		    "%s: %zu bytes do not hold the header and %llu close%s that it announces",
		    f->path, f->size, (unsigned long long)npy.count, err_plural(npy.count));
	f->data = npy.data;
	f->n_bars = (size_t)npy.count;
	return 0;
}

static int copy(struct slab *s, const struct file *f, struct err *e)
{
	size_t n = f->n_bars * sizeof(double);
	unsigned char *p = slab_room(s, n);

	if (!p)
		return err_errno(e, "%s", f->path);
	if (lseek(f->fd, (off_t)f->data, SEEK_SET) < 0 || io_read_full(f->fd, p, n) != (ssize_t)n)
		return err_set(e, STATUS_FAILED, "%s: could not be read whole", f->path);
	return 0;
}

/* Maps the file over the slab's first pages, privately: an append writes to our copy only. */
static int map(struct slab *s, const struct file *f, struct err *e)
{
	size_t whole = (f->size + SLAB_PAGE - 1) / SLAB_PAGE * SLAB_PAGE;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t end = (f->size + page - 1) / page * page;

	if (f->size && mmap(s->base, f->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
			   f->fd, 0) == MAP_FAILED)
		return err_errno(e, "%s: cannot map", f->path);
	if (whole > end && mprotect(s->base + end, whole - end, PROT_READ | PROT_WRITE) < 0)
		return err_errno(e, "%s: cannot map", f->path);
	s->start = s->base + f->data;
	s->committed = s->mapped = whole;
	return 0;
}

static int load(struct slots *s, size_t i, struct file *f, int mapped, struct err *e)
{
	struct slab *slab;
	struct stat st;

	if (fstat(f->fd, &st) < 0)
		return err_errno(e, "%s", f->path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, STATUS_FAILED, "%s: is not a regular file", f->path);
	f->size = (size_t)st.st_size;
	if (read_head(f, e) < 0)
		return -1;
	if (f->n_bars > slots_max_bars(s))
		return err_set(e, STATUS_INPUT, "%s: %zu bars exceed %zu (see --max-bars)", f->path,
		    f->n_bars, slots_max_bars(s));
	slab = slab_new(slots_max_bars(s));
	if (!slab)
		return err_errno(e, "%s: address space", f->path);
	if ((mapped ? map(slab, f, e) : copy(slab, f, e)) < 0) {
		slab_free(slab);
		return -1;
	}
	return slots_load(s, i, slab, f->n_bars) ? 0 : err_errno(e, "%s", f->path);
}

int slots_load_file(struct slots *s, size_t i, const char *path, int mapped, struct err *e)
{
	struct file f = {.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
	int bad;

	if (f.fd < 0)
		return err_errno(e, "%s: cannot open", path);
	bad = load(s, i, &f, mapped, e);
	close(f.fd);
	return bad;
}
