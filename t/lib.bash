# Loaded by every test: `load lib`. The tools under test come first on the path;
# B names another build tree (an instrumented one).
# shellcheck shell=bash
ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
B=${B:-$ROOT/build}
PATH=$B:$PATH
export LC_ALL=C
cd "${BATS_TEST_TMPDIR:-${BATS_FILE_TMPDIR:?bats 1.4 or later is needed}}" || exit 1

# expect STATUS COMMAND...: runs it with stdout in ./out and stderr in ./err; the
# status must be STATUS, and both are shown when it is not.
expect() {
	local want=$1 got=0
	shift
	"$@" >out 2>err || got=$?
	[ "$got" -eq "$want" ] && return 0
	printf '%s\nstatus %s, wanted %s\n-- stdout\n' "$*" "$got" "$want"
	head -c 2000 out
	printf -- '-- stderr\n'
	head -c 2000 err
	return 1
}

# same WANTED GOT: two files with the same bytes, or a diff.
same() {
	cmp -s "$1" "$2" && return 0
	diff -u --text "$1" "$2" | head -40 | cat -v
	return 1
}

# says FILE TEXT: FILE has a line with TEXT in it, as it stands.
says() {
	grep -qF -- "$2" "$1" && return 0
	printf 'no "%s" in %s:\n' "$2" "$1"
	head -c 2000 "$1"
	return 1
}

# lacks FILE TEXT: no line of FILE has TEXT in it.
lacks() {
	grep -nF -- "$2" "$1" || return 0
	printf 'and %s should have no "%s"\n' "$1" "$2"
	return 1
}

# empty FILE: nothing was said.
empty() {
	[ ! -s "$1" ] && return 0
	printf '%s is not empty:\n' "$1"
	head -c 2000 "$1"
	return 1
}

# sha FILE: its SHA-256, the hex alone.
sha() {
	sha256sum "$1" | cut -d' ' -f1
}

# needs COMMAND...: skips the test aloud where one is missing.
needs() {
	local x
	for x; do
		command -v "$x" >/dev/null || skip "$x is not installed"
	done
}
