/* interface.h - what bindings.py makes Python's: the public headers, and their
   defaults as constants */
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned uint32_t;
typedef unsigned long uint64_t;
typedef long int64_t;
typedef unsigned long size_t;
typedef int FILE;
#define bool _Bool
#define true 1
#define false 0
#define NULL       0
#define UINT64_MAX 18446744073709551615ul

#define __attribute__(x)
#include <margay/policy.h>
#include <margay/prediction.h>
#include <margay/questions.h>
#include <margay/run.h>
#include <margay/sharing.h>

static const struct margay_trace_options TRACE_OPTIONS =
    MARGAY_TRACE_OPTIONS_DEFAULT;
static const struct margay_request REQUEST = MARGAY_REQUEST_DEFAULT;
static const struct margay_engine_request ENGINE_REQUEST =
    MARGAY_ENGINE_REQUEST_DEFAULT;
static const struct margay_engine_options ENGINE_OPTIONS =
    MARGAY_ENGINE_OPTIONS_DEFAULT;
static const struct margay_objects_options OBJECTS_OPTIONS =
    MARGAY_OBJECTS_OPTIONS_DEFAULT;
