/* cpu.h - the compiled targets that this processor can run */
#ifndef MARGAY_TRACES_BASE_CPU_H
#define MARGAY_TRACES_BASE_CPU_H

#include <stdbool.h>

/* The x86-64 micro-architecture levels that hot code is compiled for, as the
   psABI defines them: V3 has AVX2 and BMI2, V4 the common AVX-512 subsets.
   PORTABLE is what the compiler emits by default, on any processor. */
enum margay_target {
    MARGAY_TARGET_PORTABLE,
    MARGAY_TARGET_V3,
    MARGAY_TARGET_V4,
};

/* True if code compiled for `target` is in this build and runs here. */
bool margay_target_available(enum margay_target target);

/* The fastest available target. */
enum margay_target margay_target_best(void);

/* "portable", "v3" or "v4". */
const char *margay_target_name(enum margay_target target);

/* What is compiled for the target: NAME_portable, NAME_v3 or NAME_v4, or their
   addresses where the name begins with &. */
#if defined(__x86_64__)
#define MARGAY_FOR_TARGET(name, target)         \
    ((target) == MARGAY_TARGET_V4   ? name##_v4 \
     : (target) == MARGAY_TARGET_V3 ? name##_v3 \
                                    : name##_portable)
#else
#define MARGAY_FOR_TARGET(name, target) name##_portable
#endif

/* Declare them; and their name in the file that is compiled for each target. */
#define MARGAY_DECLARE_FOR_TARGETS(type, name) \
    extern type name##_portable, name##_v3, name##_v4;
#define MARGAY_TARGET_NAME(name)           MARGAY_TARGET_PASTE(name, MARGAY_TARGET_SUFFIX)
#define MARGAY_TARGET_PASTE(name, suffix)  MARGAY_TARGET_PASTE_(name, suffix)
#define MARGAY_TARGET_PASTE_(name, suffix) name##_##suffix

#endif
