# lockstep — `make help` lists the targets.
#
# CONFIG  release (default), asan, tsan, fuzz, coverage, clang: one folder build/$(CONFIG) each
# CC CFLAGS LDFLAGS prefix DESTDIR   yours, as usual
# HAVE_ISAL= HAVE_ZSTD= HAVE_XZ= HAVE_BZIP2=   build without that library, though it is there
# BUILD      build; another folder for a second build beside it
# WERROR=1   warnings are errors
# V=1        show whole commands
# UNIT="err time"   check-unit runs these only;   CLI="count"   the same for check-cli

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

export LC_ALL := C

# Tests ask for more memory than there is and expect NULL.
export ASAN_OPTIONS ?= allocator_may_return_null=1
export TSAN_OPTIONS ?= allocator_may_return_null=1

CONFIG ?= release
BUILD ?= build
B := $(BUILD)/$(CONFIG)

prefix ?= /usr/local
exec_prefix ?= $(prefix)
bindir ?= $(exec_prefix)/bin
libdir ?= $(exec_prefix)/lib
includedir ?= $(prefix)/include
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
INSTALL ?= install
PKG_CONFIG ?= pkg-config
AR ?= ar
FUZZ_SECONDS ?= 60

VERSION := $(shell sed -n 's/.*define LOCKSTEP_VERSION *"\([^"]*\)".*/\1/p' include/lockstep/lockstep.h)

# ---- configurations -------------------------------------------------------------------------

# glibc warns about _FORTIFY_SOURCE without optimisation.
FORTIFY = $(if $(filter -O -O1 -O2 -O3 -Os -Og,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
SANITIZE_ALL := -fno-omit-frame-pointer -fno-sanitize-recover=all

ifeq ($(CONFIG),release)
    CFLAGS ?= -O2 -g
    CONFIG_CFLAGS = $(FORTIFY)
else ifeq ($(CONFIG),clang)
    CFLAGS ?= -O2 -g
    CONFIG_CFLAGS = $(FORTIFY)
    CONFIG_CC := clang
else ifeq ($(CONFIG),asan)
    CFLAGS ?= -O1 -g
    CONFIG_CFLAGS := -fsanitize=address,undefined,float-cast-overflow $(SANITIZE_ALL) -DARENA_DEBUG=1
    CONFIG_LDFLAGS := -fsanitize=address,undefined,float-cast-overflow
else ifeq ($(CONFIG),tsan)
    CFLAGS ?= -O1 -g
    CONFIG_CFLAGS := -fsanitize=thread $(SANITIZE_ALL)
    CONFIG_LDFLAGS := -fsanitize=thread
else ifeq ($(CONFIG),fuzz)
    CFLAGS ?= -O1 -g
    CONFIG_CFLAGS := -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow $(SANITIZE_ALL) -DARENA_DEBUG=1
    CONFIG_LDFLAGS := -fsanitize=address,undefined,float-cast-overflow
    CONFIG_CC := clang
else ifeq ($(CONFIG),coverage)
    CFLAGS ?= -O0 -g
    CONFIG_CFLAGS := --coverage -DLK_COVERAGE
    CONFIG_LDFLAGS := --coverage
else
    $(error unknown CONFIG '$(CONFIG)': release, asan, tsan, fuzz, coverage, clang)
endif

ifeq ($(origin CC),default)
    CC := $(or $(CONFIG_CC),gcc)
endif

# ---- flags ----------------------------------------------------------------------------------

# Sanitizers and -O0 blow frames up, so the limit is for the real ones.
FRAME_LIMIT := $(if $(filter release clang,$(CONFIG)),-Wframe-larger-than=16384)
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wdouble-promotion -Wshadow \
    -Wcast-qual -Wwrite-strings -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
    -Wold-style-definition -Wundef -Wvla -Walloca -Wswitch-enum -Wimplicit-fallthrough \
    -Wnull-dereference $(FRAME_LIMIT) $(if $(filter 1,$(WERROR)),-Werror)
CF_PROTECTION := $(if $(filter x86_64-% i386-% i686-%,$(shell $(CC) -dumpmachine)),-fcf-protection)
# -ffp-contract=off is not hardening: the same sums from both compilers and on every machine.
HARDENING := -fstack-protector-strong -fstack-clash-protection $(CF_PROTECTION) -fno-common \
    -fPIC -fvisibility=hidden \
    -ffp-contract=off

# The libraries may be installed by `make deps` in this very run, so pkg-config is asked when a
# recipe first needs it, and then once.
DEPS_PC := zlib libcjson kissfft-float
# ISA-L inflates gzip faster than zlib; the others are read where they are there; libbz2 comes without a .pc file.
HAVE_ISAL = $(eval HAVE_ISAL := $(shell $(PKG_CONFIG) --exists libisal && echo 1))$(HAVE_ISAL)
HAVE_ZSTD = $(eval HAVE_ZSTD := $(shell $(PKG_CONFIG) --exists libzstd && echo 1))$(HAVE_ZSTD)
HAVE_XZ = $(eval HAVE_XZ := $(shell $(PKG_CONFIG) --exists liblzma && echo 1))$(HAVE_XZ)
HAVE_BZIP2 = $(eval HAVE_BZIP2 := $(shell echo '#include <bzlib.h>' | $(CC) $(CPPFLAGS) -E -xc - >/dev/null 2>&1 && echo 1))$(HAVE_BZIP2)
ALL_PC = $(DEPS_PC) $(if $(HAVE_ISAL),libisal) $(if $(HAVE_ZSTD),libzstd) $(if $(HAVE_XZ),liblzma)
HAVE_CPPFLAGS = $(if $(HAVE_ISAL),-DLK_HAVE_ISAL) $(if $(HAVE_ZSTD),-DLK_HAVE_ZSTD) $(if $(HAVE_XZ),-DLK_HAVE_XZ) $(if $(HAVE_BZIP2),-DLK_HAVE_BZIP2)
PC_CFLAGS = $(eval PC_CFLAGS := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(ALL_PC))))$(PC_CFLAGS)
PC_LIBS = $(eval PC_LIBS := $(shell $(PKG_CONFIG) --libs $(ALL_PC)) $(if $(HAVE_BZIP2),-lbz2))$(PC_LIBS)
TEST_PC_CFLAGS = $(eval TEST_PC_CFLAGS := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags cmocka)))$(TEST_PC_CFLAGS)
TEST_PC_LIBS = $(eval TEST_PC_LIBS := $(shell $(PKG_CONFIG) --libs cmocka))$(TEST_PC_LIBS)

STD_CFLAGS := -std=c11 -D_POSIX_C_SOURCE=200809L $(WARNINGS)
ALL_CFLAGS = $(STD_CFLAGS) -Isrc -Iinclude $(PC_CFLAGS) $(HAVE_CPPFLAGS) $(HARDENING) $(CONFIG_CFLAGS) -pthread \
    $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now,-z,noexecstack $(CONFIG_LDFLAGS) -pthread $(CFLAGS) $(LDFLAGS)
ALL_LIBS = $(PC_LIBS) -lm $(LDLIBS)

# ---- files ----------------------------------------------------------------------------------

LIB_SRC := $(sort $(shell find src -path src/cli -prune -o -name '*.c' -print))
CLI_SRC := $(sort $(wildcard src/cli/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
BENCH_SRC := $(sort $(wildcard tests/bench/bench_*.c))
WORLD_SRC := $(sort $(wildcard tests/bench/calibration/*.c))
HEADERS := $(sort $(shell find src include -name '*.h'))
MAN := $(sort $(wildcard man/*.[1-9]))
# shell:file below $(datadir)
COMPLETIONS := bash:bash-completion/completions/lockstep zsh:zsh/site-functions/_lockstep \
    fish:fish/vendor_completions.d/lockstep.fish
ALL_SRC := $(LIB_SRC) $(CLI_SRC) $(UNIT_SRC) $(FUZZ_SRC) $(BENCH_SRC) $(WORLD_SRC) \
    tests/fuzz/replay.c

LIB := $(B)/liblockstep.a
# The number of the soname grows when a program built against an older header would break.
SOVERSION := 0
SONAME := liblockstep.so.$(SOVERSION)
SHARED := $(B)/liblockstep.so.$(VERSION)
PROGRAM := $(if $(wildcard src/cli/main.c),$(B)/lockstep)
UNIT_BIN := $(UNIT_SRC:%.c=$(B)/%)
FUZZ_BIN := $(FUZZ_SRC:%.c=$(B)/%)
BENCH_BIN := $(BENCH_SRC:%.c=$(B)/%)
# Minutes of work on made-up worlds: targets of their own, not part of `make bench`.
WORLD_BIN := $(B)/tests/bench/bench_calibration
LINKING_BIN := $(B)/tests/bench/bench_linking

# What comes first when several targets are asked for at once, with -j too: all that builds waits for
# FIRST, and what calls make again waits for BUILT, so that no two build in the same folder.
FIRST := $(filter clean deps,$(MAKECMDGOALS))
BUILT := $(FIRST) $(filter all,$(MAKECMDGOALS))

# Short lines unless V=1.
ifneq ($(V),1)
    SAY_CC = @echo '  CC    $<';
    SAY_LINK = @echo '  LINK  $@';
    SAY_AR = @echo '  AR    $@';
endif

# ---- build ----------------------------------------------------------------------------------

.PHONY: all
all: $(LIB) $(SHARED) $(PROGRAM) ## the program and the library, static and shared, in build/$(CONFIG)

$(B)/lockstep: $(CLI_SRC:%.c=$(B)/%.o) $(LIB)
	$(SAY_LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

# The list of members is part of the stamp, so that a deleted source leaves the archive.
$(LIB): $(LIB_SRC:%.c=$(B)/%.o) $(B)/members
	@rm -f $@
	$(SAY_AR)$(AR) rcs $@ $(filter %.o,$^)

# Only what include/lockstep declares is visible in it.
$(SHARED): $(LIB)
	$(SAY_LINK)$(CC) -shared -Wl,-soname,$(SONAME) $(filter-out -pie,$(ALL_LDFLAGS)) -o $@ \
	    -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive $(ALL_LIBS)

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(LIB)
	$(SAY_LINK)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS) $(TEST_PC_LIBS)

$(WORLD_BIN): $(WORLD_SRC:%.c=$(B)/%.o)

$(B)/tests/bench/%: $(B)/tests/bench/%.o $(LIB)
	$(SAY_LINK)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(ALL_LIBS)

ifeq ($(CONFIG),fuzz)
$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(LIB)
	$(SAY_LINK)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(LIB) $(ALL_LIBS)
else
$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(B)/tests/fuzz/replay.o $(LIB)
	$(SAY_LINK)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(ALL_LIBS)
endif

# The option rows are the program's.
$(B)/tests/fuzz/fuzz_options: $(patsubst %.c,$(B)/%.o,$(filter-out src/cli/main.c,$(CLI_SRC)))

$(B)/tests/unit/%.o: tests/unit/%.c $(B)/flags
	@mkdir -p $(@D)
	$(SAY_CC)$(CC) $(ALL_CFLAGS) $(if $(FRAME_LIMIT),-Wframe-larger-than=24576) $(TEST_PC_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(SAY_CC)$(CC) $(ALL_CFLAGS) $(if $(FRAME_LIMIT),$(if $(filter tests/%,$<),-Wframe-larger-than=24576)) -MMD -MP -c -o $@ $<

.PRECIOUS: $(B)/%.o $(B)/tests/unit/%.o

-include $(ALL_SRC:%.c=$(B)/%.d)

# Rewritten only when the flags (or the sources) are not those of the last run.
.PHONY: FORCE
$(B)/flags: FORCE | $(FIRST)
	@mkdir -p $(@D)
	@$(PKG_CONFIG) --exists --print-errors $(DEPS_PC) || { echo "missing libraries: run 'make deps'" >&2; exit 1; }
	@printf '%s\n' '$(CC) $(ALL_CFLAGS) | $(ALL_LDFLAGS) | $(ALL_LIBS)' | cmp -s - $@ || \
	    printf '%s\n' '$(CC) $(ALL_CFLAGS) | $(ALL_LDFLAGS) | $(ALL_LIBS)' >$@

$(B)/members: FORCE | $(FIRST)
	@mkdir -p $(@D)
	@printf '%s\n' $(LIB_SRC) | cmp -s - $@ || printf '%s\n' $(LIB_SRC) >$@

# ---- checks ---------------------------------------------------------------------------------
# Each writes "passed failed" to $(B)/results/<part>.txt and fails when something failed.

PARTS := unit cli fuzz headers layers posix man provoked
RESULTS := $(B)/results
TOOLS := tests/tools
UNIT_RUN := $(if $(UNIT),$(UNIT:%=$(B)/tests/unit/test_%),$(UNIT_BIN))
# Not for the sanitizers' run: what these do with the program others do as well, or it is no code of ours; what the lab
# computes its unit tests show.
CLI_PLAIN := completion help package readme simulate
CLI_ALL := $(sort $(wildcard tests/cli/*.bats))
CLI_RUN := $(if $(CLI),$(CLI:%=tests/cli/%.bats),$(if $(filter asan tsan,$(CONFIG)),$(filter-out $(CLI_PLAIN:%=tests/cli/%.bats),$(CLI_ALL)),$(CLI_ALL)))

.PHONY: check check-unit check-cli check-fuzz check-headers check-layers check-posix check-man check-provoked
check: | $(BUILT) ## everything below; the last line is `N passed, N failed`
	@rm -rf $(RESULTS)
	@for part in $(PARTS); do $(MAKE) --no-print-directory check-$$part || :; done
	@sh $(TOOLS)/total.sh $(RESULTS) $(PARTS)

check-unit: $(UNIT_RUN) ## unit tests (UNIT="err time" for some)
	@sh $(TOOLS)/check_unit.sh $(RESULTS)/unit.txt $(UNIT_RUN)

# What is put before the C library (LD_PRELOAD): glibc only, and not under sanitizers, which come first.
SHIMS := $(if $(filter asan tsan fuzz,$(CONFIG)),,failing_alloc failing_io probing)
SHIM_SO := $(SHIMS:%=$(B)/tests/tools/%.so)
$(B)/tests/tools/%.so: tests/tools/%.c $(B)/flags
	@mkdir -p $(@D)
	$(SAY_LINK)$(CC) -std=gnu11 -O1 -g -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror) -shared -fPIC -o $@ $< -ldl

check-cli: $(PROGRAM) $(SHIM_SO) $(B)/tests/bench/bench_hostile ## the program as its users run it (bats; CLI="count" for some)
	@LOCKSTEP='$(abspath $(PROGRAM))' HOSTILE='$(abspath $(B)/tests/bench/bench_hostile)' \
	    sh $(TOOLS)/check_cli.sh $(RESULTS)/cli.txt $(CLI_RUN)

check-fuzz: $(FUZZ_BIN) ## the fuzzers' seed inputs, replayed without libFuzzer
	@sh $(TOOLS)/check_fuzz.sh $(RESULTS)/fuzz.txt $(FUZZ_BIN)

check-headers: $(B)/flags ## each header compiles alone
	@CC='$(CC)' FLAGS='$(ALL_CFLAGS)' PUBLIC_FLAGS='$(STD_CFLAGS) -Iinclude' \
	    sh $(TOOLS)/check_headers.sh $(RESULTS)/headers.txt $(HEADERS)

check-layers: ## no folder includes what src/LAYERS does not allow
	@sh $(TOOLS)/check_layers.sh $(RESULTS)/layers.txt

check-posix: ## no header but those of C11, POSIX and the libraries, where no condition stands before it
	@sh $(TOOLS)/check_posix.sh $(RESULTS)/posix.txt $(HEADERS) $(LIB_SRC) $(CLI_SRC)

check-man: $(PROGRAM) ## the man pages are clean and name every command and option
	@LOCKSTEP='$(abspath $(PROGRAM))' sh $(TOOLS)/check_man.sh $(RESULTS)/man.txt $(MAN)

check-provoked: ## every error code and every bound has a test that provokes it (tests/provoked.tsv)
	@sh $(TOOLS)/check_provoked.sh $(RESULTS)/provoked.txt

.PHONY: faults
faults: $(PROGRAM) $(SHIM_SO) ## every allocation of twenty small runs fails once, some minutes (STEP=1)
	@sh $(TOOLS)/faults.sh $(or $(STEP),1) '$(abspath $(B)/tests/tools/failing_alloc.so)' '$(abspath $(PROGRAM))'

.PHONY: memcheck
memcheck: $(PROGRAM) ## valgrind over runs of every kind, some minutes
	@sh $(TOOLS)/memcheck.sh '$(abspath $(PROGRAM))'

# Built once with every name visible; of the library one member is then exchanged for each mutant.
MUTANTS ?= 200
SEED ?= 1
.PHONY: mutants unit-built
mutants: | $(FIRST) ## MUTANTS=200 SEED=1: operators and numbers of infer/ and link/ changed, do the tests notice?
	@$(MAKE) --no-print-directory CONFIG=release BUILD=$(BUILD)/mutants CFLAGS='-O2 -fvisibility=default' all unit-built
	@nice -n 15 python3 $(TOOLS)/mutants.py --count $(MUTANTS) --seed $(SEED) $(BUILD)/mutants $(BUILD)/mutants/seed-$(SEED).tsv

unit-built: $(UNIT_RUN)

# MACHINE="m32 s390x" for some.
.PHONY: portability portability-deps
portability: | $(FIRST) ## 32 bits, big-endian (qemu), musl, no Linux header: unit tests; says what it skips
	@MAKE='$(MAKE)' sh $(TOOLS)/portability.sh '$(BUILD)' $(MACHINE)

portability-deps: ## the libraries for them, from Debian's archive, below build/; nothing is installed
	@sh $(TOOLS)/portability_deps.sh '$(BUILD)/portability'

.PHONY: asan tsan coverage
asan: | $(FIRST) ## the checks of what is compiled, under ASan and UBSan
	$(MAKE) --no-print-directory CONFIG=asan PARTS='unit cli fuzz' check

# Tests of what starts threads: of its modules, and of the program.
THREADED := lab contention ahead crew lanes
THREADED_CLI := lanes

tsan: | $(FIRST) ## the tests of what runs in threads, under TSan
	$(MAKE) --no-print-directory CONFIG=tsan UNIT="$(THREADED)" check-unit
	$(MAKE) --no-print-directory CONFIG=tsan CLI="$(THREADED_CLI)" check-cli

coverage: | $(FIRST) ## line coverage of src/ by the checks
	@find $(BUILD)/coverage -name '*.gcda' -delete 2>/dev/null || :
	-$(MAKE) --no-print-directory CONFIG=coverage check
	@sh $(TOOLS)/coverage.sh $(BUILD)/coverage $(LIB_SRC) $(CLI_SRC)

.PHONY: fuzz fuzz-run bench bench-policies bench-run demo
fuzz: | $(FIRST) ## libFuzzer (clang), FUZZ_SECONDS=60 for each parser
	$(MAKE) --no-print-directory CONFIG=fuzz fuzz-run

fuzz-run: $(FUZZ_BIN)
	@sh $(TOOLS)/fuzz.sh $(B) $(FUZZ_SECONDS) $(FUZZ_BIN)

bench: | $(BUILT) $(filter check,$(MAKECMDGOALS)) ## benchmarks, one TSV row each
	@$(MAKE) --no-print-directory CONFIG=release bench-run

# The program once more without ISA-L, to compare; DuckDB where `npm install --prefix build/duckdb @duckdb/node-api` was run.
ZLIB_PROGRAM = $(BUILD)/zlib/release/lockstep

bench-run: $(filter-out $(WORLD_BIN) $(LINKING_BIN),$(BENCH_BIN)) $(PROGRAM)
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/zlib HAVE_ISAL= $(ZLIB_PROGRAM)
	@for b in $(filter-out $(WORLD_BIN) $(LINKING_BIN),$(BENCH_BIN)); do \
	    LOCKSTEP='$(abspath $(PROGRAM))' LOCKSTEP_ZLIB='$(abspath $(ZLIB_PROGRAM))' \
	    NODE_PATH='$(abspath $(BUILD))/duckdb/node_modules' $$b || exit 1; done

.PHONY: bench-calibration bench-calibration-run
bench-calibration: | $(BUILT) ## false alarms and planted clocks, some minutes (QUICK=1: half a minute)
	@$(MAKE) --no-print-directory CONFIG=release bench-calibration-run

bench-calibration-run: $(B)/tests/bench/bench_calibration
	@nice -n 10 $(B)/tests/bench/bench_calibration $(if $(QUICK),--quick)

WORLDS ?= 1200
.PHONY: bench-clocks
bench-clocks: ## SEEDS=1 logs of thirty kinds: is each clock named? (KINDS, FORMATS)
	@$(MAKE) --no-print-directory CONFIG=release $(BUILD)/release/lockstep
	@nice -n 10 python3 tests/bench/clock_worlds.py run '$(abspath $(BUILD)/release/lockstep)' \
	    $(if $(SEEDS),--seeds $(SEEDS)) $(if $(KINDS),--kinds $(KINDS)) $(if $(FORMATS),--formats $(FORMATS))

.PHONY: bench-linking
bench-linking: | $(BUILT) ## WORLDS=1200 made-up worlds without ids: how well calls are known, by load
	@$(MAKE) --no-print-directory CONFIG=release $(BUILD)/release/tests/bench/bench_linking
	@nice -n 10 $(BUILD)/release/tests/bench/bench_linking $(WORLDS)

POPULATIONS ?= 1000
bench-policies: | $(BUILT) ## POPULATIONS=1000 simulated populations of each policy: how many are named right
	@$(MAKE) --no-print-directory CONFIG=release $(BUILD)/release/tests/bench/bench_policies
	@$(BUILD)/release/tests/bench/bench_policies $(POPULATIONS)

.PHONY: bench-scale
LOGS ?= testdata/incidents/seed-requeue-60s.log.gz
bench-scale: | $(BUILT) ## LOGS="..." cut, reduced and merged in many ways: the same bytes? (MATRIX="--each 4 ...")
	@$(MAKE) --no-print-directory CONFIG=release all
	@LOCKSTEP='$(abspath $(BUILD)/release/lockstep)' python3 tests/scale/matrix.py $(MATRIX) $(LOGS)

.PHONY: bench-reports
REPORTS ?= testdata
bench-reports: | $(BUILT) ## the reports of all logs below REPORTS=testdata: schema, render, size, speed
	@$(MAKE) --no-print-directory CONFIG=release all
	@find $(REPORTS) -type f \( -name '*.log' -o -name '*.log.gz' \) | sort | \
	    LOCKSTEP='$(abspath $(BUILD)/release/lockstep)' xargs sh tests/bench/bench_reports.sh

DEMO = $(BUILD)/release/lockstep
demo: | $(BUILT) $(filter check,$(MAKECMDGOALS)) ## two incidents, analysed
	@$(MAKE) --no-print-directory CONFIG=release all
	@echo '== a job queue that gives failed jobs back every 60 s (testdata/incidents/seed-requeue-60s.log.gz)'
	@$(DEMO) analyze testdata/incidents/seed-requeue-60s.log.gz
	@echo
	@echo '== an SDK inside a 20 s requeue, with caller and duration fields (testdata/incidents/openai-requeue-20s.ext.log.gz)'
	@$(DEMO) analyze testdata/incidents/openai-requeue-20s.ext.log.gz

# ---- packaging ------------------------------------------------------------------------------

.PHONY: deps install uninstall deb dist
deps: ## install what is missing of the packages needed (apt-get), or say what is
	@PKG_CONFIG='$(PKG_CONFIG)' sh $(TOOLS)/deps.sh $(DEPS_EXTRA)

install: all ## to $(DESTDIR)$(prefix)
	$(INSTALL) -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(libdir)/pkgconfig' '$(DESTDIR)$(includedir)/lockstep'
	$(INSTALL) -m 755 $(B)/lockstep '$(DESTDIR)$(bindir)'
	$(INSTALL) -m 644 $(LIB) $(SHARED) '$(DESTDIR)$(libdir)'
	ln -sf $(notdir $(SHARED)) '$(DESTDIR)$(libdir)/$(SONAME)'
	ln -sf $(SONAME) '$(DESTDIR)$(libdir)/liblockstep.so'
	$(INSTALL) -m 644 $(sort $(wildcard include/lockstep/*.h)) '$(DESTDIR)$(includedir)/lockstep'
	@sh $(TOOLS)/pkgconfig.sh '$(prefix)' '$(libdir)' '$(includedir)' '$(VERSION)' '$(ALL_PC)' '$(if $(HAVE_BZIP2),-lbz2) $(LDLIBS) -lm' \
	    >'$(DESTDIR)$(libdir)/pkgconfig/lockstep.pc'
	for m in $(MAN); do \
	    $(INSTALL) -d '$(DESTDIR)$(mandir)'/man$${m##*.} && \
	    $(INSTALL) -m 644 $$m '$(DESTDIR)$(mandir)'/man$${m##*.} || exit 1; done
	for c in $(COMPLETIONS); do \
	    $(INSTALL) -d "$$(dirname '$(DESTDIR)$(datadir)'/$${c#*:})" && \
	    $(B)/lockstep completion $${c%%:*} >'$(DESTDIR)$(datadir)'/$${c#*:} || exit 1; done

uninstall: ## what install put there
	rm -f '$(DESTDIR)$(bindir)/lockstep' '$(DESTDIR)$(libdir)/liblockstep.a' \
	    '$(DESTDIR)$(libdir)/$(notdir $(SHARED))' '$(DESTDIR)$(libdir)/$(SONAME)' \
	    '$(DESTDIR)$(libdir)/liblockstep.so' '$(DESTDIR)$(libdir)/pkgconfig/lockstep.pc'
	rm -rf '$(DESTDIR)$(includedir)/lockstep'
	for m in $(notdir $(MAN)); do rm -f '$(DESTDIR)$(mandir)'/man$${m##*.}/$$m; done
	for c in $(COMPLETIONS); do rm -f '$(DESTDIR)$(datadir)'/$${c#*:}; done

deb: | $(BUILT) ## lockstep_VERSION_ARCH.deb, in build/
	@$(MAKE) --no-print-directory CONFIG=release all
	@MAKE='$(MAKE)' BUILD='$(BUILD)' sh $(TOOLS)/deb.sh '$(VERSION)'

dist: ## lockstep-VERSION.tar.gz of the last commit, in build/
	@mkdir -p $(BUILD)
	git archive --format=tar.gz --prefix=lockstep-$(VERSION)/ -o $(BUILD)/lockstep-$(VERSION).tar.gz HEAD

# ---- care -----------------------------------------------------------------------------------

.PHONY: lint tidy analyzer cppcheck format clean help
lint: tidy analyzer cppcheck ## the three below, where present

tidy analyzer cppcheck: $(B)/flags ## clang-tidy, gcc -fanalyzer, cppcheck over src (JOBS=2)
	@FLAGS='$(filter-out -fcf-protection,$(ALL_CFLAGS))' JOBS='$(JOBS)' sh $(TOOLS)/lint.sh $@ $(or $(FILES),$(LIB_SRC) $(CLI_SRC))

format: ## clang-format over all sources
	clang-format -i $(sort $(shell find src include tests -name '*.[ch]'))

clean: ## remove build/
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z][a-z -]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | \
	    awk -F '\t' '{ printf "  %-14s %s\n", $$1, $$2 }'
