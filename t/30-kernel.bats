#!/usr/bin/env bats
# The kernels: one answer, whatever computes it.

load lib

# What this machine has, best first.
isas() {
	"$B/t/kernel_self" | cut -d' ' -f1 | uniq
}

# rows KERNEL ISA: length, pnl, trades of the default sweep, from ./closes.
rows() {
	"$B/t/hma_rows" "$1" "$2" <closes | cut -f1-3
}

golden() {
	grep '^[0-9]' "$ROOT/t/golden/sweep-default.tsv" | cut -f1,8,9
}

@test "every kernel has the published rows of the default sweep" {
	gbmgen >closes
	golden >want
	[ "$(wc -l <want)" -eq 80 ]
	rows reference - >got && same want got
	rows checked - >got && same want got
	for isa in $(isas); do
		rows vector "$isa" >got && same want got
		rows filtered "$isa" >got && same want got
	done
}

@test "hmasweep -k and IPCTAX_ISA give the same reply" {
	gbmgen | frame >request
	for isa in $(isas); do
		for k in vector filtered auto; do
			IPCTAX_ISA=$isa expect 0 hmasweep -k $k <request
			[ "$(sha out)" = 5114f2963dbcfc935732121bb8653875d74c110d90bf3b66039e14a4a66da7db ]
		done
	done
	gbmgen -n 2000 | frame >request
	hmasweep -k reference <request >want
	for k in checked vector filtered; do
		expect 0 hmasweep -k $k --gate <request
		same want out
	done
}

@test "an instruction set that is not there is refused" {
	IPCTAX_ISA=mmx expect 2 hmasweep </dev/null
	says err 'mmx'
	empty out
}

@test "the self test passes on every instruction set" {
	expect 0 "$B/t/kernel_self"
	says out 'scalar filtered same'
	[ "$(grep -c differs out)" -eq 0 ]
}

@test "random cases: every kernel has reference's bytes" {
	expect 0 "$B/t/kernel_property" 500 1
	empty out
}

@test "windows as long as the series, and longer" {
	gbmgen -n 1200 >closes
	printf '%s\n' '1200 1200 1 1 1 1' '600 1200 1 1 1 1' '1200 1 1 1 1 1' '1 1 1 1200 7 1' '1 1 600 1 1 601' \
		'1 1 1201 1 1 1' '9223372036854775807 1 1 1 1 1' '1 1 1 1 1 9223372036854775807' >sets
	frame -p sets closes >request
	hmasweep -k reference <request >want
	for k in checked vector filtered; do
		expect 0 hmasweep -k $k <request
		same want out
	done
	frame -p sets <closes | hmasweep | unframe -p sets | tail -3 | cut -f8,9 | uniq >got
	printf '0.0\t0\n' >want
	same want got
}

@test "stretches in doubt: a spike now and then, windows short and long" {
	for every in 100 450 2000; do
		gbmgen -n 6000 -f csv | awk -F, -v e=$every 'NR > 1 { print NR % e ? $NF : $NF * 1e9 }' >closes
		frame -g 5:1500:30 <closes >request
		hmasweep -k reference <request >want
		for isa in $(isas); do
			IPCTAX_ISA=$isa expect 0 hmasweep -k filtered <request
			same want out
		done
	done
}

@test "more sets than go through a block together, in any order" {
	seq 1 150 | sort -R --random-source=/dev/zero >lengths
	gbmgen -n 1500 | frame -p lengths >request
	hmasweep -k reference <request >want
	expect 0 hmasweep -k filtered <request
	same want out
}

@test "the bound holds against wider precision" {
	expect 0 "$B/t/kernel_bound" 400 1
	says out 'evaluation 0.'
}

@test "closes that change meanwhile are survived" {
	expect 0 "$B/t/kernel_scribble"
	empty out
}

@test "no closes, no sets, nothing but NaN" {
	for k in reference checked vector filtered; do
		: | frame -i raw -g 6:6:1 | hmasweep -k $k | unframe | tail -1 >got
		printf '1\t0.0\t0\n' >want
		same want got
		head -c 8000 /dev/zero | tr '\0' '\377' | frame -i raw --allow-nonfinite -g 6:200:80 | hmasweep -k $k | sha256sum >>all
	done
	[ "$(sort -u all | wc -l)" -eq 1 ]
}

@test "a compiler told to be fast is refused" {
	for f in lib/hma_reference.c lib/hma_scalar.c lib/hma_live.c; do
		expect 1 "${CC:-cc}" -std=c11 -D_GNU_SOURCE -ffast-math -I"$ROOT" -fsyntax-only "$ROOT/$f"
		says err 'without -ffast-math'
	done
}

# What the kernels are made of, and the programs that try them, in ./tree; compiled by
# make with its own flags, linked by hand. build TREE PROGRAM OTHER-ARCHITECTURE MAKE-ARGUMENT...
build() {
	local b=$1 program=$2 arch=$3
	shift 3
	(cd "$ROOT" && tar cf - Makefile lib t/unit) | tar xf -
	local -a objects=()
	for x in lib/hma*.c lib/mem.c; do
		case $x in *_"$arch".c) ;; *) objects+=("$b/${x%.c}.o") ;; esac
	done
	make -s B="$b" "$@" "${objects[@]}" "$b/t/unit/$program.o"
	${LD:-cc} -o "$program.$b" "$b/t/unit/$program.o" "${objects[@]}" -static -pthread -lm
}

@test "user's CFLAGS do not change a bit" {
	[ "$(uname -m)" = x86_64 ] || skip "flags of x86-64"
	build fast hma_rows aarch64 CFLAGS='-O3 -ffast-math -march=native -ffp-contract=fast'
	gbmgen -n 10000 >closes
	for k in reference checked vector filtered; do
		rows $k - >want
		./hma_rows.fast $k - <closes | cut -f1-3 >got
		same want got
	done
}

@test "aarch64 has the bytes of x86-64" {
	needs qemu-aarch64 aarch64-linux-gnu-gcc
	for x in hma_rows kernel_property kernel_self; do
		LD=aarch64-linux-gnu-gcc build a64 $x x86_64 CC=aarch64-linux-gnu-gcc
	done
	gbmgen -n 2000 >closes
	for k in reference vector filtered; do
		rows $k - >want
		qemu-aarch64 ./hma_rows.a64 $k - <closes | cut -f1-3 >got
		same want got
	done
	expect 0 qemu-aarch64 ./kernel_self.a64
	says out 'neon filtered same'
	expect 0 qemu-aarch64 ./kernel_property.a64 60 1000
}
