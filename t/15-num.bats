#!/usr/bin/env bats
# Numbers as text: lib/num against libc as the judge.
load lib

@test "libc agrees on every hard case, and on a sample of everything else" {
	expect 0 "$B/t/num_libc"
	empty out
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
