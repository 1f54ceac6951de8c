/* kernel_64.c - the loops over references, with tags of 64 bits */
#include <stdint.h>

typedef uint64_t tag;
#define MARGAY_TAG_BITS 64

#define PASTE(suffix)         margay_wide_levels_kernel_##suffix
#define MARGAY_KERNEL(suffix) PASTE(suffix)

#include "assoc/one_pass/kernel.h"
