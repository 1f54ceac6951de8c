/*
 * traces_internal.h - the ground floor, for the folders above
 *
 * Not installed.  Everything in base/ is everyone's; nothing else of traces/
 * may be used from outside but what traces.h offers.
 */
#ifndef MARGAY_TRACES_INTERNAL_H
#define MARGAY_TRACES_INTERNAL_H

#include "traces/base/alias.h"
#include "traces/base/checked.h"
#include "traces/base/cpu.h"
#include "traces/base/crew.h"
#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/base/fnv.h"
#include "traces/base/mask.h"
#include "traces/base/memory.h"
#include "traces/base/nearest.h"
#include "traces/base/number.h"
#include "traces/base/random.h"
#include "traces/base/thread.h"
#include "traces/capture/receiver.h"
#include "traces/capture/words.h"

#include <margay/traces.h>

#endif
