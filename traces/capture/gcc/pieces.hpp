// pieces.hpp - the code that writes the words of references
#ifndef MARGAY_TRACES_CAPTURE_GCC_PIECES_HPP
#define MARGAY_TRACES_CAPTURE_GCC_PIECES_HPP

#include "traces/capture/gcc/accesses.hpp"

namespace margay
{

// What the runtime offers.  gcc's collector of garbage knows this object.
struct Runtime {
    tree recorder; // margay_recorder
    tree room, site, enter, leave;
};
extern Runtime runtime;

// Puts code into one function.
class Pieces
{
  public:
    explicit Pieces(function &code);

    // Read the position anew behind what may have recorded, and where such
    // calls jump.
    void read_behind(const std::vector<gimple *> &calls);

    // In front of the first access of a piece, make room for its words; in
    // place of each hook, write its word.
    void put(const Piece &piece);

    // In place of `hook` call `instead`, if functions are watched.
    void watch(gimple *hook, tree instead);

  private:
    function &code_;
    tree_code join_; // an address and what else its word says
    tree end_;       // of what is reserved

    gimple *read() const;
    gimple *moved(HOST_WIDE_INT words) const;
    void reserve(const Piece &piece);
    void put_sites(gimple *before, const Piece &piece);
};

} // namespace margay

#endif
