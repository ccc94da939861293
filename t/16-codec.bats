#!/usr/bin/env bats
# JSON, CSV, npy and the tagged codec: exact values, refusals, positions.
load lib

C=$B/t/codec

# refuses KIND TEXT MESSAGE: the text is bad input, and the message says just so.
refuses() {
	printf '%b' "$2" >in
	expect 3 "$C" read "$1" <in
	printf '%s\n' "$3" >wanted
	same wanted err
}

# reads KIND TEXT VALUE...: the text is these closes (shortest decimals).
reads() {
	local kind=$1 text=$2
	shift 2
	printf '%b' "$text" >in
	expect 0 "$C" read "$kind" ${POLICY:+"$POLICY"} <in
	"$C" write csv <out >got
	printf '%s\n' "$@" >wanted
	[ $# -gt 0 ] || : >wanted
	same wanted got
}

@test "json: an array of numbers" {
	reads json '[1,2.5,3e0]' 1.0 2.5 3.0
	reads json ' [ 1 ,\n\t2 ]\r\n' 1.0 2.0
	reads json '[]'
	reads json '[1e-323, 2.2250738585072013e-308]' 1e-323 2.2250738585072014e-308
	reads json '[9.223372036854775807e18,18446744073709551616]' 9.223372036854776e18 \
		1.8446744073709552e19
}

@test "json: objects with close, an object of arrays, pandas' object of objects" {
	reads json '[{"t":1,"close":5},{"x":[{"close":9}],"Close":6.5,"y":null}]' 5.0 6.5
	reads json '{"t":[1,2],"close":[7,8],"v":{"a":null}}' 7.0 8.0
	reads json '{"CLOSES":[7]}' 7.0
	reads json '{"cl\\u006fse":[7]}' 7.0
	reads json '{"open":{"0":3},"close":{"0":1,"1":2}}' 1.0 2.0
	reads json '{"op":"sweep","closes":[1,2],"sets":[[1,1,1,1,1,1]]}' 1.0 2.0
	refuses json '{"close":[1],"Close":[2]}' \
		'in: line 1 column 14: the object has a second close'
	refuses json '[{"close":1},{"open":1}]' 'in: line 1 column 23: the object has no "close": --column NAME says which member'
	refuses json '{"a":1}' 'in: line 1 column 7: the object has no "close": --column NAME says which member'
	refuses json '{"close":1}\n{"close":2}' \
		'in: line 1 column 10: a number where the array of closes is meant (an object a line? jq -s . makes an array)'
	refuses json '["1.5"]' \
		"in: line 1 column 2: a string where a close is meant (jq's tonumber makes numbers of strings)"
	refuses json '[1,{"close":2}]' 'in: line 1 column 4: an object where a close is meant'
	refuses json '[{"close":2},3]' "in: line 1 column 14: a number where a bar's object is meant"
	refuses json '7' 'in: line 1 column 1: a number where an array or an object of closes is meant'
}

@test "json: what RFC 8259 does not allow is refused, with line, column and text" {
	refuses json '[1,]' "in: line 1 column 4: ']' where a value is meant"
	refuses json '[1 2]' "in: line 1 column 4: '2' where a comma or ] is meant"
	refuses json '[1,\n  2,\n  NaN]' \
		"in: line 3 column 3: 'NaN' where a value is meant: JSON has no such number, write null"
	refuses json '[-Infinity]' \
		"in: line 1 column 2: '-Infinity' where a number is meant (no + before it, no 0 before its digits, digits on both sides of a point)"
	for bad in 01 1. -.5 - 1e 1e+ -01 1.e5; do
		refuses json "[$bad]" \
			"in: line 1 column 2: '$bad' where a number is meant (no + before it, no 0 before its digits, digits on both sides of a point)"
	done
	for bad in +1 .5 nul True "'1'" /; do
		refuses json "[$bad]" "in: line 1 column 2: '$bad' where a value is meant"
	done
	refuses json '[1e400]' "in: line 1 column 2: '1e400' where a number below 1.8e308 is meant"
	refuses json '[1]x' "in: line 1 column 4: 'x' where the text should end"
	refuses json '[1' 'in: line 1 column 3: the text ends where a comma or ] is meant: is it cut short?'
	refuses json '' 'in: line 1 column 1: the text ends where a value is meant: is it cut short?'
	refuses json '{"a" 1}' "in: line 1 column 6: '1' where a colon is meant"
	refuses json '{a:1}' "in: line 1 column 2: 'a:1' where a key in double quotes is meant"
	refuses json '{"a":1,}' "in: line 1 column 8: '}' where a key in double quotes is meant"
	refuses json '[1}' "in: line 1 column 3: '}' where a comma or ] is meant"
	refuses json '[1,//x\n2]' "in: line 1 column 4: '//x' where a value is meant"
	refuses json '\0357\0273\0277[1]' "in: line 1 column 1: '\\xef\\xbb\\xbf[1' where a value is meant"
}

@test "json: strings are UTF-8 with valid escapes" {
	printf '["\\u00e9\\uD83D\\uDE00 \\"\\\\\\/\\b\\n", "é😀"]' >in
	expect 0 "$C" tokens <in
	printf '1:1 an array\n1:2 a string 12 é😀 "\\/\b\n\n1:35 a string 6 é😀\n' >wanted
	printf "1:%d the array's end\n" 43 >>wanted
	same wanted out
	for bad in '\\x' '\\u12' '\\uD800' '\\uDC00' '\\uD800\\u0041' 'a\tb' '\0300\0200' '\0355\0240\0200' '\0364\0220\0200\0200' '\0377' 'open'; do
		printf '["%b"]' "$bad" >in
		[ "$bad" != open ] || printf '["open' >in
		expect 3 "$C" tokens <in
		says err 'in: line 1 column '
	done
}

@test "json: 100,000 arrays deep are refused at the limit" {
	head -c 100000 /dev/zero | tr '\0' '[' >in
	expect 3 "$C" read json <in
	says err 'in: line 1 column 2: an array where a close is meant'
	expect 3 "$C" tokens <in
	says err 'in: line 1 column 65: nested deeper than 64'
	printf '{"x":' >deep
	cat in >>deep
	expect 3 "$C" read json <deep
	says err 'in: line 1 column 69: nested deeper than 64'
}

@test "null, zero and negative closes go to the judge, with their place" {
	expect 0 "$B/t/close_odd"
	refuses json '[1,\nnull]' "in: line 2 column 1: 'null' (value 2): a close is a number, and finite"
	refuses json '[1,-0]' "in: line 1 column 4: '-0' (value 2): a close is above 0"
	refuses json '[{"close":1},{"close":-2}]' "in: line 1 column 23: '-2' (value 2): a close is above 0"
	POLICY=drop reads json '[null,1,null,null,2,3,null]' 1.0 2.0 3.0
	POLICY=ffill reads json '[1,null,2,null]' 1.0 1.0 2.0 2.0
	POLICY=ffill reads json '[{"close":1},{"close":null}]' 1.0 1.0
	POLICY=keep reads json '[1,-0,null,-2,3]' 1.0 -0.0 nan -2.0 3.0
	POLICY=ffill refuses json '[1,2,0]' "in: line 1 column 6: '0' (value 3): a close is above 0"
	refuses csv '1\n\n2\n' "in: line 2 column 1: '' (value 2): a close is a number, and finite"
	refuses csv 'close\n1\n-Inf\n' \
		"in: line 3 column 1: '-Inf' (value 2): a close is a number, and finite"
	POLICY=drop reads csv 'close\r\n1\r\n\r\nNaN\r\n2\r\n' 1.0 2.0
	POLICY=keep reads csv '-1\ninf\nnan' -1.0 inf nan
}

@test "csv: one number a line, header or not, LF or CRLF, last line break or not" {
	reads csv 'close\n1\n2.5' 1.0 2.5
	reads csv '1\r\n2.5\r\n' 1.0 2.5
	reads csv '0.1' 0.1
	reads csv 'close\n'
	reads csv 'close'
	reads csv ''
	refuses csv '1\n2,5\n' "in: line 2 column 2: '2,5' where one number a line is meant"
	refuses csv 'price\n1\n' "in: line 1 column 1: 'price' where one number a line is meant"
	refuses csv '1 \n' "in: line 1 column 2: '1 ' where one number a line is meant"
	refuses csv '1e999\n' "in: line 1 column 1: '1e999' is above the largest binary64"
}

@test "what is written reads back, in every format" {
	"$B/gbmgen" -n 5000 >raw
	for kind in json csv npy tagged; do
		"$C" write $kind <raw >text
		expect 0 "$C" read $kind <text
		same raw out
	done
	"$C" write csv <raw | sed 1q >got
	printf '%s\n' 100.02438033790177 >wanted
	same wanted got
}

@test "NaN and infinities are null in JSON" {
	printf '\0\0\0\0\0\0\370\177\0\0\0\0\0\0\360\377\0\0\0\0\0\0\360\077' | "$C" write json >got
	echo '[null,null,1.0]' >wanted
	same wanted got
}

@test "npy: numpy.save's own bytes, and its versions and types" {
	needs /usr/bin/python3
	/usr/bin/python3 -c 'import numpy' 2>/dev/null || skip "numpy is not installed"
	"$B/gbmgen" -n 1000 >raw
	/usr/bin/python3 - <<-'EOF'
	import io, numpy as np
	from numpy.lib import format as f
	a = np.fromfile("raw")
	np.save("plain.npy", a)
	np.save("empty.npy", a[:0])
	np.save("big.npy", a.astype(">f8"))
	np.save("f4.npy", a.astype("<f4"))
	a.astype("<f4").astype("<f8").tofile("f4.raw")
	np.save("column.npy", a.reshape(-1, 1))
	np.save("fortran.npy", np.asfortranarray(a.reshape(1, -1)))
	for v in (2, 3):
	    with open("v%d.npy" % v, "wb") as o:
	        f.write_array(o, a, version=(v, 0))
	t = np.zeros(500, dtype=[("set", "<i8"), ("pnl", "<f8")])
	t["set"] = a.view("<i8")[::2]
	t["pnl"] = a[1::2]
	np.save("table.npy", t)
	np.save("i8.npy", np.arange(3))
	np.save("two.npy", np.zeros((2, 3)))
	np.save("object.npy", np.array([1.0, None], dtype=object), allow_pickle=True)
	np.save("scalar.npy", np.float64(1))
	EOF
	"$C" write npy <raw >got
	same plain.npy got
	"$C" write npy </dev/null >got
	same empty.npy got
	"$C" write npy-table <raw >got
	same table.npy got
	for x in plain big column fortran v2 v3; do
		expect 0 "$C" read npy <$x.npy
		same raw out
	done
	expect 0 "$C" read npy <f4.npy
	same f4.raw out
	expect 3 "$C" read npy <i8.npy
	says err "in: npy header: type '<i8' is none of <f8 >f8 <f4: save a.astype('<f8')"
	expect 3 "$C" read npy <two.npy
	says err 'in: npy header: several dimensions: save the one column, np.save(f, a[:, 3])'
	expect 3 "$C" read npy <object.npy
	says err "in: npy header: an object array, which is a pickle: save a.astype('<f8')"
	expect 3 "$C" read npy <scalar.npy
	says err 'in: npy header: a single number without dimension: save np.array([x])'
	expect 3 "$C" read npy <table.npy
	says err "in: npy header: a structured array: save the one column, np.save(f, a['close'])"
	head -c 1000 plain.npy >cut.npy
	expect 3 "$C" read npy <cut.npy
	says err 'in: 872 bytes of data where 1000 elements of 8 bytes are announced: is it cut short?'
}

# npy_of DICT: a version 1 file with this header, no data.
npy_of() {
	local length
	length=$(printf '%03o' ${#1})
	printf '\223NUMPY\1\0%b\0%s' "\\0$length" "$1" >in
}

@test "npy: hostile headers" {
	npy_of "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }"
	expect 0 "$C" read npy <in
	for bad in "{'descr': '<f8', 'fortran_order': False}" \
		"{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551616,)}" \
		"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807,)}" \
		"{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,)}" \
		"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}" \
		"{'descr': '<f8', 'descr': '<f8', 'shape': (0,)}" \
		"{'descr': '<f8', 'fortran_order': False, 'shape': (0,), 'x': 1}" \
		"{'descr': '<f8', 'fortran_order': 0, 'shape': (0,)}" \
		"{'descr': '<f8', 'fortran_order': False, 'shape': (0" \
		"{'descr': '<f8" "" "{" "[]"; do
		npy_of "$bad"
		expect 3 "$C" read npy <in
		says err 'in: '
	done
	printf '\223NUMPY\2\0\377\377\377\377' >in
	expect 3 "$C" read npy <in
	says err 'in: npy header: 4294967295 bytes of it, 65536 at most'
	printf '\223NUMPY\4\0\0\0\0\0' >in
	expect 3 "$C" read npy <in
	says err 'version 4.0 is unknown'
}

@test "tagged: types, counts and ends are checked" {
	printf '\4\1\0\0\0\2\0\0\0\0\0\0\360\77' >in
	expect 0 "$C" read tagged <in
	[ "$(stat -c %s out)" = 8 ]
	for bad in '\04\02\00\00\00\02\00\00\00\00\00\00\0360\077' '\04\01\00\00\00\02\00\00\00' '\04\01\00\00\00\01\00\00\00\00\00\00\0360\077' \
		'\04\00\00\00\00x' '\02\00\00\00\00\00\00\00\00' '\011' '' '\04\0377\0377\0377\0377'; do
		printf '%b' "$bad" >in
		expect 3 "$C" read tagged <in
		says err 'in: byte '
	done
}

@test "requests: the line and its arrays, there and back" {
	echo '{"op":"sweep","closes":[1.5,2.0,0.1],"sets":[[1,2,3,4,5,6],[9223372036854775807,1,1,1,1,1]]}' >line
	expect 0 "$C" request <line
	cp out body
	expect 0 "$C" request-write <body
	same line out
	echo ' {"sets" : [ ] , "closes":[ ], "\u006fp":"\u0073weep" } ' >in
	expect 0 "$C" request <in
	printf '\11\0\0\0\0\0\0\0\0\0\0\0\0' >wanted
	same wanted out
}

# denies CODE LINE MESSAGE
denies() {
	printf '%s' "$2" >in
	expect 3 "$C" request <in
	[ "$(cat out)" = "$1" ] || { echo "code $(cat out), wanted $1"; return 1; }
	printf '%s\n' "$3" >wanted
	same wanted err
}

@test "requests: what is refused, and by which code" {
	denies 1 'x' "request: line 1 column 1: 'x' where a value is meant"
	denies 1 '[]' "request: line 1 column 1: an array where a request's object is meant"
	denies 1 '{"op":"sweep","closes":[1]}' 'request: line 1 column 27: a request has op, closes and sets'
	denies 1 '{"op":"sweep","op":"sweep"}' 'request: line 1 column 15: the member stands twice'
	denies 1 '{"fee":1}' 'request: line 1 column 2: unknown member (op, closes, sets)'
	denies 1 '{"op":1}' 'request: line 1 column 7: a number where the name of an op is meant'
	denies 7 '{"op":"tick"}' 'request: line 1 column 7: only the op "sweep" is served as JSON'
	denies 1 '{"closes":["1"]}' 'request: line 1 column 12: a string where a close is meant'
	denies 2 '{"closes":[1,null]}' 'request: line 1 column 14: null where a close is meant: closes are finite'
	denies 1 '{"closes":[1,1e999]}' "request: line 1 column 14: '1e999' where a number below 1.8e308 is meant"
	denies 1 '{"sets":[1]}' 'request: line 1 column 10: a number where a set (six windows in brackets) is meant'
	denies 1 '{"sets":[[1,1,1]]}' "request: line 1 column 16: the array's end where a window (six a set) is meant"
	denies 1 '{"sets":[[1,1,1,1,1,1,1]]}' \
		'request: line 1 column 23: a number where the end of the set (six windows each) is meant'
	denies 1 '{"sets":[[1.0,1,1,1,1,1]]}' 'request: line 1 column 11: a window is a whole number below 2^63'
	denies 1 '{"sets":[[9223372036854775808,1,1,1,1,1]]}' \
		'request: line 1 column 11: a window is a whole number below 2^63'
	denies 2 '{"sets":[[1,0,1,1,1,1]]}' 'request: line 1 column 13: window 0: windows are at least 1'
	denies 1 '{"op":"sweep","closes":[1],"sets":[]} x' "request: line 1 column 39: 'x' where the text should end"
}

@test "replies: there and back; what is not finite is refused or null" {
	printf '\0\0\0\0\0\0\360\77\0\0\0\0\0\0\0\300\7\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377' >body
	expect 0 "$C" reply-write <body
	echo '{"pnl":[1.0,-2.0],"trades":[7,-1]}' >wanted
	same wanted out
	cp out line
	expect 0 "$C" reply <line
	same body out
	printf '\0\0\0\0\0\0\370\177\0\0\0\0\0\0\0\300\7\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0' >nan
	expect 3 "$C" reply-write <nan
	says err 'set 1: the pnl is not finite and JSON has no such number (--nan null writes null)'
	empty out
	expect 0 "$C" reply-write null <nan
	echo '{"pnl":[null,-2.0],"trades":[7,1]}' >wanted
	same wanted out
	cp out line
	expect 0 "$C" reply <line
	same nan out
	echo '{"error":{"code":4,"message":"slot 3\u0007 is empty"}}' >line
	expect 1 "$C" reply <line
	says err 'reply: error 4: slot 3\x07 is empty'
	for bad in '{}' '{"pnl":[1]}' '{"pnl":[1],"trades":[1,2]}' '{"pnl":[1],"trades":[1.5]}' '[]' '{"pnl":[1],"pnl":[1]}' \
		'{"pnl":["x"],"trades":[1]}' '{"x":1}' '{"error":3}' '{"error":{"code":"x"}}'; do
		echo "$bad" >line
		expect 3 "$C" reply <line
		says err 'reply: line '
	done
}

@test "every prefix of a text is read without a byte beyond it" {
	printf '[1.25, 22.5e1 ,3]' >in
	expect 0 "$C" cut json <in
	says out '1 of 18'
	printf '[{"close":1.5,"x":"\\u00e9"},{"close":2}]' >in
	expect 0 "$C" cut json <in
	says out '1 of 41'
	printf '{"t":[1],"close":{"0":1.5}}' >in
	expect 0 "$C" cut json <in
	says out '1 of 28'
	printf '{"op":"sweep","closes":[1.5,2],"sets":[[1,1,1,1,1,1]]}' >in
	expect 0 "$C" cut request <in
	says out '1 of 55'
	printf '{"pnl":[1.5,null],"trades":[1,2]}' >in
	expect 0 "$C" cut reply <in
	says out '1 of 34'
	"$B/gbmgen" -n 3 >raw
	for kind in npy tagged; do
		"$C" write $kind <raw >in
		expect 0 "$C" cut $kind <in
		says out "1 of $(($(stat -c %s in) + 1))"
	done
	"$C" write csv <raw >in
	expect 0 "$C" cut csv <in
}
