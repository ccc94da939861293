#!/usr/bin/env bats
# Price files as users have them: each layout and each refusal is a file, listed with its
# options and what must come of it; any cut of any file ends well.

load lib

GOOD=$ROOT/t/golden/series BAD=$ROOT/t/bad/series

setup_file() {
	needs python3
	mkdir "$BATS_FILE_TMPDIR/want"
	python3 "$BATS_TEST_DIRNAME/wanted.py" "$BATS_TEST_DIRNAME/golden/series/list.tsv" \
		"$BATS_FILE_TMPDIR/want"
}

setup() {
	needs python3
}

# each DIR FUNCTION: calls it with file, options (a word each) and the last column.
each() {
	local file options last
	while IFS=$'\t' read -r file options last; do
		[[ $file = '#'* ]] && continue
		[ "$options" = - ] && options=
		[ "$last" = - ] && last=
		# shellcheck disable=SC2086 # words
		"$2" "$file" "$last" $options
	done <"$1/list.tsv"
}

# wanted CLOSES: the echo request of them.
wanted() {
	# shellcheck disable=SC2086 # words
	python3 "$ROOT/t/request.py" echo $1 >want
}

layout() {
	local file=$1
	shift 2
	expect 0 frame -x echo "$@" "$GOOD/$file"
	empty err
	same "$BATS_FILE_TMPDIR/want/$file" out
}

piped() {
	local file=$1
	shift 2
	expect 0 frame -x echo "$@" < <(cat "$GOOD/$file")
	same "$BATS_FILE_TMPDIR/want/$file" out
	expect 0 frame -x echo "$@" <"$GOOD/$file"
	same "$BATS_FILE_TMPDIR/want/$file" out
}

# One byte a read, as a slow peer sends them.
dripped() {
	local file=$1
	shift 2
	expect 0 frame -x echo "$@" < <(dd if="$GOOD/$file" bs=1 status=none)
	same "$BATS_FILE_TMPDIR/want/$file" out
}

refusal() {
	local file=$1 message=$2
	shift 2
	expect 3 frame -x echo "$@" "$BAD/$file"
	empty out
	says err "frame: $BAD/$file: $message"
	[ "$(wc -l <err)" -eq 1 ]
	[ -z "$(tr -d '\n -~' <err)" ] # nothing foreign reaches the terminal
	expect 3 frame -x echo "$@" -o kept "$BAD/$file"
	[ ! -e kept ]
	expect 3 frame -x echo "$@" < <(cat "$BAD/$file")
	says err 'frame: <stdin>: '
}

@test "each layout, to the bit" {
	each "$GOOD" layout
}

@test "each layout through a pipe, and on stdin" {
	each "$GOOD" piped
}

@test "each layout a byte at a time" {
	each "$GOOD" dripped
}

@test "each refusal: file, line, column, text, and the option that would accept it" {
	each "$BAD" refusal
}

@test "every file of the lists is there, and every file is listed" {
	for dir in "$GOOD" "$BAD"; do
		grep -v '^#' "$dir/list.tsv" | cut -f1 | sort -u >listed
		find "$dir" -type f ! -name list.tsv -printf '%f\n' | sort >there
		same listed there
	done
}

@test "any beginning of any file is a series, or one line that says why not" {
	needs "$B/t/series_cut"
	for dir in "$GOOD" "$BAD"; do
		expect 0 "$B/t/series_cut" "$dir/list.tsv" "$dir"
		[ "$(cat out)" -gt 10000 ]
	done
}

@test "the presets are those that --help lists" {
	for p in binance kraken mt4 mt5 stooq histdata investing cdd yfinance databento; do
		frame --help >help
		says help $p
		expect 0 frame -x echo --preset $p <<<''
		grep -q -- "--preset $p" "$GOOD/list.tsv" || [ $p = none ]
	done
}

@test "a preset gives way to options" {
	printf '1577836800;10,5;12,5;9;11\n' >x
	expect 0 frame -x echo --preset kraken --delimiter ';' --decimal , --column 5 x || true
	says err '5 columns where files of kraken have 7'
	printf '1577836800,1,2,3,4,5,6\n' >x
	expect 0 frame -x echo --preset kraken --column 3 x
	wanted 2
	same want out
}

@test "formats are found, and -i overrides" {
	printf '12345678' >eight
	expect 0 frame -x echo eight
	wanted 12345678
	same want out
	expect 0 frame -x echo -i raw eight
	[ "$(wc -c <out)" -eq 21 ]
	[ "$(tail -c 8 out)" = 12345678 ]
	expect 3 frame -x echo -i npy eight
	expect 3 frame -x echo -i json eight
	says err 'eight'
	expect 0 frame -x echo -i csv "$GOOD/numbers.txt"
	expect 0 frame -x echo -i npy "$GOOD/v1.npy"
	expect 0 frame -x echo -i json "$GOOD/array.json"
	expect 3 frame -x echo -i csv "$GOOD/four.raw"
	: >none
	wanted ''
	for i in '' '-i raw' '-i csv'; do
		# shellcheck disable=SC2086 # words
		expect 0 frame -x echo $i none
		same want out
	done
}

@test "a scale that is a power of ten moves the point, exactly" {
	python3 - <<'END' >x
for i in range(1, 2000):
    print(i * 1000003 % 10**10 + 1)
END
	for scale in 1e-9 0.01 100; do
		expect 0 frame -x echo --scale $scale x
		python3 - $scale <<'END' >want
import fractions, struct, sys
s = fractions.Fraction(sys.argv[1])
x = [float(int(l) * s) for l in open("x")]
body = struct.pack("<BII", 1, len(x), 0) + struct.pack("<%dd" % len(x), *x)
sys.stdout.buffer.write(struct.pack("<I", len(body)) + body)
END
		same want out
		# The same numbers in binary, and any other scale is one product.
		frame -x echo x | tail -c +14 >x.raw
		expect 0 frame -x echo --scale $scale x.raw
		same want out
	done
}

@test "numbers are rounded correctly, however long" {
	printf '%s\n' 9007199254740993 9007199254740993.0000000000000000000000001 5e-324 \
		2.4703282292062328e-324 1.7976931348623157e308 0.1 1e23 8.41 >x
	expect 0 frame -x echo x
	wanted '9007199254740993 9007199254740993.0000000000000000000000001 5e-324 2.4703282292062328e-324 1.7976931348623157e308 0.1 1e23 8.41'
	same want out
}

@test "--reverse turns every format round" {
	wanted '123456.789 0.001 2.25 1.5'
	for f in four.raw v1.npy f4.npy; do
		expect 0 frame -x echo --reverse "$GOOD/$f"
		[ $f = f4.npy ] || same want out
	done
	expect 0 frame -x echo --reverse -i frame "$GOOD/sweep.frame"
	same want out
	wanted '3 2.25 1.5'
	expect 0 frame -x echo --reverse "$GOOD/array.json"
	same want out
	wanted '1403.45 1402.11 1399.42 1455.22'
	expect 0 frame -x echo --reverse "$GOOD/numbers.txt"
	same want out
}

@test "missing values in binary files and JSON too" {
	wanted '1 1 1 1 2'
	python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("<5d", 1, float("nan"), float("inf"), float("-inf"), 2))' >x.raw
	expect 0 frame -x echo --missing ffill x.raw
	same want out
	expect 0 frame -x echo --missing ffill < <(cat x.raw)
	same want out
	wanted '1 2'
	expect 0 frame -x echo --missing drop x.raw
	same want out
	expect 0 frame -x echo --missing drop < <(cat x.raw)
	same want out
	expect 0 frame -x echo --missing drop <<<'[1, null, 2]'
	same want out
	expect 3 frame -x echo <<<'[1, null, 2]'
	says err "--missing drop leaves it out"
	expect 3 frame -x echo <<<'[1, -5]'
	says err '--allow-nonpositive keeps it'
}

@test "ten thousand columns, and a long line, are refused in one line" {
	printf '1%.0s,' {1..3000} >x
	expect 3 frame -x echo --column 1 x
	says err 'more than 1024 columns'
}

@test "the S&P 500 since 2000 gives the published row" {
	needs hmasweep
	f=${IPCTAX_DATA:-.}/sp500-2000.csv
	[ -e "$f" ] || skip 'no sp500-2000.csv: IPCTAX_DATA=DIR names its directory'
	frame "$f" | hmasweep >reply
	python3 - <<'END'
import struct
body = open("reply", "rb").read()[4:]
pnl, trades = struct.unpack("<d", body[:8])[0], struct.unpack("<q", body[640:648])[0]
print(pnl, trades)
assert abs(pnl + 401.086406) < 5e-7 and trades == 1993
END
}
