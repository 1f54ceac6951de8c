/* kernel_32.c - the loops over references, with tags of 32 bits */
#define MARGAY_TAG_BITS 32
#include "assoc/one_pass/kernel.h"
