// plugin.cpp - a pass of LLVM's compilers that makes programs record themselves
//
// clang loads this plugin (-fpass-plugin=).  At the start of its optimiser the
// pass marks the functions as -fsanitize=thread would, so that the optimiser
// leaves them the same references; at the end it takes the marks away, and puts
// in the code that records.
//
// Algorithm: a thread's position in its buffer is kept in a register, from one
//   call of a function to the next.  A piece of code without calls moves the
//   position after the words that it will write, and stores it, and then looks
//   whether the first place is unused:
//
//       end += 8 * words;
//       margay_recorder.next = end;
//       if (end[-words] != 0)
//           end = margay_pass_room(end, words) + words;
//
//   Then each access stores its word at a constant distance from the end, as
//   stream.h of the runtime defines it: the address, the length, the kind.
// Source: the choice of references follows LLVM's ThreadSanitizer.
// Guarantee: as recorder.h has it, a handler of a signal may run between any
//   two of these instructions.
// Cost: four instructions for a piece, and two or three for an access.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace margay
{

using namespace llvm;

namespace
{

// ---------------------------------------------------------------------- words
// As stream.h and runtime/recorder.h have them.

// The most words of a piece; MARGAY_PIECE_WORDS of the runtime.
constexpr std::size_t piece_words = 32;

// The longest reference of one word.
constexpr std::uint64_t word_bytes = 64;

// The layout of a word.
constexpr unsigned bytes_shift = 56, kind_shift = 62;
constexpr std::uint64_t kind_write = 1, kind_control = 3;
constexpr std::uint64_t word_none =
    kind_control << kind_shift | std::uint64_t{1} << bytes_shift;

// The bits of a reference's word above its address.
constexpr std::uint64_t word_tag(std::uint64_t bytes, bool writes)
{
    return (bytes % word_bytes) << bytes_shift | (writes ? kind_write : 0)
                                                     << kind_shift;
}

// ------------------------------------------------------------------- accesses

// What decides at run time whether a reference is made.
enum class Condition {
    none,
    exchanged, // the compare-and-exchange `maker` was successful
    lane,      // lane `lane` of the masked operation `maker` is active
    packed,    // the same, and the address is after those of active lanes
};

// A reference of at most word_bytes bytes, at `address` + `offset` (for lanes
// of a gather or a scatter, of the lane's address).  Its word is written in
// front of `maker`, or after it if that has to decide first.
struct Access {
    Instruction *maker;
    Value *address;
    std::uint64_t offset;
    std::uint64_t bytes;
    bool writes;
    Condition condition;
    unsigned lane;
    Value *mask; // of lanes
};

// Accesses with no call of a function between them.
using Piece = std::vector<Access>;

// What there is to instrument in a function.
struct Accesses {
    std::vector<Piece> pieces;
    // Copies, whose references are recorded where they are called.
    std::vector<MemIntrinsic *> copies;
    // Calls that may record.
    std::vector<CallBase *> calls;
};

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

bool is_reference(Value *address, bool writes)
{
    if (address->getType()->getPointerAddressSpace() != 0 ||
        address->isSwiftError() || is_counter(address) ||
        (!writes && is_constant(address)))
        return false;
    return !isa<AllocaInst>(getUnderlyingObject(address)) ||
           PointerMayBeCaptured(address, true, true);
}

// Find them.  As with -fsanitize=thread, constants and local variables whose
// address stays in the function are left out.
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
        if (size.isScalable() || !is_reference(address, writes))
            return;
        std::uint64_t bytes = size.getFixedValue();
        for (std::uint64_t at = 0; at < bytes; at += word_bytes)
            add({&maker, address, at, std::min(bytes - at, word_bytes), writes,
                 condition, 0, nullptr});
    }

    void add_lanes(IntrinsicInst &maker, Value *address, Value *mask,
                   Type *type, bool writes, Condition condition)
    {
        auto *vector = dyn_cast<FixedVectorType>(type);
        if (vector == nullptr || vector->getNumElements() > piece_words ||
            (!address->getType()->isVectorTy() &&
             !is_reference(address, writes)))
            return;
        std::uint64_t bytes =
            layout_.getTypeStoreSize(vector->getElementType()).getFixedValue();
        if (piece_.size() + vector->getNumElements() > piece_words)
            end_piece(); // the lanes of an operation are counted in a piece
        for (unsigned lane = 0; lane < vector->getNumElements(); lane++)
            add({&maker, address,
                 address->getType()->isVectorTy() ? 0 : lane * bytes, bytes,
                 writes, condition, lane, mask});
    }

    // A load has its address first, and a store its value.
    bool take_masked(IntrinsicInst &call)
    {
        static const struct {
            Intrinsic::ID id;
            bool writes;
            unsigned mask;
            Condition condition;
        } masked[] = {
            {Intrinsic::masked_load, false, 2, Condition::lane},
            {Intrinsic::masked_gather, false, 2, Condition::lane},
            {Intrinsic::masked_store, true, 3, Condition::lane},
            {Intrinsic::masked_scatter, true, 3, Condition::lane},
            {Intrinsic::masked_expandload, false, 1, Condition::packed},
            {Intrinsic::masked_compressstore, true, 2, Condition::packed},
        };
        for (const auto &one : masked) {
            if (call.getIntrinsicID() != one.id)
                continue;
            add_lanes(call, call.getArgOperand(one.writes ? 1 : 0),
                      call.getArgOperand(one.mask),
                      one.writes ? call.getArgOperand(0)->getType()
                                 : call.getType(),
                      one.writes, one.condition);
            return true;
        }
        return false;
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

// --------------------------------------------------------------------- pieces

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

// Puts code into one function.
class Pieces
{
  public:
    // `beginning` is after the function's variables.
    Pieces(Function &function, Instruction &beginning)
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

    // In front of the first access of a piece, make room for its words; at each
    // access, write its word.
    void put(const Piece &piece)
    {
        Value *end = reserve(piece), *packed = nullptr;
        auto left = -static_cast<std::int64_t>(piece.size());
        for (const Access &access : piece) {
            bool is_later = access.condition == Condition::exchanged;
            IRBuilder<> builder(is_later ? access.maker->getNextNode()
                                          : access.maker);
            Value *written = word(builder, access, packed);
            builder.CreateStore(written, builder.CreateConstInBoundsGEP1_64(
                                             word_, end, left++));
        }
    }

    // After a call that may have recorded, read the position anew.
    void read_after(CallBase &call)
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

    // Call `name` here, if functions are watched.
    void watch(Instruction &before, StringRef name)
    {
        IRBuilder<> builder(&before);
        Value *watched = builder.CreateLoad(byte_, field(builder, watches));
        builder.SetInsertPoint(
            SplitBlockAndInsertIfThen(builder.CreateIsNotNull(watched), &before,
                                      false, seldom(context_)));
        call(builder, name, Type::getVoidTy(context_), {});
    }

    // Keep the position in a register.
    void finish()
    {
        DominatorTree tree(function_);
        PromoteMemToReg({end_}, tree);
    }

  private:
    Module &module_;
    LLVMContext &context_;
    Type *word_, *byte_;
    PointerType *pointer_;
    GlobalVariable *recorder_;
    StructType *layout_;
    Function &function_;
    AllocaInst *end_; // of the reserved words

    Value *field(IRBuilder<> &builder, unsigned index)
    {
        return builder.CreateConstInBoundsGEP2_32(layout_, recorder_, 0, index);
    }

    CallInst *call(IRBuilder<> &builder, StringRef name, Type *result,
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

    void read(IRBuilder<> &builder)
    {
        builder.CreateStore(builder.CreateLoad(pointer_, field(builder, next)),
                            end_);
    }

    // Each call is at the site of its access.
    void put_sites(Instruction &before, const Piece &piece)
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
    Value *reserve(const Piece &piece)
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
        put_sites(*SplitBlockAndInsertIfThen(builder.CreateIsNotNull(tells),
                                             last, false, seldom(context_)),
                  piece);
        builder.SetInsertPoint(last);
        builder.CreateStore(
            builder.CreateConstInBoundsGEP1_64(
                word_, builder.CreateLoad(pointer_, end_), words),
            end_);
        builder.SetInsertPoint(first);
        return builder.CreateLoad(pointer_, end_);
    }

    // The word of an access; `packed` is the number of active lanes before it.
    Value *word(IRBuilder<> &builder, const Access &access, Value *&packed)
    {
        Value *address = access.address, *active = nullptr;
        if (access.condition == Condition::exchanged) {
            active = builder.CreateExtractValue(access.maker, 1);
        } else if (access.condition != Condition::none) {
            active = builder.CreateExtractElement(access.mask, access.lane);
            if (address->getType()->isVectorTy())
                address = builder.CreateExtractElement(address, access.lane);
        }
        Value *number = builder.CreatePtrToInt(address, word_);
        if (access.condition == Condition::packed) {
            if (access.lane == 0 || packed == nullptr)
                packed = ConstantInt::get(word_, 0);
            number = builder.CreateAdd(
                number, builder.CreateMul(
                            packed, ConstantInt::get(word_, access.bytes)));
            packed =
                builder.CreateAdd(packed, builder.CreateZExt(active, word_));
        } else if (access.offset != 0) {
            number = builder.CreateAdd(number,
                                       ConstantInt::get(word_, access.offset));
        }
        // No bit is in both.  A sum with a constant can be moved out of a loop.
        Value *whole = builder.CreateAdd(
            number,
            ConstantInt::get(word_, word_tag(access.bytes, access.writes)));
        return active == nullptr
                   ? whole
                   : builder.CreateSelect(active, whole,
                                          ConstantInt::get(word_, word_none));
    }
};

// ----------------------------------------------------------------------- pass

// Versions of LLVM differ in whether they know the attribute or spell it.
bool is_to_be_left(const Function &function)
{
    const char *name = "disable_sanitizer_instrumentation";
    Attribute::AttrKind kind = Attribute::getAttrKindFromName(name);
    return kind == Attribute::None ? function.hasFnAttribute(name)
                                   : function.hasFnAttribute(kind);
}

bool is_recorded(const Function &function)
{
    return !function.isDeclaration() &&
           !function.hasFnAttribute(Attribute::Naked) &&
           !is_to_be_left(function);
}

// The function now writes memory that the program does not know of.
void forget_effects(Function &function)
{
#if LLVM_VERSION_MAJOR >= 16
    function.removeFnAttr(Attribute::Memory);
#else
    for (Attribute::AttrKind kind :
         {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly,
          Attribute::ArgMemOnly, Attribute::InaccessibleMemOnly,
          Attribute::InaccessibleMemOrArgMemOnly})
        function.removeFnAttr(kind);
#endif
}

// The runtime records copies and carries them out.
void replace(MemIntrinsic &copy)
{
    IRBuilder<> builder(&copy);
    Type *pointer = PointerType::getUnqual(builder.getInt8Ty());
    Type *bytes = builder.getInt64Ty();
    Module &module = *copy.getModule();
    Value *to = builder.CreatePointerCast(copy.getRawDest(), pointer);
    Value *length = builder.CreateZExtOrTrunc(copy.getLength(), bytes);
    if (auto *set = dyn_cast<MemSetInst>(&copy)) {
        builder.CreateCall(
            module.getOrInsertFunction("__tsan_memset", pointer, pointer,
                                       builder.getInt32Ty(), bytes),
            {to, builder.CreateZExt(set->getValue(), builder.getInt32Ty()),
             length});
    } else {
        auto &transfer = cast<MemTransferInst>(copy);
        builder.CreateCall(
            module.getOrInsertFunction(isa<MemMoveInst>(copy) ? "__tsan_memmove"
                                                              : "__tsan_memcpy",
                                       pointer, pointer, pointer, bytes),
            {to, builder.CreatePointerCast(transfer.getRawSource(), pointer),
             length});
    }
    copy.eraseFromParent();
}

bool is_variable(const Instruction &instruction)
{
    auto *room = dyn_cast<AllocaInst>(&instruction);
    return room != nullptr && room->isStaticAlloca();
}

// Where a function begins, after its variables of constant size.  They move to
// the top of the first block, which will be split: a variable of another block
// would have its place in the stack made as the program runs.
Instruction &beginning(Function &function)
{
    BasicBlock &entry = function.getEntryBlock();
    auto at = entry.getFirstInsertionPt();
    while (is_variable(*at))
        ++at;
    for (Instruction &later : make_early_inc_range(make_range(at, entry.end())))
        if (is_variable(later))
            later.moveBefore(&*at);
    return *at;
}

void instrument(Function &function)
{
    const Accesses found = Finder(function).found;
    if (found.pieces.empty() && found.calls.empty())
        return;
    forget_effects(function);
    Pieces pieces(function, beginning(function));
    for (CallBase *call : found.calls)
        pieces.read_after(*call);
    for (const Piece &piece : found.pieces)
        pieces.put(piece);
    for (MemIntrinsic *copy : found.copies)
        replace(*copy);
    pieces.finish();
    pieces.watch(beginning(function), "margay_pass_enter");
    EscapeEnumerator ends(function, "margay.unwinds");
    while (IRBuilder<> *builder = ends.Next())
        pieces.watch(*builder->GetInsertPoint(), "margay_pass_leave");
}

struct Mark : PassInfoMixin<Mark> {
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
    {
        for (Function &function : module) {
            if (is_recorded(function))
                function.addFnAttr(Attribute::SanitizeThread);
        }
        return PreservedAnalyses::none();
    }
    static bool isRequired()
    {
        return true;
    }
};

struct Record : PassInfoMixin<Record> {
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
    {
        if (module.getDataLayout().getPointerSizeInBits() != 64)
            report_fatal_error("margay records programs of 64 bits only");
        for (Function &function : module) {
            function.removeFnAttr(Attribute::SanitizeThread);
            if (is_recorded(function))
                instrument(function);
        }
        return PreservedAnalyses::none();
    }
    static bool isRequired()
    {
        return true;
    }
};

} // namespace

} // namespace margay

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default")))
llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "margay", "1",
            [](llvm::PassBuilder &builder) {
                builder.registerPipelineStartEPCallback(
                    [](llvm::ModulePassManager &passes, auto &&...) {
                        passes.addPass(margay::Mark());
                    });
                builder.registerOptimizerLastEPCallback(
                    [](llvm::ModulePassManager &passes, auto &&...) {
                        passes.addPass(margay::Record());
                    });
            }};
}
