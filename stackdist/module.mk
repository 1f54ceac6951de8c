# stackdist/ - blocks to reuse distances to miss curves
kernel_SOURCES  := stackdist/exact/exact_kernel.c \
                   stackdist/exact/near_kernel.c \
                   stackdist/optimal/give_kernel.c \
                   stackdist/objects/classes_kernel.c \
                   stackdist/objects/objects_kernel.c \
                   stackdist/objects/samples_kernel.c
# What needs MPI goes into margay-mpi only (sim/module.mk).
mpi_SOURCES     := stackdist/parts/mpi.c
library_SOURCES += $(filter-out $(kernel_SOURCES) $(mpi_SOURCES),\
                     $(wildcard stackdist/*.c stackdist/*/*.c))
public_HEADERS  += stackdist/stackdist.h stackdist/objects.h \
                   stackdist/prefixes.h stackdist/sharing.h \
                   stackdist/phases.h stackdist/prediction.h
library_LIBS    += -lm

# The hot loops of exact engines are compiled once per processor level and
# chosen at run time; elsewhere than on x86-64 there is only the portable one.
kernel_TARGETS := portable
ifneq ($(filter x86_64 amd64,$(target_MACHINE)),)
kernel_TARGETS += v3 v4
endif
kernel_CFLAGS_portable := -DMARGAY_TARGET_SUFFIX=portable
kernel_CFLAGS_v3 := -DMARGAY_TARGET_SUFFIX=v3 -march=x86-64-v3
kernel_CFLAGS_v4 := -DMARGAY_TARGET_SUFFIX=v4 -march=x86-64-v4

define kernel_rule
library_EXTRA_OBJECTS += $(kernel_SOURCES:%.c=$(BUILD)/obj/%.$(1).o)
$(BUILD)/obj/%.$(1).o: %.c $(BUILD)/flags | $$(installed_HEADERS) deps
	@mkdir -p $$(@D)
	$$(call quiet,CC $$@)$$(CC) $$(CPPFLAGS_ALL) $$(CFLAGS_ALL) -O3 \
	    $$(kernel_CFLAGS_$(1)) $$(depend_FLAGS) -c -o $$@ $$<
endef
$(foreach target,$(kernel_TARGETS),$(eval $(call kernel_rule,$(target))))

# The kernels for devices: compiled as plain C by emulate.c, and as text for
# the compiler in an OpenCL driver, without what only the C compiler reads.
gpu_KERNELS := stackdist/gpu/sizes.h stackdist/gpu/kernels.h
library_EXTRA_OBJECTS += $(BUILD)/obj/stackdist/gpu/opencl_source.o

$(BUILD)/gpu/opencl_source.c: $(gpu_KERNELS) stackdist/module.mk
	@mkdir -p $(@D)
	@{ \
	    echo '#include <stdint.h>'; \
	    echo 'extern const char *const margay_gpu_opencl_source[];'; \
	    echo 'extern const uint32_t margay_gpu_opencl_source_lines;'; \
	    echo 'const char *const margay_gpu_opencl_source[] = {'; \
	    sed -e '/^#include/d' -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n",/' \
	        $(gpu_KERNELS); \
	    echo '};'; \
	    echo 'const uint32_t margay_gpu_opencl_source_lines ='; \
	    echo '    sizeof margay_gpu_opencl_source / sizeof(char *);'; \
	} >$@

$(BUILD)/obj/stackdist/gpu/opencl_source.o: $(BUILD)/gpu/opencl_source.c \
    $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,CC $@)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<
