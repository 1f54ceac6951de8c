// accesses.hpp - the hooks that gcc has put into a function
#ifndef MARGAY_TRACES_CAPTURE_GCC_ACCESSES_HPP
#define MARGAY_TRACES_CAPTURE_GCC_ACCESSES_HPP

#include "traces/capture/gcc/gcc.hpp"
#include "traces/capture/words.hpp"

namespace margay
{

// A call of a hook that records a reference, at its first argument.
struct Access {
    gimple *hook;
    unsigned bytes;
    bool writes;
};

// Accesses with no call of a function between them.
using Piece = std::vector<Access>;

// What there is to instrument in a function.
struct Accesses {
    std::vector<Piece> pieces;
    // Statements that may record: calls, and copies that may become calls.
    std::vector<gimple *> calls;
    // Hooks of the function's beginning and its ends.
    std::vector<gimple *> enters, leaves;
};

Accesses find_accesses(function &code);

} // namespace margay

#endif
