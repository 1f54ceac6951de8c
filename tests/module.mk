# tests/ - programs and scripts that speak TAP, run by prove
#
# Every tests/*/test_*.c is a program, linked with the static library so that
# it can reach inside; every *.t is a script.  They find the command in
# $MARGAY, the build folder in $BUILD, and start in the root of the tree.
tests_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/*/test_*.c))
tests_SCRIPTS  := $(wildcard tests/*.t tests/*/*.t)
tests_LIBS      = -Wl,--as-needed -larchive $(if $(lzma_LIBS),-llzma) -lm

JOBS        ?= $(PROCESSORS)
PROVE       ?= perl tests/check.pl
PROVE_FLAGS ?= -j$(JOBS) --timer --failures --comments

$(tests_PROGRAMS): $(BUILD)/%: $(BUILD)/obj/%.o $(BUILD)/libmargay.a
	@mkdir -p $(@D)
	$(call quiet,LD $@) \
	$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(library_LIBS) \
	    $(tests_LIBS) $(LIBS)

# The command on ranks that need no MPI.
tests_RANKS := $(BUILD)/tests/sim/ranks
$(tests_RANKS): $(BUILD)/obj/tests/sim/ranks.o \
    $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out sim/command/main.c,$(program_SOURCES))) \
    $(BUILD)/libmargay.a
	@mkdir -p $(@D)
	$(call quiet,LD $@) \
	$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(library_LIBS) \
	    $(LIBS)

tests: all $(tests_PROGRAMS) $(tests_RANKS)

# The command, and what `record` needs: no library, no manual and no plugin.
run: deps $(BUILD)/margay $(runtime_FILES) valgrind-tool ## analyse the sample: curve.csv, curve.png
	@sh tests/sample/run.sh $(BUILD)/margay $(BUILD)/run
	@echo "Took:      $$(($$(date +%s) - $(started))) s, on $(PROCESSORS) processors"

check: deps tests ## run the tests (TESTS="tests/sim/plot.t ...": only these)
	@MARGAY='$(abspath $(BUILD)/margay)' BUILD='$(abspath $(BUILD))' \
	    $(PROVE) $(PROVE_FLAGS) $(or $(TESTS),\
	    $(tests_SCRIPTS) $(tests_PROGRAMS))

# The sanitizers' builds have folders of their own, and a tenth of the random
# rounds, as they are about that much slower.
# OpenCL drivers bring compilers, which are not ours to check: none is found.
no_DRIVERS = OCL_ICD_VENDORS=/nonexistent
sanitized = $(no_DRIVERS) $(MAKE) --no-print-directory BUILD='$(BUILD)/$(1)' OPTIMISE='-O1 -g' DEPS=no \
    SANITIZE='-fsanitize=$(2) -fno-sanitize-recover=all \
    -fno-omit-frame-pointer'

check-asan: deps ## the tests under AddressSanitizer and UBSan
	+@MARGAY_TEST_ROUNDS=$${MARGAY_TEST_ROUNDS:-10} \
	    ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 \
	    UBSAN_OPTIONS=print_stacktrace=1 \
	    $(call sanitized,asan,address$(comma)undefined) check

check-tsan: deps ## the tests under ThreadSanitizer
	+@MARGAY_TEST_ROUNDS=$${MARGAY_TEST_ROUNDS:-10} \
	    TSAN_OPTIONS=halt_on_error=1 $(call sanitized,tsan,thread) check

# Valgrind knows no AVX-512, so the engines' best code does not run under it;
# the long tests of all their settings would take it hours.  test_crew measures
# what is shorter than Valgrind takes to begin a thread.
check-valgrind: export MARGAY_TEST_SECONDS ?= 7200
check-valgrind: deps tests ## most of the test programs under valgrind
	@$(no_DRIVERS) MARGAY_TEST_ROUNDS=1 $(PROVE) -j$(JOBS) --timer \
	    --exec 'valgrind -q --leak-check=full --error-exitcode=9' \
	    $(filter-out %/test_engines_large %/test_exact %/test_levels %/test_crew,\
	    $(tests_PROGRAMS))

# The last commit on machines that have only what the README asks for.
SUITES ?= bookworm trixie
check-fresh: ## the README's commands on a new Debian (SUITES="bookworm trixie")
	@sh tests/fresh.sh '$(BUILD)/fresh' $(SUITES)

check-real: deps $(BUILD)/margay ## exact counts of real traces (TRACES=DIR)
	@test -n '$(TRACES)' || { echo 'usage: make check-real TRACES=DIR'; exit 2; }
	@MARGAY='$(abspath $(BUILD)/margay)' BUILD='$(abspath $(BUILD))' \
	    $(PROVE) --exec sh tests/traces/check_real.sh :: '$(TRACES)'

# Measured, never tested.  The hash pass is built for this machine, as the
# engine picks the best of its targets at run time.
bench_TOOLS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/*.c))

$(bench_TOOLS): $(BUILD)/%: %.c $(BUILD)/libmargay.a | $(installed_HEADERS)
	@mkdir -p $(@D)
	$(call quiet,CC $@) \
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -O3 $(if $(is_CROSS),,-march=native) $(LDFLAGS_ALL) \
	    -o $@ $< $(BUILD)/libmargay.a $(library_LIBS) -lm $(LIBS)

bench-tools: $(bench_TOOLS)

bench: deps $(BUILD)/margay bench-tools ## measure speed (BENCH_FLAGS='--only W1')
	@perl tests/bench/bench.pl $(BENCH_FLAGS) $(BUILD)/margay \
	    $(BUILD)/tests/bench $(BUILD)/bench

bench-peers: deps $(BUILD)/margay bench-tools ## next to other programs, whose sources are in PEERS=FOLDER
	@test -n '$(PEERS)' || { echo 'usage: make bench-peers PEERS=FOLDER'; exit 2; }
	@perl tests/bench/peers.pl $(BENCH_FLAGS) $(BUILD)/margay \
	    $(BUILD)/tests/bench $(BUILD)/bench '$(PEERS)'

# The tables of docs/measured/performance.md, TABLES=A,B some of them.  Published
# traces are read in TRACES.
measured-performance: deps $(BUILD)/margay bench-tools ## the tables of the page (TABLES= TRACES=)
	@perl tests/bench/performance.pl $(if $(TABLES),--tables $(TABLES)) \
	    $(BUILD)/margay $(BUILD)/tests/bench $(BUILD)/bench docs/measured \
	    $(TRACES)
	@perl tests/papers/pages.pl docs/measured/performance.md

# How fast a device is, into the page.
DEVICE      ?= 0
BACKEND     ?= auto
bench-gpu: deps $(BUILD)/margay bench-tools ## speed of a device (BACKEND= DEVICE=)
	@perl tests/papers/device.pl $(BUILD)/margay $(BUILD)/tests/bench \
	    $(BUILD)/papers docs/measured $(BACKEND) $(DEVICE)
	@perl tests/papers/pages.pl docs/measured/*.md

# What the sources have to look like.  Both compilers see everything, with
# warnings as errors; clang's do not depend on how it optimises.
lint_C       = $(shell find traces stackdist assoc sim tests -name '*.[ch]')
lint_SCRIPTS = $(wildcard .ci/*) $(shell grep -rlE '^\#!.*sh$$' tests)
lint_PAGES   = $(man_PAGES)

lint: deps ## check the sources: warnings, layout, scripts, man pages
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/lint-gcc' CC=gcc DEPS=no \
	    CFLAGS=-Werror tests bench-tools
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/lint-clang' CC=clang DEPS=no \
	    OPTIMISE=-O0 CFLAGS=-Werror tests bench-tools
	@clang-format --dry-run -Werror $(lint_C)
	@shellcheck -x -S warning $(lint_SCRIPTS)
	@mandoc -T lint -W warning $(lint_PAGES)
	@cppcheck -q -j$(JOBS) --enable=warning,portability --std=c11 \
	    --inline-suppr --error-exitcode=1 -I. -I$(BUILD)/lint-gcc/include \
	    --suppress=memleak:stackdist/reference/splay.c \
	    --suppress=nullPointer:stackdist/exact/exact_kernel.c \
	    --suppress=returnDanglingLifetime:traces/formats/logs.c \
	    --suppress=uninitvar:stackdist/gpu/kernels.h \
	    traces stackdist assoc sim
	@echo 'lint: nothing to complain about'

.PHONY: tests run bench bench-peers bench-gpu measured-performance bench-tools lint check check-asan check-tsan check-valgrind check-fresh check-real

include tests/frozen/module.mk
include tests/fuzz/module.mk
include tests/faults/module.mk
include tests/gpu/module.mk
include tests/papers/module.mk
include tests/evaluation/module.mk
include tests/prediction/module.mk
