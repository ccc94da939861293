#!/usr/bin/env bats
# The manual pages say what the tools do: every option, the same synopsis as
# --help, the same statuses, and examples that run as they stand.

load lib

setup() {
	needs mandoc
}

@test "every tool has a page, every page of section 1 a tool" {
	for x in "$ROOT"/cmd/*.c; do
		x=$(basename "$x" .c)
		[ ! -x "$B/$x" ] || echo "$x"
	done | sort >tools
	for x in "$ROOT"/man/*.1; do
		basename "$x" .1
	done | sort >pages
	same tools pages
}

@test "options: --help, page and program agree" {
	cd "$ROOT"
	for page in man/*.1; do
		t/man-options "$B/$(basename "$page" .1)" "$page"
	done >"$BATS_TEST_TMPDIR/out"
	empty "$BATS_TEST_TMPDIR/out"
}

@test "SYNOPSIS is what --help begins with" {
	for page in "$ROOT"/man/*.1; do
		tool=$(basename "$page" .1)
		mandoc -T ascii -O width=900 "$page" | sed 's/.\x08//g' |
			awk '/^[A-Z]/ { on = /^SYNOPSIS/; next } on' | sed 's/ \.\.\./.../g' | tr ' A-Z' '\na-z' |
			grep -v '^$' >"$tool.page"
		"$tool" --help | sed '1s/^usage://; /^ *$/,$d; 2,${/^[^ ]/,$d}' | sed 's/ \.\.\./.../g' | tr ' A-Z' '\na-z' |
			grep -v '^$' >"$tool.help"
		same "$tool.page" "$tool.help"
	done
}

@test "each page has the sections a reader looks for" {
	for page in "$ROOT"/man/*.1; do
		for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
			grep -qE "^\.Sh \"?$section\"?\$" "$page" || echo "$page: no $section"
		done
	done >out
	empty out
}

@test "--version names the tool, its family and the version" {
	version=$(sed -n 's/^VERSION = //p' "$ROOT/Makefile")
	for page in "$ROOT"/man/*.1; do
		tool=$(basename "$page" .1)
		expect 0 "$tool" --version
		echo "$tool (ipctax) $version" >want
		same want out
		empty err
	done
}

@test "pages point to pages that are there" {
	grep -ohE '^\.Xr [^ ]+ [157]' "$ROOT"/man/*.[157] | sort -u | while read -r _ name section; do
		case $name in
		ipctax | ipctax-frame | gbmgen | frame | hmasweep | unframe | echoload | ipcprobe)
			[ -e "$ROOT/man/$name.$section" ] || echo "no $name.$section" ;;
		esac
	done >out
	empty out
}

@test "examples of gbmgen(1) run as they stand" {
	[ -e "$ROOT/man/gbmgen.1" ] || skip 'no gbmgen.1 yet'
	mkdir run && cd run
	"$ROOT/t/man-examples" "$ROOT/man/gbmgen.1"
}

@test "examples of frame(1) run as they stand" {
	[ -e "$ROOT/man/frame.1" ] || skip 'no frame.1 yet'
	mkdir run && cd run
	"$ROOT/t/man-examples" "$ROOT/man/frame.1"
}

@test "examples of hmasweep(1) run as they stand" {
	[ -e "$ROOT/man/hmasweep.1" ] || skip 'no hmasweep.1 yet'
	mkdir run && cd run
	"$ROOT/t/man-examples" "$ROOT/man/hmasweep.1"
}

@test "examples of unframe(1) run as they stand" {
	[ -e "$ROOT/man/unframe.1" ] || skip 'no unframe.1 yet'
	mkdir run && cd run
	"$ROOT/t/man-examples" "$ROOT/man/unframe.1"
}

@test "examples of echoload(1) run as they stand" {
	[ -e "$ROOT/man/echoload.1" ] || skip 'no echoload.1 yet'
	mkdir run && cd run
	"$ROOT/t/man-examples" "$ROOT/man/echoload.1"
}

@test "examples of ipcprobe(1) run as they stand" {
	[ -e "$ROOT/man/ipcprobe.1" ] || skip 'no ipcprobe.1 yet'
	mkdir run && cd run
	"$ROOT/t/man-examples" "$ROOT/man/ipcprobe.1"
}

@test "examples of ipctax(7) run as they stand, and give these bytes" {
	mkdir run && cd run
	"$ROOT/t/man-examples" "$ROOT/man/ipctax.7"
}

@test "examples of ipctax-frame(5) run as they stand, and give these bytes" {
	mkdir run && cd run
	"$ROOT/t/man-examples" "$ROOT/man/ipctax-frame.5"
}
