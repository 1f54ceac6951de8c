/* cpu.c - the compiled targets that this processor can run */
#include "traces/base/cpu.h"

bool margay_target_available(enum margay_target target)
{
    if (target == MARGAY_TARGET_PORTABLE)
        return true;
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("popcnt") &&
           (target == MARGAY_TARGET_V3 || (__builtin_cpu_supports("avx512f") &&
                                           __builtin_cpu_supports("avx512bw") &&
                                           __builtin_cpu_supports("avx512cd") &&
                                           __builtin_cpu_supports("avx512dq") &&
                                           __builtin_cpu_supports("avx512vl")));
#else
    return false;
#endif
}

enum margay_target margay_target_best(void)
{
    if (margay_target_available(MARGAY_TARGET_V4))
        return MARGAY_TARGET_V4;
    if (margay_target_available(MARGAY_TARGET_V3))
        return MARGAY_TARGET_V3;
    return MARGAY_TARGET_PORTABLE;
}

const char *margay_target_name(enum margay_target target)
{
    return target == MARGAY_TARGET_V4   ? "v4"
           : target == MARGAY_TARGET_V3 ? "v3"
                                        : "portable";
}
