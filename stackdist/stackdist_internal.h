/*
 * stackdist_internal.h - what stackdist/ lends to the folders on its right
 *
 * Not installed.
 */
#ifndef MARGAY_STACKDIST_INTERNAL_H
#define MARGAY_STACKDIST_INTERNAL_H

#include "stackdist/gpu/device.h"
#include "stackdist/hash/hash.h"
#include "stackdist/histogram.h"
#include "stackdist/mpi/cluster.h"
#include "stackdist/mpi/mpi.h"
#include "stackdist/parallel/footprint.h"
#include "stackdist/parallel/row.h"

#include <margay/stackdist.h>

#endif
