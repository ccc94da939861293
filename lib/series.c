#include "lib/series.h"
#include "lib/series_binary.h"
#include "lib/series_detect.h"
#include "lib/series_json.h"
#include "lib/series_text.h"
#include "lib/mem.h"

#include <string.h>
#include <unistd.h>

typedef unsigned long long ull;

#define STEP ((size_t)8192) /* bars read at a time into memory */

static int too_many(const struct series *s, uint64_t n, struct err *e)
{
	if (!s->options.limit || n <= s->options.limit)
		return 0;
	return err_set(e, STATUS_INPUT,
	    "%s: more than the %llu bar%s that fit%s a frame: see --max-frame", s->in.name,
	    (ull)s->options.limit, err_plural(s->options.limit), s->options.limit == 1 ? "s" : "");
}

/* The rest of a binary source into memory. */
static int keep_binary(struct series *s, struct err *e)
{
	int64_t got = 1;

	while (got) {
		if (buf_reserve(&s->closes, STEP * sizeof(double)) < 0)
			return err_errno(e, "%s", s->in.name);
		got =
		    series_binary_read(s, (double *)(void *)(s->closes.p + s->closes.len), STEP, e);
		if (got < 0)
			return -1;
		s->closes.len += (size_t)got * sizeof(double);
		if (too_many(s, s->closes.len / sizeof(double), e) < 0)
			return -1;
	}
	return 0;
}

static void reverse(double *x, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		double t = x[i];

		x[i] = x[n - 1 - i];
		x[n - 1 - i] = t;
	}
}

/* All of the source into memory, and in order. */
static int keep(struct series *s, enum series_format format, struct err *e)
{
	int turn = s->options.reverse;

	s->in_memory = 1;
	if (format == SERIES_TEXT   ? series_text_read(s, &turn, e) < 0
	    : format == SERIES_JSON ? series_json_read(s, &turn, e) < 0
				    : keep_binary(s, e) < 0)
		return -1;
	s->n = s->closes.len / sizeof(double);
	if (turn)
		reverse((double *)(void *)s->closes.p, (size_t)s->n);
	s->given = 0;
	return too_many(s, s->n, e);
}

static int restart(struct series *s, struct err *e)
{
	s->taken = s->given = 0;
	s->ended = 0;
	return s->in_memory ? 0 : series_input_seek(&s->in, s->start, e);
}

/* The checking pass over a file that will be read again: counts what the policy keeps. */
static int check(struct series *s, struct err *e)
{
	double *x = mem_alloc(STEP * sizeof *x);
	int64_t got = x ? 1 : err_errno(e, "%s", s->in.name);

	while (got > 0)
		got = series_binary_read(s, x, STEP, e);
	mem_free(x);
	s->n = s->given;
	return got < 0 || too_many(s, s->n, e) < 0 ? -1 : restart(s, e);
}

/* Reads a binary source in place if that can be, else keeps it. */
static int open_binary(struct series *s, enum series_format format, struct err *e)
{
	const struct series_options *o = &s->options;
	int seekable, drops = o->policy.missing == SERIES_MISSING_DROP;

	if (series_binary_head(s, format, e) < 0)
		return -1;
	seekable = lseek(s->in.fd, 0, SEEK_CUR) >= 0 && s->count != SERIES_UNKNOWN;
	if (o->reverse || s->count == 0)
		return keep(s, format, e);
	if (seekable)
		return check(s, e);
	if (o->again || (!o->live && (drops || s->count == SERIES_UNKNOWN)))
		return keep(s, format, e);
	s->n = drops ? SERIES_UNKNOWN : s->count;
	return s->n == SERIES_UNKNOWN ? 0 : too_many(s, s->n, e);
}

/* Looks the format up where it was not given; a live raw stream is not waited for. */
static int find_format(struct series *s, struct err *e)
{
	if (s->options.format == SERIES_RAW || s->options.format == SERIES_FRAME)
		return s->options.format;
	if (series_input_want(&s->in, SERIES_PEEK, e) < 0)
		return -1;
	if (s->options.format != SERIES_AUTO)
		return s->options.format;
	return series_detect(
	    s->in.name, s->in.p, s->in.len < SERIES_PEEK ? s->in.len : SERIES_PEEK, e);
}

/* An option that the format has no use for would be passed over in silence. */
static int check_options(const struct series *s, enum series_format format, struct err *e)
{
	const struct series_options *o = &s->options;
	const char *option = o->preset                            ? "--preset"
			     : o->ticker && format != SERIES_JSON ? "--ticker"
			     : o->delimiter                       ? "--delimiter"
			     : o->decimal                         ? "--decimal"
			     : o->thousands                       ? "--thousands"
			     : o->column && format != SERIES_JSON ? "--column"
								  : NULL;

	if (format == SERIES_TEXT || !option || (o->format == SERIES_AUTO && s->in.len == 0))
		return 0;
	return err_set(e, STATUS_INPUT, "%s: this is %s: %s is for delimited text%s", s->in.name,
	    format == SERIES_JSON  ? "JSON"
	    : format == SERIES_NPY ? "npy"
	    : format == SERIES_RAW ? "raw binary64"
				   : "a frame",
	    option,
	    strcmp(option, "--column") == 0 || strcmp(option, "--ticker") == 0 ? " and JSON"
									       : " (-i csv)");
}

int series_open(
    struct series *s, const struct series_options *o, int fd, const char *name, struct err *e)
{
	off_t here = lseek(fd, 0, SEEK_CUR);
	int format;

	*s = (struct series){.options = *o};
	if (series_input_open(&s->in, fd, name, e) < 0)
		return -1;
	s->in.before = here > 0 ? (uint64_t)here : 0;
	format = find_format(s, e);
	if (format >= 0 && check_options(s, (enum series_format)format, e) < 0)
		format = -1;
	if (format >= 0) {
		s->options.format = (enum series_format)format;
		if (s->options.scale == 0 && format != SERIES_TEXT)
			s->options.scale = 1;
		s->scale = series_scale_of(s->options.scale);
	}
	if (format < 0 || (format == SERIES_TEXT || format == SERIES_JSON
				  ? keep(s, s->options.format, e)
				  : open_binary(s, s->options.format, e)) < 0) {
		series_close(s);
		return -1;
	}
	return 0;
}

static int64_t read_memory(struct series *s, double *dst, size_t n)
{
	uint64_t left = s->n - s->given;

	n = n < left ? n : (size_t)left;
	if (n)
		memcpy(dst, s->closes.p + s->given * sizeof *dst, n * sizeof *dst);
	s->given += n;
	return (int64_t)n;
}

int64_t series_read(struct series *s, double *dst, size_t n, struct err *e)
{
	size_t have = 0;

	if (s->in_memory)
		return read_memory(s, dst, n);
	while (have < n) {
		int64_t got = series_binary_read(s, dst + have, n - have, e);

		if (got < 0)
			return -1;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	/* With its last bar a source must end too: what follows it is looked at here. */
	if (s->given == s->n && have == n && series_binary_read(s, &(double){0}, 1, e) < 0)
		return -1;
	if (s->n != SERIES_UNKNOWN && (s->given > s->n || (have < n && s->given < s->n)))
		return err_set(e, STATUS_FAILED, "%s: changed while it was read", s->in.name);
	return (int64_t)have;
}

int series_rewind(struct series *s, struct err *e)
{
	return restart(s, e);
}

int series_ready(const struct series *s)
{
	return s->in_memory || s->in.len - s->in.at >= s->size;
}

void series_close(struct series *s)
{
	series_input_close(&s->in);
	buf_free(&s->closes);
}
