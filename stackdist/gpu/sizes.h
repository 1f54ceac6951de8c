/* sizes.h - what the kernels and those who launch them have to agree on */
#ifndef MARGAY_STACKDIST_GPU_SIZES_H
#define MARGAY_STACKDIST_GPU_SIZES_H

/* Items in a group, references to each, and what a group takes at a time. */
#define GROUP_ITEMS 128
#define ITEM_REFS   8
#define TILE_REFS   1024

/* Sorting goes by digits of so many bits. */
#define DIGIT_BITS 4
#define DIGITS     16

#endif
