#!/usr/bin/env bats
# The pipeline gives the same bytes whatever compiled it. Each test builds the tools in
# a directory of its own and compares with what was built here.

load lib

SERIES=cb8f665f4ad7efbefce4137a072133af9bbd797f2b95d6ac24381668aab69f9a
REPLY=5114f2963dbcfc935732121bb8653875d74c110d90bf3b66039e14a4a66da7db

setup() {
	unset MAKEFLAGS MAKELEVEL CC CFLAGS LDFLAGS
	tools="gbmgen frame hmasweep unframe"
}

# build MAKE-VARIABLE...: the four tools into ./b.
build() {
	# shellcheck disable=SC2046,SC2086 # a list
	make -s -C "$ROOT" B="$PWD/b" "$@" $(printf "$PWD/b/%s " $tools) 2>make.err ||
		{ head -c 2000 make.err; return 1; }
}

# same_bytes [RUNNER]: the tools of ./b, run by RUNNER, against the fixed sums.
same_bytes() {
	$1 b/gbmgen >closes
	[ "$(sha closes)" = $SERIES ] || { echo 'other closes'; return 1; }
	$1 b/frame closes >request
	$1 b/hmasweep <request >reply
	[ "$(sha reply)" = $REPLY ] || { echo 'another reply'; return 1; }
	odd_bytes "$1"
}

# odd_bytes [RUNNER]: what optimizers like to break, on all kernels: subnormal and huge
# prices, long decimals, NaN, a series that is flat; against the tools built here.
odd_bytes() {
	{
		gbmgen -n 400 -s 7 -f csv --start 1e-310 | tail -n +2
		gbmgen -n 400 -s 8 -f csv --start 1e300 | tail -n +2
		printf '0.1000000000000000055511151231257827021181583404541015625\n%.0s' 1 2 3 4 5
		yes 4.9e-324 | head -n 100
	} >odd.csv
	frame -g 2:60:9 odd.csv >want.request
	$1 b/frame -g 2:60:9 odd.csv >got.request
	cmp want.request got.request || return 1
	for k in reference checked vector filtered; do
		hmasweep -k $k <want.request >want.reply
		$1 b/hmasweep -k $k <want.request >got.reply
		cmp want.reply got.reply || return 1
	done
	unframe want.reply >want.table
	$1 b/unframe want.reply >got.table
	same want.table got.table
}

for_gcc() {
	needs gcc
	build CC=gcc CFLAGS="$1"
	same_bytes ''
}

for_clang() {
	needs clang
	build CC=clang CFLAGS="$1"
	same_bytes ''
}

@test "the sums, as built here" {
	gbmgen >closes
	[ "$(sha closes)" = $SERIES ]
	frame closes | hmasweep >reply
	[ "$(sha reply)" = $REPLY ]
}

@test "gcc -O0" {
	for_gcc '-O0'
}

@test "gcc -O3 with every instruction this processor has, which invites fusing" {
	for_gcc '-O3 -march=native'
}

@test "gcc -Ofast -ffast-math -funsafe-math-optimizations" {
	for_gcc '-Ofast -ffast-math -funsafe-math-optimizations'
}

@test "clang -O0" {
	for_clang '-O0'
}

@test "clang -O3 -ffast-math with every instruction this processor has" {
	for_clang '-O3 -ffast-math -march=native'
}

@test "musl, linked statically" {
	needs musl-gcc
	build CC=musl-gcc LDFLAGS=-static
	same_bytes ''
}

@test "aarch64, under qemu: a smaller sweep, the same bytes" {
	needs aarch64-linux-gnu-gcc qemu-aarch64
	build CC=aarch64-linux-gnu-gcc LDFLAGS=-static
	arm() {
		qemu-aarch64 "$@"
	}
	arm b/gbmgen >closes
	[ "$(sha closes)" = $SERIES ]
	head -c 80000 closes >some
	frame -g 6:200:9 some >request
	arm b/frame -g 6:200:9 some >got.request
	cmp request got.request
	hmasweep <request >reply
	arm b/hmasweep <request >got.reply
	cmp reply got.reply
	odd_bytes arm
}
