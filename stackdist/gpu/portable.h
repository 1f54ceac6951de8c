/*
 * portable.h - one language for kernels: OpenCL C 1.2 and plain C
 *
 * A kernel is run by groups of GROUP_ITEMS items each.  It is a sequence of
 * steps: what the items of a group do side by side in one step is the body of a
 * loop
 *
 *     EACH_ITEM (t) {
 *         ...
 *     }
 *     SYNC();
 *
 * which a device runs once for each item, with t its number in the group, and
 * the emulation for one item after the other.  So only LOCAL memory lasts from
 * step to step, statements outside of the steps are the same for all items, and
 * no item may read LOCAL memory that another item writes in the same step.
 *
 * After SYNC_GLOBAL() the group's items see what they wrote to GLOBAL memory,
 * too.
 *
 * There are no variadic macros, no wide types but ulong, and nothing of the
 * standard library: OpenCL C has none of them.
 */
#ifndef MARGAY_STACKDIST_GPU_PORTABLE_H
#define MARGAY_STACKDIST_GPU_PORTABLE_H

#include "stackdist/gpu/sizes.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

#define KERNEL \
    __kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void
#define INLINE      static inline
#define GLOBAL      __global
#define LOCAL       __local
#define LOCAL_ARRAY __local
#define GROUP_ARGUMENT
#define GROUP_NUMBER ((uint)get_group_id(0))
#define EACH_ITEM(t) \
    for (uint t = (uint)get_local_id(0), t##_end = t + 1; t < t##_end; t++)
#define SYNC()               barrier(CLK_LOCAL_MEM_FENCE)
#define SYNC_GLOBAL()        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define ADD_GLOBAL(at, more) atomic_add((at), (more))
#define ADD_LOCAL(at, more)  atomic_add((at), (more))

#else /* The emulation: one thread, group after group. */

#include <stdbool.h>
#include <stdint.h>

typedef uint8_t uchar;
typedef uint16_t ushort;
typedef uint32_t uint;
typedef uint64_t ulong;

/* An atomic addition, where only one thread runs. */
static inline uint margay_emulated_add(uint *at, uint more)
{
    uint before = *at;
    *at = before + more;
    return before;
}

#define KERNEL static void
#define INLINE static inline
#define GLOBAL
#define LOCAL
#define LOCAL_ARRAY
#define GROUP_ARGUMENT       const uint margay_group,
#define GROUP_NUMBER         margay_group
#define EACH_ITEM(t)         for (uint t = 0; t < GROUP_ITEMS; t++)
#define SYNC()               ((void)0)
#define SYNC_GLOBAL()        ((void)0)
#define ADD_GLOBAL(at, more) margay_emulated_add((at), (more))
#define ADD_LOCAL(at, more)  margay_emulated_add((at), (more))

#endif

/* A step for each reference of the group's tile that lies before `count`. */
#define EACH_OF_TILE(at, count)                  \
    EACH_ITEM(t)                                 \
    for (uint at = GROUP_NUMBER * TILE_REFS + t; \
         at < (count) && at / TILE_REFS == GROUP_NUMBER; at += GROUP_ITEMS)

#endif
