#!/usr/bin/env bats
# hmasweep as a filter: what it refuses, what it says, and what memory it takes for it.

load lib
load wire

@test "a dry run finds what is wrong, and errors carry no stamp" {
	{ head_of 57 $((0xc0)) 0 1; le64 1 1 1 0 1 1; } >request
	expect 3 hmasweep <request
	refused 2 'set 1: hma3_third is 0: a window is 1 bar or more'
	[ "$(stat -c %s out)" -eq "$(stat -c %s wanted)" ]
}

@test "windows longer than the series: 0 and 0; no sets: empty; no bars: 0 and 0" {
	{
		head_of 73 0 2 1
		le64 $((0x4059000000000000)) $((0x4059000000000000)) 3 3 3 3 3 3
		head_of 57 0 0 1
		le64 1 1 1 1 1 1
		head_of 9 0 0 0
		head_of 57 0 0 1
		le64 0x7fffffffffffffff 0x7fffffffffffffff 0x7fffffffffffffff 0x7fffffffffffffff \
			0x7fffffffffffffff 0x7fffffffffffffff
	} >request
	{ le32 16; le64 0 0; le32 16; le64 0 0; le32 0; le32 16; le64 0 0; } >want
	for k in reference checked vector filtered; do
		expect 0 hmasweep -k $k <request
		same want out
	done
}

@test "a short header, an empty body: malformed, and it ends there" {
	{ le32 5; byte 0; le32 0; echo_frame; } >request
	expect 3 hmasweep <request
	refused 1 'length 5 is shorter than the 9 byte header of sweep'
	[ "$(stat -c %s out)" -eq "$(stat -c %s wanted)" ]
	says err 'hmasweep: <stdin>: frame 1 at byte 0: length 5 is shorter'
	{ echo_frame; le32 0; echo_frame; } >request
	expect 3 hmasweep <request
	refused 1 'an empty body: a request is 9 bytes or more'
	says err 'frame 2 at byte 21: '
	{ le32 12; byte 2; le32 0 0; printf abc; } >request
	expect 3 hmasweep <request
	refused 1 'length 12 is shorter than the 13 byte header of load'
}

@test "a length beyond the limit, or with bit 31: too large, and it ends there" {
	{ head_of 1000000 1 124998 0; } >request
	expect 3 hmasweep --max-frame 999999 <request
	refused 3 'length 1000000 exceeds 999999: is this a request? frame(1) makes one from closes (or see --max-frame)'
	expect 3 hmasweep < <(le32 0x7fffffff)
	refused 3 'length 2147483647 exceeds 268435456: is this a request? frame(1) makes one from closes (or see --max-frame)'
	{ head_of 9 1 0 0; le32 0x7fffffff; } >request
	expect 3 hmasweep <request
	refused 3 'length 2147483647 exceeds 268435456 (see --max-frame)'
	expect 3 hmasweep < <(le32 0x80000009; echo_frame)
	refused 3 'length 0x80000009 has bit 31 set: is this a request? frame(1) makes one from closes'
	{ head_of 9 1 0 0; le32 0x80000009; } >request
	expect 3 hmasweep <request
	refused 3 'length 0x80000009 has bit 31 set: that is an error reply'
	gbmgen -n 10 >closes
	expect 3 hmasweep <closes
	refused 3 'length 1921809671 exceeds 268435456: is this a request? frame(1) makes one from closes (or see --max-frame)'
	expect 3 hmasweep < <(le64 0x4059000000000000)
	refused 1 'an empty body: is this a request? frame(1) makes one from closes'
	# The limit itself is allowed.
	head -c 8000 /dev/zero >closes
	expect 0 hmasweep --max-frame 8009 < <(head_of 8009 1 1000 0; cat closes)
	[ "$(stat -c %s out)" -eq 8004 ]
	expect 3 hmasweep --max-frame 8008 < <(head_of 8009 1 1000 0; cat closes)
}

@test "counts that disagree with the length, in 64 bits" {
	expect 3 hmasweep < <(head_of 17 0 2 0; printf ABCDEFGH)
	refused 1 'length 17, but 2 bars and 0 sets of sweep make it 25'
	# 2^29 bars wrap to 0 in 32 bits; 2^28 * 48 too.
	expect 3 hmasweep < <(head_of 9 0 $((1 << 29)) 0)
	refused 1 'length 9, but 536870912 bars and 0 sets of sweep make it 4294967305'
	expect 3 hmasweep < <(head_of 9 0 0 $((1 << 28)))
	refused 1 'length 9, but 0 bars and 268435456 sets of sweep make it 12884901897'
	expect 3 hmasweep < <(head_of 9 0 0xffffffff 0xffffffff)
	refused 1 'length 9, but 4294967295 bars and 4294967295 sets of sweep make it 240518168529'
}

@test "unknown ops, reserved flags, counts that must be 0: refused, and it goes on" {
	{
		head_of 12 9 0 0
		printf xyz
		head_of 9 $((0x21)) 0 0
		head_of 9 $((0x11)) 0 0
		head_of 57 1 0 1
		le64 1 1 1 1 1 1
		head_of 17 7 1 0
		printf ABCDEFGH
		head_of 9 6 0 0
		echo_frame
	} >request
	expect 3 hmasweep <request
	unframe -x echo <out >/dev/null 2>first || :
	{ le32 8; printf ABCDEFGH; } >want
	tail -c 12 out >got
	same want got
	strings -n 12 out >texts
	says texts 'op 9 is unknown: this engine has 0 to 8'
	says texts 'flag bits 0x30 are reserved and must be clear'
	says texts 'echo carries no sets: n_combos must be 0, not 1'
	says texts 'stats carries no closes: n_bars must be 0, not 1'
	says texts 'tick needs a close or more'
	[ "$(wc -l <err)" -eq 1 ]
}

@test "an error above 3 alone: status 1" {
	expect 1 hmasweep < <(head_of 9 9 0 0)
	refused 7 'op 9 is unknown: this engine has 0 to 8'
	expect 1 hmasweep < <(head_of 13 3 0 0; le32 5)
	refused 4 'slot 5 is empty: load it first'
}

@test "the input ends inside a frame: what came before is answered" {
	for cut in 1 3 4 8 13 14 20; do
		{ echo_frame; echo_frame | head -c $cut; } >request
		expect 3 hmasweep <request
		{ le32 8; printf ABCDEFGH; } >want
		head -c 12 out >got
		same want got
		case $cut in
		1) refused 1 "the input ends after 1 byte of a frame" ;;
		3 | 4 | 8) refused 1 "the input ends after $cut bytes of a frame" ;;
		*) refused 1 "the input ends after $cut of the frame's 21 bytes" ;;
		esac
	done
}

@test "a window of 0 or below, each of the six: refused by name" {
	i=0
	for name in hma_half hma_full hma_sqrt hma3_third hma3_half hma3_full; do
		for bad in 0 -1 -9223372036854775808; do
			six=(1 1 1 1 1 1)
			six[i]=$bad
			expect 3 hmasweep < <(head_of 105 0 0 2; le64 1 1 1 1 1 1 "${six[@]}")
			refused 2 "set 2: $name is $bad: a window is 1 bar or more"
		done
		i=$((i + 1))
	done
}

@test "memory follows what has arrived, not what is claimed" {
	expect 3 hmasweep --stats --max-frame 2147483647 < <(head_of 2147483641 1 268435454 0)
	bounded 13
	head -c 3000000 /dev/zero >some
	expect 3 hmasweep --stats < <(head_of $((9 + 8 * 33000000)) 1 33000000 0; cat some)
	bounded 3000013
	# A load, whose closes go to their slot as they come; sets; an append; a dry run.
	expect 3 hmasweep --stats < <(head_of $((13 + 8 * 16000000)) 2 16000000 0; le32 1; cat some)
	bounded 3000017
	expect 3 hmasweep --stats < <(head_of $((9 + 48 * 5000000)) 0 0 5000000; cat some)
	bounded 3000013
	expect 0 hmasweep --stats < <(head_of $((9 + 48 * 62500)) 0 0 62500; yes "$(printf '\1')" | tr -d '\n' | head -c 3000000)
	bounded 3000013
	# At every size a buffer grows through, not where it has just grown alone.
	head -c 16000000 /dev/zero >many
	for n in 1100000 2100000 4200000 6000000 8390000 8500000 10485760 12600000 16000000; do
		head -c $n many >some
		expect 3 hmasweep --stats < <(head_of $((9 + 8 * 33000000)) 1 33000000 0; cat some)
		bounded $((n + 13))
		expect 3 hmasweep --stats < <(head_of $((9 + 48 * 5000000)) 0 0 5000000; cat some)
		bounded $((n + 13))
		expect 3 hmasweep --stats < <(head_of $((13 + 8 * 16000000)) 2 16000000 0; le32 1; cat some)
		bounded $((n + 17))
	done
	head -c 3000000 many >some
	# A body that is refused by its head is not kept at all.
	expect 1 hmasweep --stats < <(head_of $((13 + 8 * 375000)) 4 375000 0; le32 1; cat some)
	bounded 17
	expect 0 hmasweep --stats < <(head_of $((9 + 3000000)) $((0x41)) 375000 0; cat some)
	bounded 17
}

@test "slots: limits have names" {
	gbmgen -n 100 >closes
	expect 3 hmasweep --slots 4 < <(frame -x load -s 4 closes)
	refused 2 'slot 4: there are 0 to 3 (see --slots)'
	expect 3 hmasweep --max-bars 99 < <(frame -x load -s 0 closes; echo_frame)
	says err 'slot 0 would hold 100 bars: the limit is 99 (see --max-bars)'
	expect 3 hmasweep --max-bars 199 < <(frame -x load -s 0 closes; frame -x append -s 0 closes)
	refused 2 'slot 0 would hold 200 bars: the limit is 199 (see --max-bars)'
	expect 3 hmasweep --max-live 100 < <(head_of 61 5 0 1; le32 0xffffffff; le64 9 9 9 9 9 9)
	says err 'exceeds 100 (see --max-live)'
	expect 3 hmasweep < <(head_of 61 5 0 1; le32 0xffffffff; le64 0x7fffffffffffffff 9 9 9 9 9)
	refused 2 'live state for such windows exceeds 67108864 bytes (see --max-live)'
	expect 3 hmasweep < <(head_of 17 6 1 0; printf ABCDEFGH)
	refused 2 'tick before open'
}
