/* instrument.h - the program's code, with stores of its references between */
#ifndef MARGAY_TRACES_CAPTURE_VALGRIND_INSTRUMENT_H
#define MARGAY_TRACES_CAPTURE_VALGRIND_INSTRUMENT_H

#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>

struct margay_wishes {
    Bool fetches; /* instructions are references, too */
    Bool sites;   /* each reference with its instruction */
};

/* A copy of a piece of code that also stores its references where the cursor
   says (cursors.h). */
IRSB *margay_instrument(IRSB *code, const struct margay_wishes *wishes);

#endif
