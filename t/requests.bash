# For the tests of frame: five closes, and an independent writer of requests.
# shellcheck shell=bash
setup() {
	needs python3
	printf '%s\n' 1.5 2.25 0.001 123456.789 7 >five.txt
	FIVE=(1.5 2.25 0.001 123456.789 7)
	request echo "${FIVE[@]}" >five.frame
	tail -c 40 five.frame >five.raw
}

# request OP WORD...: the wanted bytes.
request() {
	python3 "$ROOT/t/request.py" "$@"
}

# made OP WORD... : what frame just wrote is this request.
made() {
	request "$@" >want
	same want out
	empty err
}
