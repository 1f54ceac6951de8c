# traces/ - bytes to references to blocks
library_SOURCES += $(wildcard traces/base/*.c traces/formats/*.c \
                     traces/generate/*.c traces/capture/*.c)
public_HEADERS  += traces/base/status.h traces/columns.def traces/traces.h \
                   traces/writing.h
library_LIBS    += -lz -lcsv -lzstd

# What these read is read where their headers are when this is built, and they
# themselves when it runs (traces/base/late.h): liblzma from 5.4 on, of xz by
# several threads; yajl, of the formats in JSON; PCRE2, of regex; libdw, of lines
# of sources.  lzma_LIBS= does without.  A header is looked for once, when a
# recipe needs to know: `deps` may have brought it.
late_lzma  := \#include <lzma.h>\nvoid *used = (void *)lzma_stream_decoder_mt;
late_yajl  := \#include <yajl/yajl_parse.h>
late_pcre2 := \#define PCRE2_CODE_UNIT_WIDTH 8\n\#include <pcre2.h>
late_libdw := \#include <elfutils/libdwfl.h>
late_FOUND  = $(eval $(1)_LIBS := $$(shell printf '$$(late_$(1))' | \
              $$(CC) $$(CPPFLAGS) -Werror -x c - -fsyntax-only 2>/dev/null && \
              echo yes))$($(1)_LIBS)
lzma_LIBS   = $(call late_FOUND,lzma)
yajl_LIBS   = $(call late_FOUND,yajl)
pcre2_LIBS  = $(call late_FOUND,pcre2)
libdw_LIBS  = $(call late_FOUND,libdw)
late_CPPFLAGS = $(if $(lzma_LIBS),-DMARGAY_HAS_LZMA) \
                $(if $(yajl_LIBS),-DMARGAY_HAS_YAJL) \
                $(if $(pcre2_LIBS),-DMARGAY_HAS_PCRE2) \
                $(if $(libdw_LIBS),-DMARGAY_HAS_LIBDW)

# The runtime that recorded programs are linked with.  It is part of the program,
# not of the library: no sanitizer of ours may look into it, nor may the compiler
# turn its loops into calls of the functions that it stands in for.  Hooks begin at
# lines of the cache: elsewhere a program that calls them took up to a tenth longer.
runtime_SOURCES := $(wildcard traces/capture/runtime/*.c)
runtime_OBJECTS  = $(runtime_SOURCES:%.c=$(BUILD)/runtime/%.o)
runtime_CFLAGS   = -std=c17 $(OPTIMISE) $(WARNINGS) -fPIC -fno-builtin \
                   -falign-functions=64 -fvisibility=hidden \
                   -ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(BUILD)/=build/
runtime_ARCHIVE  = $(BUILD)/libmargay_runtime.a
runtime_FILES    = $(runtime_ARCHIVE) $(BUILD)/calls.h

all tests: $(runtime_FILES) $(BUILD)/no-tsan/libtsan.a

$(runtime_OBJECTS): $(BUILD)/runtime/%.o: %.c $(BUILD)/flags | deps
	@mkdir -p $(@D)
	$(call quiet,CC $@)$(CC) -I. $(CPPFLAGS) $(runtime_CFLAGS) $(CFLAGS) \
	    -fno-sanitize=all $(depend_FLAGS) -c -o $@ $<

# Without the names of its static functions, which the program's may have, too.
$(runtime_ARCHIVE): OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)
$(runtime_ARCHIVE): $(runtime_OBJECTS)
	@rm -f $@
	$(call quiet,AR $@)$(AR) rcsD $@ $^ && $(OBJCOPY) -D --discard-all $@

$(BUILD)/calls.h: traces/capture/runtime/calls.h
	@mkdir -p $(@D)
	@cp $< $@

# Found in place of the compilers' own, where they want to link that.
$(BUILD)/no-tsan/libtsan.a:
	@mkdir -p $(@D)
	@rm -f $@
	@$(AR) rcsD $@

# The tool of Valgrind, where its headers and libraries are: a program without
# the C library, at the address where Valgrind has its tools; with a launcher,
# and a library that does nothing, which Valgrind loads before a program's own.
PKG_CONFIG       ?= pkg-config
valgrind_SAYS     = $(shell $(PKG_CONFIG) $(1) valgrind 2>/dev/null)
ifeq ($(is_CROSS),)
valgrind_MACHINE := $(call valgrind_SAYS,--variable=platform)
endif
valgrind_ROOM    := $(BUILD)/valgrind
valgrind_LAUNCH  := $(valgrind_ROOM)/margay-valgrind
valgrind_TOOL    := $(valgrind_ROOM)/margay-$(valgrind_MACHINE)
valgrind_PRELOAD := $(valgrind_ROOM)/vgpreload_core-$(valgrind_MACHINE).so
ifneq ($(and $(filter amd64-linux arm64-linux,$(valgrind_MACHINE)),$(wildcard \
    $(call valgrind_SAYS,--variable=libdir)/valgrind/libcoregrind-*.a)),)
valgrind_PROGRAMS := $(valgrind_LAUNCH) $(valgrind_TOOL)
valgrind_LIBRARY  := $(valgrind_PRELOAD)
endif
valgrind_SOURCES := $(addprefix traces/capture/valgrind/,cursors.c instrument.c \
                        libc.c tool.c) \
                    $(addprefix traces/capture/runtime/,images.c process.c)
valgrind_OBJECTS  = $(valgrind_SOURCES:%.c=$(valgrind_ROOM)/%.o)
valgrind_ARCH    := $(firstword $(subst -, ,$(valgrind_MACHINE)))
# Threads have no storage of their own in a tool, which runs them in turns: a
# variable of a thread lies in a section, which cursors.c puts aside.
valgrind_CFLAGS   = -std=gnu17 $(OPTIMISE) $(WARNINGS) -Wno-pedantic \
    $(patsubst -I%,-isystem %,$(call valgrind_SAYS,--cflags)) \
    -DVGA_$(valgrind_ARCH)=1 -DVGO_linux=1 -DVGP_$(valgrind_ARCH)_linux=1 \
    -DVGPV_$(valgrind_ARCH)_linux_vanilla=1 \
    '-D__thread=__attribute__((section("margay_locals")))' \
    '-Dtls_model(model)=unused' \
    -U_FORTIFY_SOURCE -fno-builtin -fno-stack-protector -fno-pie \
    -fno-strict-aliasing -ffile-prefix-map=$(CURDIR)=. \
    -ffile-prefix-map=$(BUILD)/=build/

# `deps` may bring Valgrind after this was read.
all tests: valgrind-tool
valgrind-tool: $(valgrind_PROGRAMS) $(valgrind_LIBRARY) | deps
ifeq ($(valgrind_PROGRAMS)$(is_CROSS),)
	+@if [ '$(DEPS)' != no ] && $(PKG_CONFIG) --exists valgrind 2>/dev/null; \
	then $(MAKE) --no-print-directory DEPS=no $@; fi
endif
.PHONY: valgrind-tool

$(valgrind_OBJECTS): $(valgrind_ROOM)/%.o: %.c $(BUILD)/flags | \
    $(installed_HEADERS) deps
	@mkdir -p $(@D)
	$(call quiet,CC $@)$(CC) -I. -I$(BUILD)/include $(CPPFLAGS) \
	    $(valgrind_CFLAGS) $(CFLAGS) -fno-sanitize=all $(depend_FLAGS) \
	    -c -o $@ $<

$(valgrind_TOOL): $(valgrind_OBJECTS)
	$(call quiet,LD $@)$(CC) -static -nostdlib -nostartfiles \
	    -u _start -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-S \
	    -Wl,-Ttext-segment=$(call valgrind_SAYS,--variable=valt_load_address) \
	    -o $@ $^ $(call valgrind_SAYS,--libs) -lgcc

$(valgrind_LAUNCH): traces/capture/valgrind/launcher.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,CC $@)$(CC) -std=c17 $(CPPFLAGS) $(OPTIMISE) $(HARDENING) $(WARNINGS) \
	    $(CFLAGS) -DMARGAY_TOOL='"$(notdir $(valgrind_TOOL))"' \
	    $(hardening_LDFLAGS) $(LDFLAGS) -o $@ $<

$(valgrind_PRELOAD):
	@mkdir -p $(@D)
	@$(CC) -shared -nostdlib -o $@ -x c /dev/null

# The plugin for clang, if the files of its version of LLVM are there; LLVM_CONFIG=
# does without.  It is named after this version, which alone can load it.
CLANG        ?= clang
CXX          ?= c++
clang_VERSION := $(shell $(CLANG) --version 2>/dev/null | \
                   sed -n 's/.*clang version \([0-9]*\)\..*/\1/p')
LLVM_CONFIG  ?= $(firstword $(shell command -v llvm-config-$(clang_VERSION) \
                  llvm-config 2>/dev/null))
llvm_VERSION := $(if $(LLVM_CONFIG),$(firstword $(subst ., ,\
                  $(shell $(LLVM_CONFIG) --version 2>/dev/null))))
llvm_INCLUDE := $(if $(llvm_VERSION),$(shell $(LLVM_CONFIG) --includedir))
llvm_PLUGIN  := $(if $(is_CROSS),,$(if $(shell command -v $(CXX)),\
    $(if $(wildcard $(llvm_INCLUDE)/llvm/Passes/PassPlugin.h),\
        $(BUILD)/margay_llvm$(llvm_VERSION).so)))
llvm_SOURCES := $(wildcard traces/capture/llvm/*.cpp)
llvm_OBJECTS := $(patsubst %.cpp,$(BUILD)/llvm/%.o,$(llvm_SOURCES))
llvm_CXXFLAGS = -std=c++17 -O2 -Wall -Wextra -Wpedantic -Wshadow -fPIC \
                -fno-rtti -fno-exceptions -fvisibility=hidden \
                -isystem $(llvm_INCLUDE) -D_GNU_SOURCE

all tests: $(llvm_PLUGIN)

$(llvm_OBJECTS): $(BUILD)/llvm/%.o: %.cpp $(BUILD)/flags | deps
	@mkdir -p $(@D)
	$(call quiet,CXX $@)$(CXX) -I. $(CPPFLAGS) $(llvm_CXXFLAGS) $(CXXFLAGS) \
	    $(depend_FLAGS) -c -o $@ $<

$(BUILD)/margay_llvm%.so: $(llvm_OBJECTS)
	$(call quiet,LD $@)$(CXX) $(CXXFLAGS) $(hardening_LDFLAGS) $(LDFLAGS) \
	    -shared -o $@ $^

-include $(llvm_OBJECTS:.o=.d)

-include $(runtime_OBJECTS:.o=.d) $(valgrind_OBJECTS:.o=.d)
