/* shapes.h - small traces of many shapes, for the tests of assoc/ */
#ifndef MARGAY_TESTS_ASSOC_SHAPES_H
#define MARGAY_TESTS_ASSOC_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#include "tests/chance.h"
#include "traces/traces_internal.h"

enum shape {
    SHAPE_UNIFORM,   /* any of a few blocks */
    SHAPE_STRIDED,   /* a fixed number of bytes apart, round and round */
    SHAPE_CONFLICTS, /* multiples of large powers of two */
    SHAPE_LOOPED,    /* a loop with an excursion now and then */
    SHAPE_LOCAL,     /* a walk of small steps */
    SHAPE_ENDS,      /* both ends of the 64-bit range */
    SHAPE_SCATTERED, /* anywhere in it, a few places again and again */
    SHAPES,
};

static const char *const shape_names[SHAPES] = {
    [SHAPE_UNIFORM] = "uniform",     [SHAPE_STRIDED] = "strided",
    [SHAPE_CONFLICTS] = "conflicts", [SHAPE_LOOPED] = "looped",
    [SHAPE_LOCAL] = "local",         [SHAPE_ENDS] = "both ends",
    [SHAPE_SCATTERED] = "scattered",
};

/* Fill a trace of some shape, with parameters that follow from `random`. */
static inline void shape_fill(enum shape shape, uint64_t *numbers,
                              uint8_t *kinds, size_t count)
{
    uint64_t span = 1 + below(1 << 12);
    uint64_t step = UINT64_C(1) << below(10);
    uint64_t base = any_u64() >> below(64);
    uint64_t place = 0, places[16];
    for (int i = 0; i < 16; i++)
        places[i] = any_u64();
    for (size_t i = 0; i < count; i++) {
        uint64_t any = any_u64();
        switch (shape) {
        case SHAPE_UNIFORM:
            numbers[i] = base + any % span;
            break;
        case SHAPE_STRIDED:
            numbers[i] = base + i * step % (step * (1 + span % 64));
            break;
        case SHAPE_CONFLICTS:
            numbers[i] = (any % 24) << (4 + (any >> 32) % 12);
            break;
        case SHAPE_LOOPED:
            numbers[i] = any % 16 == 0 ? any % span : i % (1 + span / 16) * 16;
            break;
        case SHAPE_LOCAL:
            place += (any & 31) - 15;
            numbers[i] = base + place;
            break;
        case SHAPE_ENDS:
            numbers[i] = (any >> 32 & 1) != 0 ? -(any % span) - 1 : any % span;
            break;
        default:
            numbers[i] = (any & 3) == 0 ? any : places[any >> 60];
        }
        kinds[i] = (uint8_t)below(MARGAY_KINDS);
    }
}

#endif
