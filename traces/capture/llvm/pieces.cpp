// pieces.cpp - the code that writes the words of references
//
// Algorithm: a thread's position in its buffer is kept in a register, from one
//   call of a function to the next.  A piece of code without calls moves the
//   position behind the words that it will write, and stores it, and then looks
//   whether the first place is unused:
//
//       end += 8 * words;
//       margay_recorder.next = end;
//       if (end[-words] != 0)
//           end = margay_pass_room(end, words) + words;
//
//   Then each access stores its word at a constant distance from the end, as
//   stream.h of the runtime defines it: the address, the length, the kind.
// Guarantee: as recorder.h has it, a handler of a signal may run between any
//   two of these instructions.
// Cost: four instructions for a piece, and two or three for an access.
#include "traces/capture/llvm/pieces.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace margay
{

using namespace llvm;

namespace
{

// struct margay_recorder of the runtime.
enum Field : unsigned { next, watches, tells_sites };

MDNode *seldom(LLVMContext &context)
{
    return MDBuilder(context).createBranchWeights(1, 1U << 20);
}

// The thread's struct is that of the program, which code for a program reaches
// with one instruction less than code for a library does.
GlobalValue::ThreadLocalMode mode(const Module &module)
{
    bool is_library = module.getPICLevel() != PICLevel::NotPIC &&
                      module.getPIELevel() == PIELevel::Default;
    return is_library ? GlobalValue::InitialExecTLSModel
                      : GlobalValue::LocalExecTLSModel;
}

Value *mask_of(const IntrinsicInst &call)
{
    switch (call.getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_gather:
        return call.getArgOperand(2);
    case Intrinsic::masked_store:
    case Intrinsic::masked_scatter:
        return call.getArgOperand(3);
    case Intrinsic::masked_expandload:
        return call.getArgOperand(1);
    default:
        return call.getArgOperand(2);
    }
}

} // namespace

Pieces::Pieces(Function &function, Instruction &beginning)
    : module_(*function.getParent()), context_(function.getContext()),
      word_(Type::getInt64Ty(context_)), byte_(Type::getInt8Ty(context_)),
      pointer_(PointerType::getUnqual(word_)),
      layout_(StructType::get(pointer_, byte_, byte_)), function_(function)
{
    recorder_ = cast<GlobalVariable>(
        module_.getOrInsertGlobal("margay_recorder", layout_));
    recorder_->setThreadLocalMode(mode(module_));
    IRBuilder<> builder(&beginning);
    end_ = builder.CreateAlloca(pointer_, nullptr, "margay.end");
    read(builder);
}

Value *Pieces::field(IRBuilder<> &builder, unsigned index)
{
    return builder.CreateConstInBoundsGEP2_32(layout_, recorder_, 0, index);
}

CallInst *Pieces::call(IRBuilder<> &builder, StringRef name, Type *result,
                       ArrayRef<Value *> arguments)
{
    SmallVector<Type *, 2> types;
    for (Value *argument : arguments)
        types.push_back(argument->getType());
    FunctionCallee callee = module_.getOrInsertFunction(
        name, FunctionType::get(result, types, false));
    CallInst *made = builder.CreateCall(callee, arguments);
    made->setDoesNotThrow();
    if (StringRef(module_.getTargetTriple()).find("x86_64") == 0) {
        made->setCallingConv(CallingConv::PreserveMost);
        cast<Function>(callee.getCallee())
            ->setCallingConv(CallingConv::PreserveMost);
    }
    return made;
}

void Pieces::read(IRBuilder<> &builder)
{
    builder.CreateStore(builder.CreateLoad(pointer_, field(builder, next)),
                        end_);
}

void Pieces::read_behind(CallBase &call)
{
    if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
        for (BasicBlock *block :
             {invoke->getNormalDest(), invoke->getUnwindDest()}) {
            if (block->getFirstInsertionPt() == block->end())
                continue;
            IRBuilder<> builder(&*block->getFirstInsertionPt());
            read(builder);
        }
    } else if (auto *plain = dyn_cast<CallInst>(&call);
               plain != nullptr && !plain->isMustTailCall()) {
        IRBuilder<> builder(plain->getNextNode());
        read(builder);
    }
}

// Each call is at the site of its access.
void Pieces::put_sites(Instruction &before, const Piece &piece)
{
    IRBuilder<> builder(&before);
    Value *at = builder.CreateLoad(pointer_, end_);
    for (const Access &access : piece) {
        builder.SetCurrentDebugLocation(access.maker->getDebugLoc());
        at = call(builder, "margay_pass_site", pointer_, {at});
    }
    builder.CreateStore(at, end_);
}

// Returns the end of the words that are reserved.
Value *Pieces::reserve(const Piece &piece)
{
    Instruction *first = piece.front().maker;
    auto words = static_cast<std::int64_t>(piece.size());
    IRBuilder<> builder(first);
    Value *end = builder.CreateConstInBoundsGEP1_64(
        word_, builder.CreateLoad(pointer_, end_), words);
    builder.CreateStore(end, field(builder, next));
    Value *word = builder.CreateLoad(
        word_, builder.CreateConstInBoundsGEP1_64(word_, end, -words));
    builder.CreateStore(end, end_);
    Instruction *last = SplitBlockAndInsertIfThen(
        builder.CreateIsNotNull(word), first, false, seldom(context_));

    builder.SetInsertPoint(last);
    builder.SetCurrentDebugLocation(first->getDebugLoc());
    builder.CreateStore(call(builder, "margay_pass_room", pointer_,
                             {end, ConstantInt::get(word_, words)}),
                        end_);
    Value *tells = builder.CreateLoad(byte_, field(builder, tells_sites));
    put_sites(*SplitBlockAndInsertIfThen(builder.CreateIsNotNull(tells), last,
                                         false, seldom(context_)),
              piece);
    builder.SetInsertPoint(last);
    builder.CreateStore(builder.CreateConstInBoundsGEP1_64(
                            word_, builder.CreateLoad(pointer_, end_), words),
                        end_);
    builder.SetInsertPoint(first);
    return builder.CreateLoad(pointer_, end_);
}

// The word of an access; `packed` is the number of active lanes before it.
Value *Pieces::word(IRBuilder<> &builder, const Access &access, Value *&packed)
{
    Value *address = access.address, *active = nullptr;
    if (access.condition == Condition::exchanged) {
        active = builder.CreateExtractValue(access.maker, 1);
    } else if (access.condition != Condition::none) {
        active = builder.CreateExtractElement(
            mask_of(cast<IntrinsicInst>(*access.maker)), access.lane);
        if (address->getType()->isVectorTy())
            address = builder.CreateExtractElement(address, access.lane);
    }
    Value *number = builder.CreatePtrToInt(address, word_);
    if (access.condition == Condition::packed) {
        if (access.lane == 0 || packed == nullptr)
            packed = ConstantInt::get(word_, 0);
        number = builder.CreateAdd(
            number,
            builder.CreateMul(packed, ConstantInt::get(word_, access.bytes)));
        packed = builder.CreateAdd(packed, builder.CreateZExt(active, word_));
    } else if (access.offset != 0) {
        number =
            builder.CreateAdd(number, ConstantInt::get(word_, access.offset));
    }
    // No bit is in both.  A sum with a constant can be moved out of a loop.
    Value *whole = builder.CreateAdd(
        number, ConstantInt::get(word_, word_tag(access.bytes, access.writes)));
    return active == nullptr
               ? whole
               : builder.CreateSelect(active, whole,
                                      ConstantInt::get(word_, word_none));
}

void Pieces::put(const Piece &piece)
{
    Value *end = reserve(piece), *packed = nullptr;
    auto left = -static_cast<std::int64_t>(piece.size());
    for (const Access &access : piece) {
        bool is_behind = access.condition == Condition::exchanged;
        IRBuilder<> builder(is_behind ? access.maker->getNextNode()
                                      : access.maker);
        Value *written = word(builder, access, packed);
        builder.CreateStore(
            written, builder.CreateConstInBoundsGEP1_64(word_, end, left++));
    }
}

void Pieces::watch(Instruction &before, StringRef name)
{
    IRBuilder<> builder(&before);
    Value *watched = builder.CreateLoad(byte_, field(builder, watches));
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(
        builder.CreateIsNotNull(watched), &before, false, seldom(context_)));
    call(builder, name, Type::getVoidTy(context_), {});
}

void Pieces::finish()
{
    DominatorTree tree(function_);
    PromoteMemToReg({end_}, tree);
}

} // namespace margay
