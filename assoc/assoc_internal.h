/*
 * assoc_internal.h - what assoc/ lends to the folders on its right
 *
 * Not installed.
 */
#ifndef MARGAY_ASSOC_INTERNAL_H
#define MARGAY_ASSOC_INTERNAL_H

#include "assoc/room.h"

#include <margay/assoc.h>

#endif
