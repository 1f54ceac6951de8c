/*
 * traces_internal.h - the parts of traces/ that other folders use besides
 * traces.h
 *
 * Not installed.  Most of base/, and some headers of the other rooms.
 */
#ifndef MARGAY_TRACES_INTERNAL_H
#define MARGAY_TRACES_INTERNAL_H

#include "traces/base/alias.h"
#include "traces/base/bisect.h"
#include "traces/base/checked.h"
#include "traces/base/clock.h"
#include "traces/base/cpu.h"
#include "traces/base/crew.h"
#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/base/fnv.h"
#include "traces/base/grow.h"
#include "traces/base/late.h"
#include "traces/base/mask.h"
#include "traces/base/memory.h"
#include "traces/base/nameless.h"
#include "traces/base/nearest.h"
#include "traces/base/number.h"
#include "traces/base/random.h"
#include "traces/base/sample.h"
#include "traces/base/spec.h"
#include "traces/capture/receiver.h"
#include "traces/capture/relay.h"
#include "traces/formats/data.h"
#include "traces/formats/decompress.h"
#include "traces/formats/reading.h"
#include "traces/formats/words.h"

#include <margay/traces.h>

#endif
