/*
 * Where numbers are written: num_format never beyond its room, num_write_all any count of any
 * alignment, with the text num_format gives each. All rooms end where memory may not be
 * written. Silent when all is well.
 */
#include "lib/bytes.h"
#include "lib/num.h"
#include "lib/num_write.h"
#include "lib/stat.h"
#include "t/unit/guard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 60

static char *last; /* the end of a page before one that may not be written */
static uint64_t state = 1;
static int failures;

/* One at the end of its room: the byte before it stays. */
static void check_room(uint64_t bits)
{
	char *dst = last - NUM_MAX;
	size_t n;
	double x;

	memcpy(&x, &bits, sizeof x);
	dst[-1] = 'x';
	n = num_format(dst, x);
	if ((dst[-1] != 'x' || n > NUM_MAX) && failures++ < 20)
		printf("%a: \"%.*s\" behind '%c'\n", x, (int)n, dst, dst[-1]);
}

/* Any, or one of what is written plainly, or seldom one that is not finite. */
static uint64_t draw(void)
{
	uint64_t bits = stat_random(&state), kind = stat_random(&state) % 32;

	if (kind < 2)
		return bits | (uint64_t)0x7ff << 52;
	if (kind == 2)
		return (bits & (uint64_t)1 << 63) | (uint64_t)0x7ff << 52;
	if (kind < 6)
		return bits;
	return bits >> 12 | (1000 + stat_random(&state) % 80) << 52 | (bits & 1) << 63;
}

static void check_list(const char *odd)
{
	size_t n = stat_random(&state) % (MOST + 1), shift = stat_random(&state) % 8;
	unsigned char x[8 * MOST + 8] = {0};
	char wanted[MOST * (NUM_MAX + 1)], *w = wanted, *dst = last - n * (NUM_MAX + 1), *end;

	for (size_t i = 0; i < n; i++) {
		uint64_t bits = draw();

		put_u64(x + shift + 8 * i, bits);
		if (odd && (bits >> 52 & 0x7ff) == 0x7ff)
			w = stpcpy(w, odd);
		else
			w += num_format(w, get_f64(&bits));
		*w++ = ',';
	}
	end = num_write_all(dst, x + shift, n, ',', odd);
	if ((end - dst != w - wanted || memcmp(dst, wanted, (size_t)(w - wanted)) != 0) &&
	    failures++ < 20)
		printf("\"%.*s\", wanted \"%.*s\"\n", (int)(end - dst), dst, (int)(w - wanted),
		    wanted);
}

int main(void)
{
	last = guarded_end();
	for (uint64_t e = 0; e < 4096; e++) {
		for (uint64_t i = 0; i < 4; i++)
			check_room((e << 52) + i - 2);
		for (int i = 0; i < 50; i++)
			check_room(e << 52 | stat_random(&state) >> 12);
	}
	for (int i = 0; i < 10000; i++)
		check_list(i % 2 ? "null" : NULL);
	return failures != 0;
}
