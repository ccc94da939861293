#!/usr/bin/env bats
# Numbers as text: lib/num against libc as the judge.
load lib

@test "libc agrees on every hard case, and on a sample of everything else" {
	for x in num_libc num_libc_portable; do
		expect 0 "$B/t/$x"
		empty out
	done
}

@test "every length before and after the point, cut at every byte, alone and in arrays and lines" {
	for x in num_plain num_plain_portable; do
		expect 0 "$B/t/$x"
		empty out
	done
}

@test "the table of powers of ten is what its script makes" {
	needs python3
	python3 "$ROOT/lib/num_pow10.py" >made.c
	same made.c "$ROOT/lib/num_pow10.c"
}

@test "128 bits suffice: the script proves it for every exponent" {
	needs python3
	expect 0 python3 "$ROOT/lib/num_pow10.py" --prove
	says out "2^-70 is told apart"
}

@test "what is written stays within its room, alone and in lists of any alignment" {
	for x in num_write num_write_portable; do
		expect 0 "$B/t/$x"
		empty out
	done
}

@test "the rounding mode does not matter" {
	expect 0 "$B/t/num_env"
	empty out
}

@test "the locale does not matter: de_DE with its comma" {
	needs localedef
	mkdir locales
	localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>/dev/null ||
		skip "the sources of de_DE are not installed (Debian: locales)"
	LC_ALL=de_DE.UTF-8 LOCPATH=$PWD/locales expect 0 "$B/t/num_env" de_DE.UTF-8
	empty out
	# The tools too: none of them asks for a locale.
	gbmgen -n 3 -f csv >wanted
	LC_ALL=de_DE.UTF-8 LOCPATH=$PWD/locales gbmgen -n 3 -f csv >got
	same wanted got
}

@test "no conversion of libc's and no allocation is in the path" {
	needs nm
	for x in format write parse plain big pow10 units; do
		nm -u "$B/lib/num_$x.o"
	done | awk '$1 == "U" { print $2 }' | grep -v '^num_\|^__asan\|^__ubsan\|^__tsan' |
		sort -u >used
	printf '%s\n' memcpy memmove memset strcmp strlen __stack_chk_fail _GLOBAL_OFFSET_TABLE_ >fine
	grep -vxFf fine used >other || true
	empty other
}

@test "Python's repr is the same decimal, digit for digit" {
	needs python3
	python3 - >values <<-'EOF'
		import random, struct
		random.seed(7)
		x = [struct.unpack("<d", struct.pack("<Q", random.getrandbits(64)))[0] for _ in range(20000)]
		x += [2.0**e for e in range(-1074, 1024)] + [-0.0, 1e22, 1e23, 5e-324]
		for v in x:
		    if v == v and abs(v) != float("inf"):
		        print(repr(v), struct.pack("<d", v).hex())
	EOF
	cut -d' ' -f2 values | python3 -c 'import sys
sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' | "$B/t/codec" write csv >ours
	python3 - >differs <<-'EOF'
		from decimal import Decimal
		for v, o in zip(open("values"), open("ours")):
		    a, b = Decimal(v.split()[0]), Decimal(o)
		    if a.as_tuple() != b.as_tuple() and (a != b or a.normalize().as_tuple() != b.normalize().as_tuple()):
		        print(v.strip(), o.strip())
	EOF
	empty differs
	[ "$(wc -l <ours)" -eq "$(wc -l <values)" ]
}
