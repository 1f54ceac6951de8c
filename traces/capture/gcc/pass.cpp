// pass.cpp - a pass of gcc that makes programs record themselves
//
// gcc loads this plugin (-fplugin=) beside -fsanitize=thread.  Behind the pass
// that puts hooks into a function, this one takes those out again that record
// one reference, and puts code in their places that records; the others stay.
// So the references are those of the hooks, one by one, and where the plugin
// does not run, at the end of -flto or with another compiler, hooks are called.
//
// gcc is under the GNU General Public License, and so is what is linked with
// it.  Margay's licence, that of this plugin, is compatible with that one.
#include "traces/capture/gcc/gcc.hpp"

#include <context.h>
#include <plugin-version.h>

#include "traces/capture/gcc/accesses.hpp"
#include "traces/capture/gcc/pieces.hpp"

extern "C" __attribute__((visibility("default"))) int plugin_is_GPL_compatible;
int plugin_is_GPL_compatible;

namespace margay
{

namespace
{

void instrument(function &code)
{
    const Accesses found = find_accesses(code);
    if (found.pieces.empty() && found.enters.empty() && found.leaves.empty())
        return;
    Pieces pieces(code);
    pieces.read_behind(found.calls);
    for (const Piece &piece : found.pieces)
        pieces.put(piece);
    for (gimple *hook : found.enters)
        pieces.watch(hook, runtime.enter);
    for (gimple *hook : found.leaves)
        pieces.watch(hook, runtime.leave);
    free_dominance_info(CDI_DOMINATORS);
    free_dominance_info(CDI_POST_DOMINATORS);
    mark_virtual_operands_for_renaming(&code);
}

const pass_data description = {
    GIMPLE_PASS, "margay", OPTGROUP_NONE,  TV_NONE, PROP_ssa | PROP_cfg, 0,
    0,           0,        TODO_update_ssa};

class Record : public gimple_opt_pass
{
  public:
    Record() : gimple_opt_pass(description, g)
    {
    }
    opt_pass *clone() override
    {
        return new Record;
    }
    bool gate(function *) override
    {
        return (flag_sanitize & SANITIZE_THREAD) != 0;
    }
    unsigned execute(function *code) override
    {
        instrument(*code);
        return 0;
    }
};

const ggc_root_tab roots[] = {{&runtime, sizeof runtime / sizeof(tree),
                               sizeof(tree), &gt_ggc_mx_tree_node,
                               &gt_pch_nx_tree_node},
                              LAST_GGC_ROOT_TAB};

} // namespace

} // namespace margay

// A gcc that is not the one this was built for keeps its hooks.
extern "C" __attribute__((visibility("default"))) int plugin_init(
    plugin_name_args *plugin, plugin_gcc_version *version)
{
    if (!plugin_default_version_check(version, &gcc_version))
        return 0;
    register_callback(plugin->base_name, PLUGIN_REGISTER_GGC_ROOTS, nullptr,
                      const_cast<ggc_root_tab *>(margay::roots));
    for (const char *hooks : {"tsan", "tsan0"}) { // with -O, and without
        register_pass_info pass = {new margay::Record, hooks, 0,
                                   PASS_POS_INSERT_AFTER};
        register_callback(plugin->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr,
                          &pass);
    }
    return 0;
}
