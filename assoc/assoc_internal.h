/*
 * assoc_internal.h - functions of assoc/ for the folders on its right
 *
 * Not installed.
 */
#ifndef MARGAY_ASSOC_INTERNAL_H
#define MARGAY_ASSOC_INTERNAL_H

#include "assoc/numbering.h"
#include "assoc/one_pass/fifo.h"
#include "assoc/policies/object_cache.h"
#include "assoc/policies/prefix_cache.h"
#include "assoc/room.h"

#include <margay/assoc.h>

#endif
