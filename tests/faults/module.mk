# tests/faults/ - a system that fails, and signals at any moment
#
# The tests preload inject.so into the command.  Under a sanitizer, which has
# a malloc of its own, a build with inject.c linked in takes its place.
$(BUILD)/tests/faults/inject.so: tests/faults/inject.c | deps
	@mkdir -p $(@D)
	$(call quiet,LD $@)$(CC) $(CPPFLAGS_ALL) -std=c17 -O2 -g $(WARNINGS) \
	    -U_FORTIFY_SOURCE -fPIC -shared -o $@ $< -ldl

ifeq ($(SANITIZE),)
tests: $(BUILD)/tests/faults/inject.so
endif

# The calls of the program's own objects that inject.c gets between.  Among them
# are those of the C library that allocate; the checked forms of FORTIFY_SOURCE,
# which have other names, are not, so the program is built without.
faults_CALLS := malloc calloc realloc reallocarray strdup strndup asprintf \
                vasprintf realpath mmap read write close \
                rename linkat pthread_create pread open fopen mkostemp memfd_create \
                lseek ftruncate dup dup2 pipe2 fork
faults_BUILD := $(BUILD)/faults
faults_INJECT := $(faults_BUILD)/inject.o

$(faults_INJECT): tests/faults/inject.c | deps
	@mkdir -p $(@D)
	$(call quiet,CC $@)$(CC) -std=c17 -O1 -g $(WARNINGS) \
	    -U_FORTIFY_SOURCE -DMARGAY_FAULTS_WRAP -c -o $@ $<

soak: export MARGAY_TEST_SECONDS ?= 86400
soak: deps tests $(faults_INJECT) ## what takes long: faults under ASan, signals, kills, long traces
	+@$(MAKE) BUILD='$(faults_BUILD)' OPTIMISE='-O1 -g' DEPS=no \
	    SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' \
	    CPPFLAGS='$(CPPFLAGS) -U_FORTIFY_SOURCE' \
	    LIBS='$(faults_CALLS:%=-Wl,--wrap=%) $(abspath $(faults_INJECT)) \
	        $(LIBS)' faulty
	@MARGAY='$(abspath $(faults_BUILD))/margay' BUILD='$(abspath $(BUILD))' \
	    MARGAY_PLOTS='$(abspath plots)' MARGAY_TEST_ROUNDS=1000000 \
	    MARGAY_FAULT_PRELOAD= ASAN_OPTIONS=exitcode=99:abort_on_error=0 \
	    $(PROVE) --timer --failures --comments \
	    $(BUILD)/tests/faults/test_faults
	@MARGAY='$(abspath $(BUILD)/margay)' BUILD='$(abspath $(BUILD))' \
	    MARGAY_TEST_ROUNDS=3000 $(PROVE) --timer --failures --comments \
	    $(BUILD)/tests/faults/test_moments
	@MARGAY='$(abspath $(BUILD)/margay)' BUILD='$(abspath $(BUILD))' \
	    MARGAY_TEST_ROUNDS=6000 $(PROVE) --timer --failures --comments \
	    $(BUILD)/tests/faults/test_kills
	@MARGAY_TEST_ROUNDS=300 $(PROVE) --timer --failures --comments \
	    $(BUILD)/tests/stackdist/test_engines_large

# The parts that the tests run; the runtime is unchanged.
faulty: $(BUILD)/margay $(runtime_FILES) $(BUILD)/no-tsan/libtsan.a

.PHONY: soak faulty
