# tests/faults/ - a system that fails, and signals at any moment
#
# The tests preload inject.so into the command.  Under a sanitizer, which has
# a malloc of its own, a build with inject.c linked in takes its place.
$(BUILD)/tests/faults/inject.so: tests/faults/inject.c | deps
	@mkdir -p $(@D)
	$(call quiet,LD $@)$(CC) $(CPPFLAGS_ALL) -std=c17 -O2 -g $(WARNINGS) \
	    -fPIC -shared -o $@ $< -ldl

ifeq ($(SANITIZE),)
tests: $(BUILD)/tests/faults/inject.so
endif

# The calls of the program's own objects that inject.c gets between.
faults_CALLS := malloc calloc realloc reallocarray mmap read write close \
                rename pthread_create
faults_BUILD := $(BUILD)/faults
faults_INJECT := $(faults_BUILD)/inject.o

$(faults_INJECT): tests/faults/inject.c | deps
	@mkdir -p $(@D)
	$(call quiet,CC $@)$(CC) -std=c17 -O1 -g $(WARNINGS) \
	    -DMARGAY_FAULTS_WRAP -c -o $@ $<

soak: deps tests $(faults_INJECT) ## what takes long: faults under ASan, signals, long traces
	+@$(MAKE) BUILD='$(faults_BUILD)' OPTIMISE='-O1 -g' DEPS=no \
	    SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' \
	    LDFLAGS='$(LDFLAGS) $(faults_CALLS:%=-Wl,--wrap=%)' \
	    LIBS='$(abspath $(faults_INJECT)) $(LIBS)' all
	@MARGAY='$(abspath $(faults_BUILD))/margay' BUILD='$(abspath $(BUILD))' \
	    MARGAY_FAULT_PRELOAD= ASAN_OPTIONS=exitcode=99:abort_on_error=0 \
	    $(PROVE) --timer --failures --comments \
	    $(BUILD)/tests/faults/test_faults
	@MARGAY='$(abspath $(BUILD)/margay)' BUILD='$(abspath $(BUILD))' \
	    MARGAY_TEST_ROUNDS=3000 $(PROVE) --timer --failures --comments \
	    $(BUILD)/tests/faults/test_moments
	@MARGAY_TEST_ROUNDS=300 $(PROVE) --timer --failures --comments \
	    $(BUILD)/tests/stackdist/test_engines_large

.PHONY: soak
