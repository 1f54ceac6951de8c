/* phases.h - what a margay_phases holds, once it has finished */
#ifndef MARGAY_STACKDIST_PHASES_PHASES_H
#define MARGAY_STACKDIST_PHASES_PHASES_H

#include "stackdist/engines/clock.h"
#include "stackdist/phases/cut.h"

struct margay_phases {
    margay_engine *engine;
    struct margay_clock clock;
    struct intervals intervals;
    struct pieces pieces;
    uint64_t *distances; /* of the references of a call, up to AT_ONCE */
};

#endif
