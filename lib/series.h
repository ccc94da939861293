/* L1: a close series from whatever file the user has. */
#ifndef IPCTAX_SERIES_H
#define IPCTAX_SERIES_H

#include "lib/bytes.h"
#include "lib/err.h"
#include "lib/series_input.h"
#include "lib/series_policy.h"

#include <stddef.h>
#include <stdint.h>

enum series_format {
	SERIES_AUTO, /* looked up in the first bytes */
	SERIES_RAW,  /* binary64, little-endian */
	SERIES_NPY,
	SERIES_TEXT, /* delimited, "csv" */
	SERIES_JSON,
	SERIES_FRAME /* the closes of a request, or an echo reply */
};

/* {0} is: find the format, refuse everything odd. */
struct series_options {
	enum series_format format;
	struct series_policy policy;
	double scale;   /* every value times this; 0 is 1, or what the preset says */
	int reverse;    /* newest first in the source; the series is oldest first */
	int unordered;  /* times may repeat and go back */
	int again;      /* series_rewind will be called */
	int live;       /* the number of bars need not be known: a pipe is read as it comes */
	uint64_t limit; /* the most bars; 0: no limit */
	/* delimited text only */
	const char *preset; /* a name of series_preset_name, or NULL */
	const char
	    *column; /* a number from 1, or a header's name; NULL: by header; of JSON a key */
	const char *ticker; /* rows of this one only; NULL: all, and they must agree; of JSON too */
	char delimiter;     /* 0: found */
	char decimal;       /* 0: a point */
	char thousands;     /* 0: none */
};

#define SERIES_UNKNOWN UINT64_MAX

/* A series open for reading: from memory, or from its file bar by bar. */
struct series {
	uint64_t n; /* bars; SERIES_UNKNOWN until the end has come (live only) */
	/* private */
	struct series_options options;
	struct series_scale scale;
	struct series_input in;
	struct buf closes; /* the whole series, where it is in memory */
	int in_memory;
	int type;       /* enum npy_type of the elements in the file */
	size_t size;    /* bytes of one */
	uint64_t start; /* offset of the first */
	uint64_t count; /* elements in the file, SERIES_UNKNOWN: to its end */
	uint64_t tail;  /* bytes behind the last that are not the series' */
	uint64_t taken; /* elements read */
	int ended;      /* nothing follows, as it should be */
	uint64_t given; /* bars handed out */
	double last;    /* the bar before, for ffill */
};

/*
 * Opens the series on fd, whose name is kept for messages. What the file is, is found
 * in its first 4 KiB: NumPy's magic, a bracket: JSON; printable: text; zero
 * bytes: no bars; else raw. Foreign magic (gzip, Parquet, ...) is refused with what to do.
 *
 * A regular raw or npy file is checked through here and then read again by
 * series_read, in constant memory. A stream that says how many bars it holds (npy,
 * frames) is checked while it is read, in constant memory too: series_read then may
 * fail midway. Everything else is read, checked and kept in (counted) memory here.
 * 0; -1 with *e, nothing open.
 */
int series_open(
    struct series *s, const struct series_options *o, int fd, const char *name, struct err *e);

/* The next n bars, fewer only at the end: how many, or -1 with *e. */
int64_t series_read(struct series *s, double *dst, size_t n, struct err *e);

/* Back to the first bar, where options.again was set. 0, or -1 with *e. */
int series_rewind(struct series *s, struct err *e);

/* live: whether the next bar is there without waiting for the source. */
int series_ready(const struct series *s);

/* Frees memory; fd stays the caller's. */
void series_close(struct series *s);

#endif
