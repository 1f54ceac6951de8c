// pieces.hpp - the code that writes the words of references
#ifndef MARGAY_TRACES_CAPTURE_LLVM_PIECES_HPP
#define MARGAY_TRACES_CAPTURE_LLVM_PIECES_HPP

#include <llvm/IR/IRBuilder.h>

#include "traces/capture/llvm/accesses.hpp"

namespace margay
{

// Puts code into one function.
class Pieces
{
  public:
    // `beginning` is behind the function's variables.
    Pieces(llvm::Function &function, llvm::Instruction &beginning);

    // In front of the first access of a piece, make room for its words; at each
    // access, write its word.
    void put(const Piece &piece);

    // Behind a call that may have recorded, read the position anew.
    void read_behind(llvm::CallBase &call);

    // Call `name` here, if functions are watched.
    void watch(llvm::Instruction &before, llvm::StringRef name);

    // Keep the position in a register.
    void finish();

  private:
    llvm::Module &module_;
    llvm::LLVMContext &context_;
    llvm::Type *word_, *byte_;
    llvm::PointerType *pointer_;
    llvm::GlobalVariable *recorder_;
    llvm::StructType *layout_;
    llvm::Function &function_;
    llvm::AllocaInst *end_; // of what is reserved

    llvm::Value *field(llvm::IRBuilder<> &builder, unsigned index);
    llvm::CallInst *call(llvm::IRBuilder<> &builder, llvm::StringRef name,
                         llvm::Type *result,
                         llvm::ArrayRef<llvm::Value *> arguments);
    void read(llvm::IRBuilder<> &builder);
    llvm::Value *reserve(const Piece &piece);
    void put_sites(llvm::Instruction &before, const Piece &piece);
    llvm::Value *word(llvm::IRBuilder<> &builder, const Access &access,
                      llvm::Value *&packed);
};

} // namespace margay

#endif
