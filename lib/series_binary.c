#include "lib/series_binary.h"
#include "lib/codec_npy.h"
#include "lib/frame.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* NumPy's headers are bounded; see codec_npy_head. */
#define NPY_PEEK ((size_t)65536 + 64)

typedef unsigned long long ull;

/* Bytes from here to the end of a regular file, or SERIES_UNKNOWN. */
static uint64_t bytes_left(const struct series *s)
{
	struct stat st;
	uint64_t here = s->in.before + s->in.at;

	if (fstat(s->in.fd, &st) < 0 || !S_ISREG(st.st_mode))
		return SERIES_UNKNOWN;
	return (uint64_t)st.st_size > here ? (uint64_t)st.st_size - here : 0;
}

static int truncated(const struct series *s, uint64_t bytes, const char *what, struct err *e)
{
	return err_set(e, STATUS_INPUT,
	    "%s: truncated: %llu byte%s of %s %s no whole number of %zu byte values%s", s->in.name,
	    (ull)bytes, err_plural(bytes), what, bytes == 1 ? "is" : "are", s->size,
	    bytes % 8 == 5 || bytes % 8 == 1 || bytes % 8 == 4 ? " (if it is a frame: -i frame)"
							       : "");
}

static int raw_head(struct series *s, struct err *e)
{
	uint64_t left = bytes_left(s);

	s->type = NPY_F8;
	s->size = 8;
	s->count = SERIES_UNKNOWN;
	if (left != SERIES_UNKNOWN && left % 8)
		return truncated(s, left, "raw closes", e);
	if (left != SERIES_UNKNOWN)
		s->count = left / 8;
	return 0;
}

static int npy_head(struct series *s, struct err *e)
{
	struct npy_head h;

	if (series_input_want(&s->in, NPY_PEEK, e) < 0 ||
	    codec_npy_head(&h, s->in.name, s->in.p + s->in.at, s->in.len - s->in.at, e) < 0)
		return -1;
	s->in.at += h.data;
	s->type = (int)h.type;
	s->size = h.size;
	s->count = h.count;
	return 0;
}

/* A stamp's four times as binary64 would be subnormal, which no price is. */
static size_t stamp_size(const unsigned char *p, size_t n)
{
	uint64_t before = 1;

	if (n < FRAME_STAMP_SIZE)
		return 0;
	for (size_t i = 0; i < FRAME_STAMP_SIZE; i += 8) {
		if (get_u64(p + i) < before || get_u64(p + i) >> 52)
			return 0;
		before = get_u64(p + i);
	}
	return FRAME_STAMP_SIZE;
}

static int frame_head(struct series *s, struct err *e)
{
	struct frame_head h;
	struct err why;
	const unsigned char *p;
	size_t have, skip = 4;
	uint32_t word;

	if (series_input_want(&s->in, 4 + FRAME_STAMP_SIZE, e) < 0)
		return -1;
	p = s->in.p + s->in.at;
	have = s->in.len - s->in.at;
	word = have < 4 ? 0 : get_u32(p);
	s->type = NPY_F8;
	s->size = 8;
	if (have < 4)
		return err_set(e, STATUS_INPUT, "%s: no frame: %zu byte%s", s->in.name, have,
		    err_plural(have));
	if (word & FRAME_ERROR_BIT)
		return err_set(
		    e, STATUS_INPUT, "%s: an error frame, not closes: see unframe", s->in.name);
	if (word % 8 == 0) { /* no request with closes has such a length */
		skip += word >= FRAME_STAMP_SIZE ? stamp_size(p + 4, have - 4) : 0;
		s->count = (word - (skip - 4)) / 8;
	} else if (frame_head_parse(&h, p + 4, have - 4, word, &why) == FRAME_OK &&
		   frame_op_has_closes(h.op)) {
		skip += frame_head_size(h.op);
		s->count = h.n_bars;
		s->tail = (uint64_t)h.n_sets * FRAME_SET_SIZE;
	} else {
		return err_set(e, STATUS_INPUT,
		    "%s: neither a request with closes nor an echo reply: see unframe --request",
		    s->in.name);
	}
	s->in.at += skip;
	return 0;
}

int series_binary_head(struct series *s, enum series_format format, struct err *e)
{
	int bad = format == SERIES_RAW   ? raw_head(s, e)
		  : format == SERIES_NPY ? npy_head(s, e)
					 : frame_head(s, e);

	s->start = s->in.before + s->in.at;
	s->taken = 0;
	return bad;
}

static double element(int type, const unsigned char *p)
{
	uint64_t bits = get_u64(p);
	double x;

	if (type == NPY_F8_BIG)
		bits = __builtin_bswap64(bits);
	memcpy(&x, &bits, sizeof x);
	return x;
}

static void decode(const struct series *s, const unsigned char *p, double *dst, size_t n)
{
	if (s->type == NPY_F8) {
		memcpy(dst, p, n * sizeof *dst);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		float narrow;

		if (s->type == NPY_F4) {
			memcpy(&narrow, p + 4 * i, sizeof narrow);
			dst[i] = (double)narrow;
		} else {
			dst[i] = element(s->type, p + 8 * i);
		}
	}
}

/* An odd value, element s->taken of the file: CODEC_KEEP with *x set, or what the judge says. */
static enum codec_verdict judge(struct series *s, double *x, struct err *e)
{
	struct codec_odd odd = {
	    .name = s->in.name,
	    .row = (size_t)s->taken + 1,
	    .column = (size_t)(s->start + s->taken * s->size),
	    .value = *x,
	    .taken = &s->last,
	    .n_taken = s->given > 0,
	};
	enum codec_verdict v = series_judge(&s->options.policy, &odd, e);

	*x = odd.value;
	return v;
}

/* Keeps what the policy keeps of n values in place; how many, or -1 with *e. */
static int64_t sift(struct series *s, double *x, size_t n, struct err *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++, s->taken++) {
		double v = x[i];

		if (!(v > 0 && v <= DBL_MAX)) {
			enum codec_verdict verdict = judge(s, &v, e);

			if (verdict == CODEC_REFUSE)
				return -1;
			if (verdict == CODEC_DROP)
				continue;
		}
		s->last = v;
		s->given++;
		x[kept++] = s->options.scale == 1 ? v : series_scaled(&s->scale, v);
	}
	return (int64_t)kept;
}

/* The end of the elements: nothing may be missing, and nothing may follow but a frame's sets. */
static int check_end(struct series *s, struct err *e)
{
	size_t left;

	for (uint64_t tail = s->tail;; tail -= left) {
		if (series_input_want(&s->in, 1, e) < 0)
			return -1;
		left = s->in.len - s->in.at;
		if (s->count == SERIES_UNKNOWN && left)
			return truncated(s, s->taken * s->size + left, "raw closes", e);
		if (s->count != SERIES_UNKNOWN && s->taken < s->count)
			return err_set(e, STATUS_INPUT,
			    "%s: truncated: ends after %llu of %llu value%s", s->in.name,
			    (ull)s->taken, (ull)s->count, err_plural(s->count));
		if (!tail && left)
			return err_set(e, STATUS_INPUT,
			    "%s: more follows the %llu value%s it announces: one series is wanted",
			    s->in.name, (ull)s->count, err_plural(s->count));
		if (!tail)
			return 0;
		if (!left)
			return err_set(e, STATUS_INPUT,
			    "%s: truncated: ends in the sets of the frame", s->in.name);
		left = left < tail ? left : (size_t)tail;
		s->in.at += left;
	}
}

int64_t series_binary_read(struct series *s, double *dst, size_t n, struct err *e)
{
	int64_t kept = 0;

	while (kept == 0 && n) {
		size_t have, want = n;

		if (series_input_want(&s->in, s->size, e) < 0)
			return -1;
		if (s->count != SERIES_UNKNOWN && s->count - s->taken < want)
			want = (size_t)(s->count - s->taken);
		have = (s->in.len - s->in.at) / s->size;
		want = have < want ? have : want;
		if (!want && !s->ended && check_end(s, e) < 0)
			return -1;
		s->ended = !want;
		if (!want)
			return 0;
		decode(s, s->in.p + s->in.at, dst, want);
		s->in.at += want * s->size;
		kept = sift(s, dst, want, e);
	}
	return kept;
}
