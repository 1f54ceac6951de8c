// accesses.cpp - the hooks that gcc has put into a function
#include "traces/capture/gcc/accesses.hpp"

namespace margay
{

namespace
{

#define READS(size)                \
    case BUILT_IN_TSAN_READ##size: \
    case BUILT_IN_TSAN_VOLATILE_READ##size:
#define WRITES(size)                \
    case BUILT_IN_TSAN_WRITE##size: \
    case BUILT_IN_TSAN_VOLATILE_WRITE##size:

// The hook's reference; 0 bytes: the hook records none, or a range of them.
Access access_of(gimple *hook, built_in_function code)
{
    switch (code) {
        READS(1)
        return {hook, 1, false};
        READS(2)
        return {hook, 2, false};
        READS(4)
        return {hook, 4, false};
        READS(8)
        return {hook, 8, false};
        READS(16)
        return {hook, 16, false};
        WRITES(1)
        return {hook, 1, true};
        WRITES(2)
        return {hook, 2, true};
        WRITES(4)
        return {hook, 4, true};
        WRITES(8)
    case BUILT_IN_TSAN_VPTR_UPDATE:
        return {hook, 8, true};
        WRITES(16)
        return {hook, 16, true};
    default:
        return {hook, 0, false};
    }
}

class Finder
{
  public:
    explicit Finder(function &code)
    {
        basic_block block;
        FOR_EACH_BB_FN(block, &code)
        {
            for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at);
                 gsi_next(&at))
                take(gsi_stmt(at));
            end_piece();
        }
    }

    Accesses found;

  private:
    Piece piece_;

    void end_piece()
    {
        if (!piece_.empty())
            found.pieces.push_back(piece_);
        piece_.clear();
    }

    void add(const Access &access)
    {
        if (piece_.size() == piece_words)
            end_piece();
        piece_.push_back(access);
    }

    void add_call(gimple *statement)
    {
        end_piece();
        found.calls.push_back(statement);
    }

    // A call of one of the compiler's own functions; false: of another one.
    bool take_builtin(gimple *call, built_in_function code)
    {
        const Access access = access_of(call, code);
        if (access.bytes > 0) {
            add(access);
        } else if (code == BUILT_IN_TSAN_FUNC_ENTRY) {
            end_piece();
            found.enters.push_back(call);
        } else if (code == BUILT_IN_TSAN_FUNC_EXIT) {
            end_piece();
            found.leaves.push_back(call);
        } else {
            return (gimple_call_flags(call) & ECF_CONST) != 0;
        }
        return true;
    }

    void take(gimple *statement)
    {
        if (gimple_assign_single_p(statement) &&
            !is_gimple_reg_type(TREE_TYPE(gimple_assign_lhs(statement))))
            add_call(statement);
        if (!is_gimple_call(statement) || gimple_call_internal_p(statement))
            return;
        const_tree callee = gimple_call_fndecl(statement);
        if (callee == NULL_TREE ||
            !fndecl_built_in_p(callee, BUILT_IN_NORMAL) ||
            !take_builtin(statement, DECL_FUNCTION_CODE(callee)))
            add_call(statement);
    }
};

} // namespace

Accesses find_accesses(function &code)
{
    return Finder(code).found;
}

} // namespace margay
