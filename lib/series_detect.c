#include "lib/series_detect.h"
#include "lib/codec_npy.h"

#include <string.h>

/*
 * Raw closes may begin with any bytes, so a magic counts only where chance would take
 * about 2^27 files to make it: four bytes, or three and a fourth in bounds.
 */
static const struct magic {
	const char *bytes;
	size_t n;
	const char *what, *then;
} magics[] = {
    {"\x1f\x8b\x08", 3, "gzip", "try zcat"},
    {"\x28\xb5\x2f\xfd", 4, "zstd", "try zstdcat"},
    {"\xfd\x37\x7a\x58\x5a\x00", 6, "xz", "try xzcat"},
    {"BZh", 3, "bzip2", "try bzcat"},
    {"\x04\x22\x4d\x18", 4, "lz4", "try lz4cat"},
    {"PK\x03\x04", 4, "a zip archive (or .xlsx, .npz)", "try unzip -p; export a sheet as CSV"},
    {"PK\x05\x06", 4, "an empty zip archive", "try another file"},
    {"PAR1", 4, "Parquet", "write it as CSV first (pandas: read_parquet, to_csv)"},
    {"ARROW1", 6, "Arrow", "write it as CSV first (pandas: read_feather, to_csv)"},
    {"FEA1", 4, "Feather", "write it as CSV first (pandas: read_feather, to_csv)"},
    {"\x89HDF\r\n", 6, "HDF5", "write it as CSV or npy first"},
    {"\xd0\xcf\x11\xe0", 4, "an old Excel or Office file", "export the sheet as CSV"},
    {"%PDF", 4, "PDF", "a price file is wanted"},
    {"SQLite format 3", 15, "SQLite", "try sqlite3 -csv FILE 'select close from ...'"},
    {"\xff\xfe\x00\x00", 4, "UTF-32 text", "try iconv -f UTF-32 -t UTF-8"},
};

static const struct magic *find_magic(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
		const struct magic *m = &magics[i];

		if (n <= m->n || memcmp(p, m->bytes, m->n) != 0)
			continue;
		if (*p == 0x1f && p[3] > 0x1f) /* gzip's flags are five bits */
			continue;
		if (*p == 'B' && (p[3] < '1' || p[3] > '9'))
			continue;
		return m;
	}
	return NULL;
}

/* A pickle of protocol 4 or 5: a frame of less than 16 MiB, or of 16 GiB, is first. */
static int is_pickle(const unsigned char *p, size_t n)
{
	return n >= 11 && p[0] == 0x80 && (p[1] == 4 || p[1] == 5) && p[2] == 0x95 && p[8] == 0 &&
	       p[9] == 0 && p[10] == 0;
}

/* Characters of ASCII with every other byte zero, a byte order mark or none. */
static int is_utf16(const unsigned char *p, size_t n)
{
	size_t mark = n >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff));
	size_t zero, i = 2 * mark;

	if (n < 8)
		return mark && n % 2 == 0 && n > 2 && (p[2] == 0 || p[3] == 0);
	zero = p[i] == 0 ? 0 : 1;
	for (; i + 1 < n && i < 34; i += 2) {
		unsigned char c = p[i + 1 - zero];

		if (p[i + zero] != 0 || c > 0x7e ||
		    (c < 0x20 && c != '\t' && c != '\n' && c != '\r'))
			return 0;
	}
	return 1;
}

/* How many bytes of UTF-8 stand at p; 0: none. What the peek cut off at its end passes. */
static size_t utf8(const unsigned char *p, size_t n)
{
	size_t want = *p >= 0xf0 && *p < 0xf5   ? 4
		      : *p >= 0xe0 && *p < 0xf0 ? 3
		      : *p >= 0xc2 && *p < 0xe0 ? 2
						: 0;

	for (size_t i = 1; i < want; i++) {
		if (i == n)
			return n;
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	return want;
}

static int is_control(unsigned char c)
{
	return (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || c == 0x7f;
}

/*
 * What n bytes are as text: printable UTF-8 but for some bytes in another encoding
 * (an old one of eight bits) and some control characters, the first at odd.
 */
struct look {
	size_t foreign, controls, odd;
};

static struct look look_at(const unsigned char *p, size_t n)
{
	struct look l = {0};

	for (size_t i = 0; i < n;) {
		size_t used = p[i] < 0x80 ? 1 : utf8(p + i, n - i);

		if (is_control(p[i]) && l.controls++ == 0)
			l.odd = i;
		l.foreign += used == 0;
		i += used ? used : 1;
	}
	return l;
}

/*
 * Whether text with odd bytes in it is meant. Binary64 does not manage many bytes
 * without control characters; nor lines in which one byte in 16 is odd, except of one
 * price repeated (100.1 is fffff, a control character, Y@), which has no line ends.
 */
static int is_spoilt_text(const struct look *l, const unsigned char *p, size_t n)
{
	size_t odd = l->foreign + l->controls;

	if (!l->controls && n >= 256)
		return 1;
	return memchr(p, '\n', n) && (n >= 24 ? odd * 16 <= n : n % 8 && odd == 1);
}

int series_detect(const char *name, const unsigned char *p, size_t n, struct err *e)
{
	const struct magic *m = find_magic(p, n);
	struct look look;
	size_t i = 0;

	if (n >= NPY_MAGIC_SIZE && memcmp(p, NPY_MAGIC, NPY_MAGIC_SIZE) == 0)
		return SERIES_NPY;
	if (m)
		return err_set(
		    e, STATUS_INPUT, "%s: this is %s, not prices: %s", name, m->what, m->then);
	if (is_pickle(p, n))
		return err_set(e, STATUS_INPUT,
		    "%s: this is a Python pickle, not prices: write it with numpy.save or to_csv",
		    name);
	if (is_utf16(p, n))
		return err_set(
		    e, STATUS_INPUT, "%s: this is UTF-16 text: try iconv -f UTF-16 -t UTF-8", name);
	look = look_at(p, n);
	if (look.foreign + look.controls && !is_spoilt_text(&look, p, n))
		return SERIES_RAW;
	if (look.controls)
		return err_set(e, STATUS_INPUT,
		    "%s: byte %zu: '\\x%02x' in what looks like text: remove it (tr -d '\\%03o'), "
		    "or -i "
		    "raw or csv says what this is",
		    name, look.odd + 1, p[look.odd], p[look.odd]);
	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r' || p[i] == '\n'))
		i++;
	return i < n && (p[i] == '[' || p[i] == '{') ? SERIES_JSON : SERIES_TEXT;
}
