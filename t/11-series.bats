#!/usr/bin/env bats
# The price series to the bit: against an independent evaluation, NumPy, and every
# compiler at hand.

load lib

DEFAULT=cb8f665f4ad7efbefce4137a072133af9bbd797f2b95d6ac24381668aab69f9a

# reference OPTION...: the independent evaluation.
reference() {
	python3 "$ROOT/t/gbm.py" "$@"
}

@test "the default series has the published fingerprint" {
	expect 0 gbmgen
	empty err
	[ "$(wc -c <out)" -eq 1200000 ]
	[ "$(sha out)" = $DEFAULT ]
}

@test "seeds of one word and of two agree with the independent evaluation" {
	needs python3
	for seed in 0 1 4294967295 4294967296 18446744073709551615; do
		reference --bars 6000 --seed $seed >want
		expect 0 gbmgen -n 6000 -s $seed
		same want out
	done
}

@test "sigma, mu and start agree with the independent evaluation" {
	needs python3
	for options in '--sigma 0.5 --start 1e-3' '--mu -0.7 --start 1e300 --sigma 0.1' \
		'--sigma 0' '--mu=1e-17 --sigma 1e-16' '--mu 0.0001 --start 4.9e-310' \
		'--start 1.7976931348623157e308 --mu=-0.1'; do
		# shellcheck disable=SC2086
		reference --bars 1000 --seed 3 $options >want
		# shellcheck disable=SC2086
		expect 0 gbmgen -n 1000 -s 3 $options
		same want out
	done
}

@test "the normals agree with the independent evaluation, tails among them" {
	needs python3
	reference --bars 60000 --seed 11 --normals >want
	expect 0 gbmgen -n 60000 -s 11 --normals
	same want out
	expect 0 gbmgen -n 3 -s 11 --normals -f csv
	[ "$(head -1 out)" = z ]
}

# Beyond the last layer (1 draw in 4,000) NumPy's figures come from its libm's
# log1p, whose last bit depends on the processor: there one unit is allowed.
@test "the normals are NumPy's: ten seeds, a million draws each" {
	local numpy
	for numpy in python3 /usr/bin/python3 none; do
		"$numpy" -c 'import numpy' 2>/dev/null && break
	done
	[ "$numpy" != none ] || skip "numpy is not installed"
	for seed in 0 1 2 3 9 42 4294967295 4294967296 123456789012345 18446744073709551615; do
		expect 0 gbmgen -n 1000000 -s $seed --normals
		"$numpy" - out $seed <<-'END'
			import sys
			import numpy as np
			ours = np.fromfile(sys.argv[1], "<f8")
			theirs = np.random.default_rng(int(sys.argv[2])).standard_normal(1000000)
			tail = np.abs(ours) > 3.65415288536
			assert len(ours) == 1000000 and tail.any()
			differ = ours != theirs
			print("seed", sys.argv[2], "differs in", differ.sum(), "at", np.flatnonzero(differ)[:9])
			assert not (differ & ~tail).any()
			assert (np.abs(ours - theirs) <= np.spacing(4.0)).all()
			assert differ.sum() <= 2
		END
	done
}

@test "exp: the fast path equals the wide evaluation" {
	expect 0 "$B/t/exp"
	empty out
}

@test "exp is the exact value rounded once, log1p within an ulp: 100,000 arguments" {
	needs python3
	expect 0 python3 "$ROOT/t/exp.py" "$B/t/exp"
	empty out
}

@test "the tables: powers of 2 as generated, layers of equal area" {
	needs python3
	python3 "$ROOT/lib/exp_table.py" >want
	same want "$ROOT/lib/exp_table.c"
	expect 0 reference --ziggurat
}

# compiles COMPILER FLAGS...: ./gbmgen as the Makefile would compile it.
compiles() {
	local compile cc=$1 sources='lib/{bytes,codec_npy*,err,exp*,frame,gbm,io,log1p,mem,num*,rng*}.c'
	shift
	# shellcheck disable=SC2016 # make's variables
	compile=$(make -s -C "$ROOT" --eval='compile: ; $(info $(COMPILE))' compile CC="$cc" CFLAGS="$*" SAN=)
	(cd "$ROOT" && eval "$compile -o '$BATS_TEST_TMPDIR/gbmgen' cmd/gbmgen.c cmd/tool.c $sources -lm")
}

@test "the same bytes from -O0, -O3 and -ffast-math" {
	for flags in -O0 -O3 '-O3 -march=native -ffast-math' -Ofast; do
		compiles gcc "$flags"
		./gbmgen >out
		[ "$(sha out)" = $DEFAULT ]
	done
}

@test "the same bytes from clang" {
	needs clang
	for flags in -O0 '-O3 -march=native -ffast-math'; do
		compiles clang "$flags"
		./gbmgen >out
		[ "$(sha out)" = $DEFAULT ]
	done
}

@test "the same bytes with musl" {
	needs musl-gcc
	compiles musl-gcc -O2
	./gbmgen >out
	[ "$(sha out)" = $DEFAULT ]
}

@test "the same bytes on aarch64" {
	needs aarch64-linux-gnu-gcc qemu-aarch64
	compiles aarch64-linux-gnu-gcc -O2 -static
	qemu-aarch64 ./gbmgen >out
	[ "$(sha out)" = $DEFAULT ]
	qemu-aarch64 ./gbmgen -s 9 -n 200000 --normals >out
	gbmgen -s 9 -n 200000 --normals >want
	same want out
}
