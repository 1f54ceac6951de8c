# assoc/ - blocks to the misses of every set-associative cache
assoc_KERNELS   := assoc/one_pass/kernel_32.c assoc/one_pass/kernel_64.c \
                   assoc/one_pass/fifo_kernel.c
library_SOURCES += $(filter-out $(assoc_KERNELS),\
                     $(wildcard assoc/*.c assoc/*/*.c))
public_HEADERS  += assoc/assoc.h assoc/hierarchy/hierarchy.h \
                   assoc/hierarchy/family.h assoc/policy.h

# Compiled for each processor level, by the rule in stackdist/module.mk.
library_EXTRA_OBJECTS += $(foreach target,$(kernel_TARGETS),\
                           $(assoc_KERNELS:%.c=$(BUILD)/obj/%.$(target).o))
