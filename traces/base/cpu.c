/* cpu.c - the compiled targets that this processor can run */
#include "traces/base/cpu.h"

bool margay_target_available(enum margay_target target)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
              __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("popcnt");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") &&
              __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") &&
              __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
    switch (target) {
    case MARGAY_TARGET_V4:
        return v4;
    case MARGAY_TARGET_V3:
        return v3;
    case MARGAY_TARGET_PORTABLE:
        return true;
    }
    return false;
#else
    return target == MARGAY_TARGET_PORTABLE;
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
    switch (target) {
    case MARGAY_TARGET_V4:
        return "v4";
    case MARGAY_TARGET_V3:
        return "v3";
    case MARGAY_TARGET_PORTABLE:
        break;
    }
    return "portable";
}
