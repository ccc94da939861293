/*
 * exp: without operands, compares the fast path of exp_rounded with the wide
 * evaluation over its range, silently. `exp -`: reads binary64 from stdin and writes for each
 * exp_rounded, exp_wide and log1p_fixed, binary64, for a judge outside.
 */
#include "lib/exp.h"
#include "lib/io.h"
#include "lib/log1p.h"
#include "lib/rng.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int check(double x)
{
	double fast = exp_rounded(x), wide = exp_wide(x);

	if (memcmp(&fast, &wide, sizeof fast) == 0)
		return 0;
	printf("x = %a: fast %a, wide %a\n", x, fast, wide);
	return 1;
}

/* Arguments of every size, both signs, and those around each boundary of a table step. */
static int sweep(void)
{
	struct rng r;
	int bad = 0;

	rng_seed(&r, 1);
	for (int i = 0; i < 50000; i++) {
		double u = 2 * rng_uniform(&r) - 1, step = 0x1.62e42fefa39efp-7;

		bad += check(u * 746) + check(u) + check(u * 0x1p-30);
		bad += check((double)(i - 25000) * 2 * step + u * 0x1p-40);
	}
	return bad != 0;
}

static int filter(void)
{
	static struct out out;
	struct err e;
	double x;

	out_init(&out, STDOUT_FILENO, "<stdout>");
	while (io_read_full(STDIN_FILENO, &x, sizeof x) == sizeof x) {
		double y[3] = {exp_rounded(x), exp_wide(x), log1p_fixed(x)};

		out_put(&out, y, sizeof y);
	}
	return out_close(&out, &e) < 0;
}

int main(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "-") == 0 ? filter() : sweep();
}
