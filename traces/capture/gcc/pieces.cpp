// pieces.cpp - the code that writes the words of references
//
// Algorithm: that of the plugin for clang (../llvm/pieces.cpp), with hooks as
//   the places of references.  A thread's position in its buffer is a variable
//   that gcc keeps in a register; a piece of code without calls moves and
//   stores the position, and then looks whether the first place is unused.
// Guarantee: the store and the look are volatile, so that they stay in their
//   order: a handler of a signal may run between any two instructions.
// Cost: four instructions for a piece, and two or three for an access.
#include "traces/capture/gcc/pieces.hpp"

namespace margay
{

Runtime runtime;

namespace
{

// Where struct margay_recorder of the runtime has its fields.
constexpr int next = 0, watches = 8, tells_sites = 9;

tree word_type()
{
    return uint64_type_node;
}

tree position_type()
{
    return build_pointer_type(word_type());
}

tree declare_function(const char *name, tree type)
{
    tree declared = build_fn_decl(name, type);
    TREE_NOTHROW(declared) = 1;
    return declared;
}

// The thread's struct is that of the program, which code for a program reaches
// with one instruction less than code for a library does.
tree declare_recorder()
{
    tree declared = build_decl(UNKNOWN_LOCATION, VAR_DECL,
                               get_identifier("margay_recorder"),
                               build_array_type_nelts(word_type(), 2));
    DECL_EXTERNAL(declared) = 1;
    DECL_ARTIFICIAL(declared) = 1;
    TREE_PUBLIC(declared) = 1;
    TREE_ADDRESSABLE(declared) = 1;
    TREE_USED(declared) = 1;
    set_decl_tls_model(declared, flag_pic && !flag_pie ? TLS_MODEL_INITIAL_EXEC
                                                       : TLS_MODEL_LOCAL_EXEC);
    return declared;
}

void declare_runtime()
{
    if (runtime.recorder != NULL_TREE)
        return;
    tree position = position_type();
    tree nothing = build_function_type_list(void_type_node, NULL_TREE);
    runtime.room = declare_function(
        "margay_pass_room",
        build_function_type_list(position, position, word_type(), NULL_TREE));
    runtime.site = declare_function(
        "margay_pass_site",
        build_function_type_list(position, position, NULL_TREE));
    runtime.enter = declare_function("margay_pass_enter", nothing);
    runtime.leave = declare_function("margay_pass_leave", nothing);
    runtime.recorder = declare_recorder();
}

// True if there are variables of threads, other than the recorder's.
bool has_thread_variables()
{
    varpool_node *node;
    FOR_EACH_VARIABLE(node)
    {
        if (DECL_THREAD_LOCAL_P(node->decl) && node->decl != runtime.recorder)
            return true;
    }
    return false;
}

// Memory of a type, some bytes behind an address.
tree memory(tree type, tree address, HOST_WIDE_INT bytes, bool keeps_order)
{
    if (keeps_order)
        type = build_qualified_type(type, TYPE_QUAL_VOLATILE);
    tree place =
        build2(MEM_REF, type, address, build_int_cst(ptr_type_node, bytes));
    TREE_THIS_VOLATILE(place) = keeps_order;
    TREE_SIDE_EFFECTS(place) = keeps_order;
    TREE_THIS_NOTRAP(place) = 1;
    return place;
}

tree field(tree type, int at)
{
    return memory(type, build_fold_addr_expr(runtime.recorder), at, true);
}

tree word_at(tree end, HOST_WIDE_INT words, bool keeps_order)
{
    return memory(word_type(), end,
                  words * HOST_WIDE_INT{sizeof(std::uint64_t)}, keeps_order);
}

void put_before(gimple_stmt_iterator &at, gimple *statement)
{
    gsi_insert_before(&at, statement, GSI_SAME_STMT);
}

void put_behind(gimple_stmt_iterator &at, gimple *statement)
{
    gsi_insert_after(&at, statement, GSI_NEW_STMT);
}

// A new variable, with `value`.
tree put_value(gimple_stmt_iterator &at, tree value)
{
    tree variable = create_tmp_reg(TYPE_MAIN_VARIANT(TREE_TYPE(value)));
    put_before(at, gimple_build_assign(variable, value));
    return variable;
}

void remove(gimple *hook)
{
    gimple_stmt_iterator at = gsi_for_stmt(hook);
    unlink_stmt_vdef(hook);
    gsi_remove(&at, true);
}

// In front of `statement`, a branch to new code, seldom taken, where `value` is
// not 0.  Returns the end of the new code.
gimple_stmt_iterator branch(gimple *statement, tree value)
{
    gimple_stmt_iterator at = gsi_for_stmt(statement);
    gcond *condition = gimple_build_cond(
        NE_EXPR, value, build_zero_cst(TREE_TYPE(value)), NULL_TREE, NULL_TREE);
    put_before(at, condition);
    edge past = split_block(gimple_bb(statement), condition);
    basic_block from = past->src, seldom = create_empty_bb(from);
    if (current_loops != nullptr)
        add_bb_to_loop(seldom, from->loop_father);
    make_single_succ_edge(seldom, past->dest, EDGE_FALLTHRU);
    past->flags = (past->flags & ~EDGE_FALLTHRU) | EDGE_FALSE_VALUE;
    past->probability = profile_probability::very_likely();
    edge into = make_edge(from, seldom, EDGE_TRUE_VALUE);
    into->probability = profile_probability::very_unlikely();
    seldom->count = into->count();
    return gsi_last_bb(seldom);
}

// True if control comes here from a call otherwise than by its return to the
// next statement.
bool begins_behind_call(basic_block block)
{
    edge from;
    edge_iterator i;
    FOR_EACH_EDGE(from, i, block->preds)
    {
        gimple_stmt_iterator last = gsi_last_bb(from->src);
        if ((from->flags & EDGE_COMPLEX) != 0 ||
            (!gsi_end_p(last) && is_gimple_call(gsi_stmt(last)) &&
             stmt_ends_bb_p(gsi_stmt(last))))
            return true;
    }
    return false;
}

// True for a call such as setjmp, in front of which a block may have nothing.
// It ends the block, and the position is read behind it.
bool returns_twice(gimple_stmt_iterator at)
{
    return !gsi_end_p(at) && is_gimple_call(gsi_stmt(at)) &&
           (gimple_call_flags(gsi_stmt(at)) & ECF_RETURNS_TWICE) != 0;
}

} // namespace

Pieces::Pieces(function &code) : code_(code)
{
    declare_runtime();
    // No bit is in both.  A sum with a constant can be moved out of a loop, but
    // gcc adds the constant to the place of a thread's variable as well, for
    // which a linker has 32 bits.
    join_ = has_thread_variables() ? BIT_IOR_EXPR : PLUS_EXPR;
    end_ = create_tmp_reg(position_type(), "margay_end");
}

gimple *Pieces::read() const
{
    return gimple_build_assign(end_, field(position_type(), next));
}

// The position moves behind some words.
gimple *Pieces::moved(HOST_WIDE_INT words) const
{
    return gimple_build_assign(
        end_, POINTER_PLUS_EXPR, end_,
        size_int(words * HOST_WIDE_INT{sizeof(std::uint64_t)}));
}

void Pieces::read_behind(const std::vector<gimple *> &calls)
{
    for (gimple *call : calls) {
        gimple_stmt_iterator at = gsi_for_stmt(call);
        if (!stmt_ends_bb_p(call))
            put_behind(at, read());
    }
    basic_block block;
    FOR_EACH_BB_FN(block, &code_)
    {
        gimple_stmt_iterator at = gsi_after_labels(block);
        if (begins_behind_call(block) && !returns_twice(at))
            put_before(at, read());
    }
    gsi_insert_on_edge_immediate(
        single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(&code_)), read());
}

// Each call is at the site of its access.
void Pieces::put_sites(gimple *before, const Piece &piece)
{
    gimple_stmt_iterator at = gsi_for_stmt(before);
    tree tells = put_value(at, field(unsigned_char_type_node, tells_sites));
    at = branch(before, tells);
    for (const Access &access : piece) {
        gcall *site = gimple_build_call(runtime.site, 1, end_);
        gimple_call_set_lhs(site, end_);
        gimple_set_location(site, gimple_location(access.hook));
        put_behind(at, site);
    }
}

void Pieces::reserve(const Piece &piece)
{
    gimple *first = piece.front().hook;
    const auto words = static_cast<HOST_WIDE_INT>(piece.size());
    gimple_stmt_iterator at = gsi_for_stmt(first);
    put_before(at, moved(words));
    put_before(at, gimple_build_assign(field(position_type(), next), end_));
    at = branch(first, put_value(at, word_at(end_, -words, true)));

    gcall *room = gimple_build_call(runtime.room, 2, end_,
                                    build_int_cst(word_type(), words));
    gimple_call_set_lhs(room, end_);
    gimple_set_location(room, gimple_location(first));
    put_behind(at, room);
    gimple *last = moved(words);
    put_behind(at, last);
    put_sites(last, piece);
}

void Pieces::put(const Piece &piece)
{
    reserve(piece);
    auto left = -static_cast<HOST_WIDE_INT>(piece.size());
    for (const Access &access : piece) {
        gimple_stmt_iterator at = gsi_for_stmt(access.hook);
        tree tag =
            build_int_cstu(word_type(), word_tag(access.bytes, access.writes));
        tree number = create_tmp_reg(word_type());
        tree word = create_tmp_reg(word_type());
        put_before(at, gimple_build_assign(number, NOP_EXPR,
                                           gimple_call_arg(access.hook, 0)));
        put_before(at, gimple_build_assign(word, join_, number, tag));
        put_before(at, gimple_build_assign(word_at(end_, left++, false), word));
        remove(access.hook);
    }
}

// What is called may end a buffer.
void Pieces::watch(gimple *hook, tree instead)
{
    gimple_stmt_iterator at = gsi_for_stmt(hook);
    at = branch(hook, put_value(at, field(unsigned_char_type_node, watches)));
    gcall *call = gimple_build_call(instead, 0);
    gimple_set_location(call, gimple_location(hook));
    put_behind(at, call);
    put_behind(at, read());
    remove(hook);
}

} // namespace margay
