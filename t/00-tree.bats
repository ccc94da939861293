#!/usr/bin/env bats
# The tree itself: what make builds and when, install, and that lint bites.

load lib

# What the rules are about, copied to ./tree with the objects built, so that
# little is compiled again.
setup() {
	mkdir -p tree/build
	(cd "$ROOT" && find Makefile .clang-format .shellcheckrc README LICENSE cmd lib man t \
		examples .ci -type f 2>/dev/null | tar cf - -T -) | tar xf - -C tree
	(cd "$ROOT/build" && tar cf - flags cmd lib libipctax.a) | tar xf - -C tree/build
	for x in "$ROOT"/build/*; do
		[ ! -x "$x" ] || [ -d "$x" ] || cp -p "$x" tree/build/
	done
	unset B MAKEFLAGS MAKELEVEL
}

# lint_finds TEXT [CHECK...]: lint in ./tree ends with status 1 (make: 2) and says TEXT.
lint_finds() {
	local text=$1
	shift
	make -s -C tree || return 1
	if [ $# -gt 0 ]; then
		(cd tree && t/lint "$@") >out 2>&1
	else
		make -s -C tree lint >out 2>&1
	fi && { echo "lint found nothing"; return 1; }
	says out "$text"
}

# times: every object and program built, with the time of its making.
times() {
	find tree/build -type f \( -name '*.o' -o -perm -100 \) -printf '%p %T@\n' | sort
}

@test "make is silent, and a second make does nothing" {
	expect 0 make -C tree --no-print-directory
	empty out
	empty err
	times >before
	expect 0 make -C tree --no-print-directory
	empty out
	times >after
	same before after
}

@test "V=1 shows the commands" {
	touch tree/cmd/tool.c
	expect 0 make -C tree V=1 build/cmd/tool.o
	says out 'cmd/tool.c'
}

@test "a header's change builds again what includes it, and nothing else" {
	make -s -C tree
	times >before
	touch tree/lib/clock.h
	expect 0 make -C tree build/lib/clock.o build/lib/err.o
	times >after
	comm -13 before after | cut -d' ' -f1 >built
	echo tree/build/lib/clock.o >want
	same want built
}

@test "another CFLAGS or CC builds again" {
	times >before
	expect 0 make -C tree CFLAGS=-O1 build/lib/err.o
	times >other
	comm -13 before other | cut -d' ' -f1 >built
	says built err.o
	needs clang
	expect 0 make -C tree CFLAGS=-O1 CC=clang build/lib/err.o
	times >after
	comm -13 other after | cut -d' ' -f1 >built
	says built err.o
}

@test "SAN builds a tree of its own" {
	expect 0 make -C tree SAN=address,undefined build/san-address-undefined/lib/err.o
	nm tree/build/san-address-undefined/lib/err.o >names
	says names __asan
	nm tree/build/lib/err.o >names
	lacks names __asan
}

@test "install puts tools and pages in place, uninstall leaves nothing" {
	expect 0 make -C tree --no-print-directory install DESTDIR="$PWD/stage" PREFIX=/opt/ipctax
	empty out
	(cd stage && find . -type f | sort) >got
	{
		for x in tree/cmd/*.c; do
			x=$(basename "$x" .c)
			[ -x "tree/build/$x" ] && echo "./opt/ipctax/bin/$x"
		done
		for x in tree/man/*.[157]; do
			[ -e "$x" ] && echo "./opt/ipctax/share/man/man${x##*.}/$(basename "$x")"
		done
	} | sort >want
	same want got
	for x in stage/opt/ipctax/bin/*; do
		[ ! -e "$x" ] || "$x" --version >version
	done
	expect 0 make -C tree --no-print-directory uninstall DESTDIR="$PWD/stage" PREFIX=/opt/ipctax
	find stage -mindepth 1 >left
	empty left
}

@test "uninstall keeps what others put there" {
	expect 0 make -C tree install DESTDIR="$PWD/stage"
	touch stage/usr/local/bin/other
	expect 0 make -C tree uninstall DESTDIR="$PWD/stage"
	find stage -type f >left
	echo stage/usr/local/bin/other >want
	same want left
}

@test "lint finds nothing here" {
	needs clang-format mandoc shellcheck
	expect 0 make -C tree --no-print-directory lint
	empty out
}

@test "lint: a library that prints" {
	printf '%s\n' '#include <stdio.h>' 'void chatter(void);' 'void chatter(void)' '{' \
		'	printf("%d\n", 1);' '}' >>tree/lib/err.c
	lint_finds 'lib/err.c: calls'
}

@test "lint: a library that exits, or reads the environment" {
	printf '%s\n' '#include <stdlib.h>' 'void leave(void);' 'void leave(void)' '{' \
		'	exit(getenv("X") != 0);' '}' >>tree/lib/err.c
	lint_finds 'lib/err.c: calls exit: a library never ends the process' symbols
	says out 'lib/err.c: calls getenv'
}

@test "lint: an include that points up" {
	sed -i '1i #include "lib/frame.h"' tree/lib/err.c
	lint_finds 'lib/err.c:1: includes lib/frame.h of layer 1 from layer 0'
}

@test "lint: an include across, into the kernel, or of another cmd" {
	echo '#include "lib/err.h"' >>tree/lib/hma.h
	echo '#include "cmd/tool.h"' >>tree/lib/mem.c
	echo '#include "cmd/other.h"' >>tree/cmd/tool.c
	echo '/* new */' >tree/lib/stranger.h
	(cd tree && t/lint layers) >out || :
	says out 'the kernel includes nothing but libc and hma*, not lib/err.h'
	says out 'lib includes cmd/tool.h'
	says out "a cmd includes another cmd's cmd/other.h"
	says out 'lib/stranger.h:1: stands in no layer'
}

@test "lint: a header that does not stand alone" {
	echo 'size_t orphan(uint8_t);' >tree/lib/rng_orphan.h
	lint_finds 'lib/rng_orphan.h:1' headers
}

@test "lint: a man page that lies about an option" {
	needs mandoc clang-format shellcheck
	[ -e tree/man/gbmgen.1 ] || skip 'no gbmgen.1 yet'
	sed -i '0,/^\.It Fl/s//.It Fl -wings\nFlies.\n&/' tree/man/gbmgen.1
	lint_finds 'man/gbmgen.1: lists --wings, which gbmgen --help does not'
	says out 'man/gbmgen.1: lists --wings, which gbmgen refuses'
}

@test "lint: a man page that keeps an option to itself" {
	[ -e tree/man/gbmgen.1 ] || skip 'no gbmgen.1 yet'
	sed -i 's/^\.It Fl -sigma.*/.It Cm x/' tree/man/gbmgen.1
	lint_finds 'man/gbmgen.1: no .It Fl for --sigma, which gbmgen takes' options
}

@test "lint: a wrong macro, a careless script, a long file, a mark" {
	needs mandoc shellcheck
	printf '.Dd November 30, 2026\n.Dt X 7\n.Os\n.Sh NAME\n.Nm x\n.Nd y\n.Xq z\n' >tree/man/x.7
	lint_finds 'unknown macro' manuals
	printf '#!/bin/sh\nrm %s/*\n' "\$1" >tree/examples/careless.sh
	lint_finds 'examples/careless.sh:2' shell
	seq -f '/* %.0f */' 400 >tree/lib/err_long.c
	echo '/* TO''DO */' >>tree/lib/err.h
	(cd tree && t/lint size words) >out || :
	says out 'lib/err_long.c:351: longer than 350 lines'
	says out 'lib/err.h'
}

@test "lint: a layout that clang-format would change" {
	needs clang-format
	echo 'typedef  int layout ;' >>tree/lib/err.c
	(cd tree && t/lint format) >out 2>&1 && false
	says out 'not as clang-format -i has it'
	says out 'lib/err.c:'
}

# bare NAME...: a path in ./bin with a few everyday tools, as a bare system has, and
# of the fetchers only those named, which note what they were asked in ./asked.
bare() {
	mkdir -p bin
	for x in sh bash env dirname nproc cat grep sed awk find sort xargs mktemp rm head tr; do
		ln -sf "$(command -v "$x")" bin/
	done
	printf '#!/bin/sh\necho %s\n' "${USER_ID:-0}" >bin/id
	for x; do
		printf '#!/bin/sh\necho "%s $*" >>%s/asked\n' "$x" "$PWD" >"bin/$x"
	done
	chmod +x bin/id ${1:+"${@/#/bin/}"}
}

@test "make test without bats: apt-get as root fetches it" {
	bare apt-get
	printf 'printf "#!/bin/sh\\necho got \\$*\\n" >%s/bin/bats; chmod +x %s/bin/bats\n' \
		"$PWD" "$PWD" >>bin/apt-get
	ln -s "$(command -v chmod)" bin/
	JOBS=1 PATH=$PWD/bin expect 0 tree/t/run one.bats
	says asked 'apt-get install -y bats'
	says out 'got --tap one.bats'
}

@test "make test without bats, not root: npx brings it" {
	USER_ID=1000 bare apt-get npx
	JOBS=1 PATH=$PWD/bin expect 0 tree/t/run one.bats
	echo 'npx --yes bats --tap one.bats' >want
	same want asked
}

@test "make test without bats or a way to it: one line that tells what to install, status 2" {
	USER_ID=1000 bare
	JOBS=1 PATH=$PWD/bin expect 2 tree/t/run one.bats
	says err 'bats is missing: install it'
	[ "$(wc -l <err)" -eq 1 ]
}

@test "make lint without its tools: apt-get as root, else one line and status 2" {
	USER_ID=1000 bare
	B=$PWD/tree/build PATH=$PWD/bin expect 2 tree/t/lint
	echo 'make lint: missing: clang-format mandoc shellcheck: install them' \
		'(Debian: apt-get install clang-format mandoc shellcheck)' >want
	same want err
	bare apt-get
	B=$PWD/tree/build PATH=$PWD/bin expect 2 tree/t/lint
	says asked 'apt-get install -y clang-format mandoc shellcheck'
}
