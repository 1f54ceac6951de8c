/* kernel_64.c - the loops over references, with tags of 64 bits */
#define MARGAY_TAG_BITS 64
#include "assoc/one_pass/kernel.h"
