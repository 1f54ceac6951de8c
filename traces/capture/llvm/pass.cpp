// pass.cpp - a pass of LLVM's compilers that makes programs record themselves
//
// clang loads this plugin (-fpass-plugin=).  At the start of its optimiser the
// pass marks the functions as -fsanitize=thread would, so that the optimiser
// leaves them the same references; at the end it takes the marks away, and puts
// in the code that records.
//
// Source: what is recorded follows LLVM's ThreadSanitizer.
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>

#include "traces/capture/llvm/accesses.hpp"
#include "traces/capture/llvm/pieces.hpp"

namespace margay
{

using namespace llvm;

namespace
{

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

// Where a function begins, behind its variables of constant size.  They move to
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
    Accesses found = find_accesses(function);
    if (found.pieces.empty() && found.calls.empty())
        return;
    forget_effects(function);
    Pieces pieces(function, beginning(function));
    for (CallBase *call : found.calls)
        pieces.read_behind(*call);
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
