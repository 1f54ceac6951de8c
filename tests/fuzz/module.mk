# tests/fuzz/ - bytes that mean harm
#
# `replay`, a part of the tests, runs each target on its seeds and on what was
# found before; `fuzz` looks for more, with libFuzzer, and needs clang.
SECONDS      ?= 60
RUNS         ?=
FUZZ_CC      ?= clang
FUZZ_TARGETS ?=
FUZZ_FLAGS   ?=
fuzz_SOURCES := $(filter-out %/replay.c %/libfuzzer.c,$(wildcard tests/fuzz/*.c))
# All of the command but its main, which the tests have their own of.
fuzz_COMMAND := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out \
                  sim/command/main.c,$(program_SOURCES)))

# The readers with buffers as small as the fuzzers have them (format.h), whose
# input.c fuzz_trace.c replaces; the receiver with buffers of a page, as most of
# its time would go into looking for words in them.
fuzz_SHRINK  := -DMARGAY_SHRINK=7 -DMARGAY_BUFFER_WORDS=512
fuzz_READERS := $(patsubst %.c,$(BUILD)/obj/shrunk/%.o,\
                  $(filter-out %/input.c,$(wildcard traces/formats/*.c)) \
                  $(wildcard traces/capture/*.c))

$(BUILD)/obj/shrunk/%.o: %.c $(BUILD)/flags | $(installed_HEADERS) deps
	@mkdir -p $(@D)
	$(call quiet,CC $@)$(CC) $(CPPFLAGS_ALL) $(fuzz_SHRINK) $(CFLAGS_ALL) \
	    $(depend_FLAGS) -c -o $@ $<

$(BUILD)/obj/tests/fuzz/%.o: CPPFLAGS += $(fuzz_SHRINK)

$(BUILD)/tests/fuzz/replay: $(BUILD)/obj/tests/fuzz/replay.o \
    $(fuzz_SOURCES:%.c=$(BUILD)/obj/%.o) $(fuzz_READERS) $(fuzz_COMMAND) \
    $(BUILD)/libmargay.a
	@mkdir -p $(@D)
	$(call quiet,LD $@)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(library_LIBS) \
	    $(tests_LIBS) $(LIBS)

# The seeds, of which several tests take traces.
$(BUILD)/tests/fuzz/seeds/made: tests/fuzz/seeds.txt tests/fuzz/seeds.pl
	@rm -rf $(@D) && perl tests/fuzz/seeds.pl unpack $(@D) && touch $@

tests: $(BUILD)/tests/fuzz/replay $(BUILD)/tests/fuzz/seeds/made

# The program is a build of its own, in which everything is instrumented.
$(BUILD)/tests/fuzz/fuzzer: $(BUILD)/obj/tests/fuzz/libfuzzer.o \
    $(fuzz_SOURCES:%.c=$(BUILD)/obj/%.o) $(fuzz_READERS) $(fuzz_COMMAND) \
    $(BUILD)/libmargay.a
	@mkdir -p $(@D)
	$(call quiet,LD $@)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -fsanitize=fuzzer -o $@ $^ \
	    $(library_LIBS) $(tests_LIBS) $(LIBS)

fuzzer: $(BUILD)/tests/fuzz/fuzzer

fuzz: deps ## fuzz for SECONDS=60 each, or RUNS=N (FUZZ_TARGETS="din ...")
	+@$(MAKE) BUILD='$(BUILD)/fuzz' CC='$(FUZZ_CC)' OPTIMISE='-O1 -g' DEPS=no \
	    SANITIZE='-fsanitize=fuzzer-no-link,address,undefined \
	        -fno-sanitize-recover=all' fuzzer
	@sh tests/fuzz/run.sh '$(abspath $(BUILD))/fuzz' '$(SECONDS)' \
	    '$(RUNS)' '$(FUZZ_TARGETS)' $(FUZZ_FLAGS)

.PHONY: fuzz fuzzer
