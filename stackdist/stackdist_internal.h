/*
 * stackdist_internal.h - the parts of stackdist/ for assoc and sim
 *
 * Not installed.
 */
#ifndef MARGAY_STACKDIST_INTERNAL_H
#define MARGAY_STACKDIST_INTERNAL_H

#include "stackdist/engine.h"
#include "stackdist/exact/hash.h"
#include "stackdist/gpu/device.h"
#include "stackdist/half_life.h"
#include "stackdist/histogram.h"
#include "stackdist/parts/cluster.h"
#include "stackdist/parts/row.h"
#include "stackdist/predict/model.h"
#include "traces/traces_internal.h"

#include <margay/stackdist.h>

#endif
