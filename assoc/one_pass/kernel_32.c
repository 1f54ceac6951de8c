/* kernel_32.c - the loops over references, with tags of 32 bits */
#include <stdint.h>

typedef uint32_t tag;
#define MARGAY_TAG_BITS 32

#define PASTE(suffix)         margay_levels_kernel_##suffix
#define MARGAY_KERNEL(suffix) PASTE(suffix)

#include "assoc/one_pass/kernel.h"
