# ipctax: `make` builds build/NAME for each tool, quietly; V=1 shows the commands.
# CC, CFLAGS and LDFLAGS are the user's. SAN=address,undefined or SAN=thread
# builds an instrumented tree beside the plain one (build/san-...).
VERSION = 1.0

TOOLS = $(patsubst cmd/%.c,%,$(wildcard cmd/gbmgen.c cmd/frame.c cmd/hmasweep.c cmd/unframe.c cmd/echoload.c cmd/ipcprobe.c))
PREFIX = /usr/local
MANDIR = $(PREFIX)/share/man
CFLAGS = -O2 -g
comma = ,
SAN =
B = build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))

ARCH := $(shell $(CC) -dumpmachine | cut -d- -f1)
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wformat=2 -Wundef -Wno-unknown-warning-option
# -Wtsan says that TSan does not see fences; the ring's are argued where they stand.
OURS = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DIPCTAX_VERSION='"$(VERSION)"' -I. -pthread \
	$(WARN) $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer) \
	$(if $(findstring thread,$(SAN)),-Wno-tsan)
# The kernel's definition needs each operation rounded once, whatever the user
# asks for: what would break that is taken out (at the link it would flush
# subnormals at start; clang answers its opposite with strict exceptions) or undone.
SAFE = $(patsubst -Ofast,-O3,$(filter-out -ffast-math -funsafe-math-optimizations,$(CFLAGS)))
EXACT = -ffp-contract=off -fno-fast-math -fno-associative-math -fno-reciprocal-math \
	-fno-finite-math-only -fsigned-zeros
COMPILE = $(CC) $(OURS) $(SAFE) $(EXACT)
LINK = $(CC) $(if $(SAN),-fsanitize=$(SAN)) $(SAFE) $(LDFLAGS) -pthread

# Results name the build they were measured with; only lib/host.c is made anew for it.
COMMIT := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
ISA_host = -DIPCTAX_FLAGS='"$(notdir $(CC)) $(subst ",,$(CFLAGS) $(EXACT))"' -DIPCTAX_COMMIT='"$(COMMIT)"'

# Sources that only one architecture can build are named *_ARCH.c; ISA flags
# belong to single objects, never to the whole program.
ISA_hma_avx2_x86_64 = -mavx2 -mfma -mbmi -mbmi2 -mpopcnt
NOT_OURS = $(filter-out %_$(ARCH).c,$(wildcard lib/*_x86_64.c lib/*_aarch64.c))
LIB_SRC = $(filter-out $(NOT_OURS),$(wildcard lib/*.c))
LIB_OBJ = $(LIB_SRC:%.c=$(B)/%.o)
PROBE_SRC = $(wildcard cmd/probe_*.c)
SHIM = $(patsubst t/shim/%.c,$(B)/t/%.so,$(wildcard t/shim/*.c))
UNIT = $(patsubst t/unit/%.c,$(B)/t/%,$(wildcard t/unit/*.c))

.SUFFIXES:
.PHONY: all unit demo test lint bench check-long fuzz fuzz-run fuzzers install uninstall clean FORCE
.DELETE_ON_ERROR:
$(V).SILENT:

all: $(TOOLS:%=$(B)/%) $(B)/libipctax.a

# Objects depend on the flags they were made with, so that another CC or
# CFLAGS never leaves half a tree behind.
$(B)/flags: FORCE
	mkdir -p $(@D)
	echo '$(subst ','\'',$(COMPILE) $(LINK))' | cmp -s - $@ || echo '$(subst ','\'',$(COMPILE) $(LINK))' >$@

$(B)/%.o: %.c $(B)/flags
	mkdir -p $(@D)
	$(COMPILE) $(ISA_$(notdir $*)) $(if $(WERROR),-Werror) -MMD -MP -c -o $@ $<

$(B)/commit: FORCE
	mkdir -p $(@D)
	echo $(COMMIT) | cmp -s - $@ || echo $(COMMIT) >$@
$(B)/lib/host.o: $(B)/commit

$(B)/libipctax.a: $(LIB_OBJ)
	rm -f $@
	$(AR) rcs $@ $(LIB_OBJ)

# A tool is cmd/NAME.c with its cmd/NAME_*.c; ipcprobe's are cmd/probe_*.c.
$(foreach t,$(TOOLS),$(eval $(B)/$(t): $(patsubst %.c,$(B)/%.o,$(wildcard cmd/$(t)_*.c))))
$(B)/ipcprobe: $(PROBE_SRC:%.c=$(B)/%.o)
$(B)/echoload: $(patsubst %.c,$(B)/%.o,$(wildcard cmd/echoload_*.c))

$(TOOLS:%=$(B)/%): $(B)/%: $(B)/cmd/%.o $(B)/cmd/tool.o $(B)/libipctax.a
	$(LINK) -o $@ $(filter %.o,$^) $(B)/libipctax.a -lm

FUZZ = $(patsubst t/fuzz/%.c,%,$(wildcard t/fuzz/*.c))

unit: $(UNIT) $(SHIM) $(FUZZ:%=$(B)/t/replay_%)

$(UNIT): $(B)/t/%: $(B)/t/unit/%.o $(B)/libipctax.a
	mkdir -p $(@D)
	$(LINK) -o $@ $(filter %.o,$^) $(B)/libipctax.a -lm

# Preloaded into the tools by tests; plain even in an instrumented tree.
$(SHIM): $(B)/t/%.so: t/shim/%.c $(B)/flags
	mkdir -p $(@D)
	$(CC) $(OURS) $(if $(WERROR),-Werror) -fno-sanitize=all -O2 -fPIC -shared -o $@ $< -ldl

# What fuzzers found, and their seeds, are run again without them.
$(B)/t/replay_%: $(B)/t/fuzz/%.o $(B)/t/fuzz/replay/replay.o $(B)/libipctax.a
	mkdir -p $(@D)
	$(LINK) -o $@ $(filter %.o,$^) $(B)/libipctax.a -lm

demo: all
	PATH="$(abspath $(B)):$$PATH" examples/demo.sh

test: all unit
	B="$(abspath $(B))" t/run

# Timings, as ratios taken in one run, and what takes minutes: each script of
# t/bench or t/long prints its own table. ONLY="kernel num" runs those named.
bench: all unit
	B="$(abspath $(B))" t/scripts bench $(ONLY)

check-long: all unit
	B="$(abspath $(B))" t/scripts long $(ONLY)

# Fuzzers need clang: a tree of their own, every report fatal. `make fuzz-run
# SECONDS=60` runs each for so long (ONLY="num json": those named).
SECONDS = 60
FUZZ_SAN = fuzzer,address,undefined
FUZZ_B = build/san-$(subst $(comma),-,$(FUZZ_SAN))
fuzz:
	$(MAKE) --no-print-directory CC=clang SAN=$(FUZZ_SAN) CFLAGS="-O1 -g -fno-sanitize-recover=all" fuzzers

fuzz-run: fuzz
	B="$(abspath $(FUZZ_B))" t/fuzz-run $(SECONDS) $(ONLY)

fuzzers: $(FUZZ:%=$(B)/fuzz/%)

$(B)/fuzz/%: $(B)/t/fuzz/%.o $(B)/libipctax.a
	mkdir -p $(@D)
	$(LINK) -o $@ $^ -lm

lint: all
	B="$(B)" CC="$(CC)" t/lint

install: all
	mkdir -p $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(MANDIR)/man7
	for x in $(TOOLS); do install -m 755 $(B)/$$x $(DESTDIR)$(PREFIX)/bin/; done
	for m in $(wildcard man/*.[157]); do install -m 644 $$m $(DESTDIR)$(MANDIR)/man$${m##*.}/; done

uninstall:
	for x in $(TOOLS); do rm -f $(DESTDIR)$(PREFIX)/bin/$$x; done
	for m in $(wildcard man/*.[157]); do rm -f $(DESTDIR)$(MANDIR)/man$${m##*.}/$${m##*/}; done
	# A staging tree is left as it was found; directories of the system stay.
	[ -z "$(DESTDIR)" ] || find "$(DESTDIR)" -mindepth 1 -type d -empty -delete

clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
