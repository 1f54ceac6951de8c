// accesses.cpp - the references that a function makes to memory
#include "traces/capture/llvm/accesses.hpp"

#include <algorithm>

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

namespace margay
{

using namespace llvm;

namespace
{

bool reads_vtable(const Instruction &instruction)
{
    const MDNode *tag = instruction.getMetadata(LLVMContext::MD_tbaa);
    return tag != nullptr && tag->isTBAAVtableAccess();
}

bool is_constant(Value *address)
{
    if (auto *element = dyn_cast<GetElementPtrInst>(address))
        address = element->getPointerOperand();
    if (auto *variable = dyn_cast<GlobalVariable>(address))
        return variable->isConstant();
    auto *load = dyn_cast<LoadInst>(address);
    return load != nullptr && reads_vtable(*load);
}

// Counters that the compiler itself has put into the program.
bool is_counter(const Value *address)
{
    auto *variable = dyn_cast<GlobalVariable>(address->stripInBoundsOffsets());
    return variable != nullptr &&
           (variable->getName().find("__llvm_gcov") == 0 ||
            variable->getName().find("__llvm_gcda") == 0 ||
            variable->getName().find("__profc_") == 0);
}

bool is_recorded(Value *address, bool writes)
{
    if (address->getType()->getPointerAddressSpace() != 0 ||
        address->isSwiftError() || is_counter(address) ||
        (!writes && is_constant(address)))
        return false;
    return !isa<AllocaInst>(getUnderlyingObject(address)) ||
           PointerMayBeCaptured(address, true, true);
}

class Finder
{
  public:
    explicit Finder(Function &function)
        : layout_(function.getParent()->getDataLayout())
    {
        for (BasicBlock &block : function) {
            for (Instruction &instruction : block)
                take(instruction);
            end_piece();
        }
    }

    Accesses found;

  private:
    const DataLayout &layout_;
    Piece piece_;

    void end_piece()
    {
        if (!piece_.empty())
            found.pieces.push_back(std::move(piece_));
        piece_.clear();
    }

    void add(const Access &access)
    {
        if (piece_.size() == piece_words)
            end_piece();
        piece_.push_back(access);
    }

    // A reference of any length that the compiler knows.
    void add_all(Instruction &maker, Value *address, Type *type, bool writes,
                 Condition condition = Condition::none)
    {
        TypeSize size = layout_.getTypeStoreSize(type);
        if (size.isScalable() || !is_recorded(address, writes))
            return;
        std::uint64_t bytes = size.getFixedValue();
        for (std::uint64_t at = 0; at < bytes; at += word_bytes)
            add({&maker, address, at, std::min(bytes - at, word_bytes), writes,
                 condition, 0});
    }

    void add_lanes(IntrinsicInst &maker, Value *address, Type *type,
                   bool writes, Condition condition)
    {
        auto *vector = dyn_cast<FixedVectorType>(type);
        if (vector == nullptr || vector->getNumElements() > piece_words ||
            (!address->getType()->isVectorTy() &&
             !is_recorded(address, writes)))
            return;
        std::uint64_t bytes =
            layout_.getTypeStoreSize(vector->getElementType()).getFixedValue();
        if (piece_.size() + vector->getNumElements() > piece_words)
            end_piece(); // the lanes of an operation are counted in a piece
        for (unsigned lane = 0; lane < vector->getNumElements(); lane++)
            add({&maker, address,
                 address->getType()->isVectorTy() ? 0 : lane * bytes, bytes,
                 writes, condition, lane});
    }

    bool take_masked(IntrinsicInst &call)
    {
        Type *first =
            call.arg_size() > 0 ? call.getArgOperand(0)->getType() : nullptr;
        switch (call.getIntrinsicID()) {
        case Intrinsic::masked_load:
        case Intrinsic::masked_gather:
            add_lanes(call, call.getArgOperand(0), call.getType(), false,
                      Condition::lane);
            return true;
        case Intrinsic::masked_store:
        case Intrinsic::masked_scatter:
            add_lanes(call, call.getArgOperand(1), first, true,
                      Condition::lane);
            return true;
        case Intrinsic::masked_expandload:
            add_lanes(call, call.getArgOperand(0), call.getType(), false,
                      Condition::packed);
            return true;
        case Intrinsic::masked_compressstore:
            add_lanes(call, call.getArgOperand(1), first, true,
                      Condition::packed);
            return true;
        default:
            return false;
        }
    }

    void take_call(CallBase &call)
    {
        if (auto *copy = dyn_cast<MemIntrinsic>(&call)) {
            end_piece();
            found.copies.push_back(copy);
            found.calls.push_back(copy);
            return;
        }
        if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
            if (take_masked(*intrinsic) || !isa<InvokeInst>(call))
                return;
        }
        end_piece();
        if (!call.isInlineAsm())
            found.calls.push_back(&call);
    }

    void take(Instruction &instruction)
    {
        if (auto *load = dyn_cast<LoadInst>(&instruction)) {
            add_all(*load, load->getPointerOperand(), load->getType(), false);
        } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
            add_all(*store, store->getPointerOperand(),
                    store->getValueOperand()->getType(), true);
        } else if (auto *modify = dyn_cast<AtomicRMWInst>(&instruction)) {
            Type *type = modify->getValOperand()->getType();
            add_all(*modify, modify->getPointerOperand(), type, false);
            add_all(*modify, modify->getPointerOperand(), type, true);
        } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
            Type *type = exchange->getNewValOperand()->getType();
            add_all(*exchange, exchange->getPointerOperand(), type, false);
            add_all(*exchange, exchange->getPointerOperand(), type, true,
                    Condition::exchanged);
        } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
            take_call(*call);
        }
    }
};

} // namespace

Accesses find_accesses(Function &function)
{
    return std::move(Finder(function).found);
}

} // namespace margay
