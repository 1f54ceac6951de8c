/* sizes.h - numbers that the kernels and the host have in common */
#ifndef MARGAY_STACKDIST_GPU_SIZES_H
#define MARGAY_STACKDIST_GPU_SIZES_H

/* Items of a group, references of an item, and references of a group's tile. */
#define GROUP_ITEMS 128
#define ITEM_REFS   8
#define TILE_REFS   1024

/* Bits of a digit by which is sorted, and its values. */
#define DIGIT_BITS 4
#define DIGITS     16

#endif
