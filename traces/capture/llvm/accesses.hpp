// accesses.hpp - the references that a function makes to memory
#ifndef MARGAY_TRACES_CAPTURE_LLVM_ACCESSES_HPP
#define MARGAY_TRACES_CAPTURE_LLVM_ACCESSES_HPP

#include <cstdint>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "traces/capture/llvm/words.hpp"

namespace margay
{

// What decides at run time whether a reference is made.
enum class Condition {
    none,
    exchanged, // the compare-and-exchange `maker` was successful
    lane,      // lane `lane` of the masked operation `maker` is active
    packed,    // the same, and the address is behind those of active lanes
};

// A reference of at most word_bytes bytes, at `address` + `offset` (for lanes
// of a gather or a scatter, of the lane's address).  Its word is written in
// front of `maker`, or behind it if that has to decide first.
struct Access {
    llvm::Instruction *maker;
    llvm::Value *address;
    std::uint64_t offset;
    std::uint64_t bytes;
    bool writes;
    Condition condition;
    unsigned lane;
};

// Accesses with no call of a function between them.
using Piece = std::vector<Access>;

// What there is to instrument in a function.
struct Accesses {
    std::vector<Piece> pieces;
    // Copies, whose references are recorded where they are called.
    std::vector<llvm::MemIntrinsic *> copies;
    // Calls that may record.
    std::vector<llvm::CallBase *> calls;
};

// Find them.  Left out is what -fsanitize=thread leaves out: what is constant,
// and local variables whose address stays in the function.
Accesses find_accesses(llvm::Function &function);

} // namespace margay

#endif
