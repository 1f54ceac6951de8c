/*
 * tool.c - a tool of Valgrind that records references
 *
 * The files of this folder are linked with those of the recorder
 * (traces/capture/runtime) and with Valgrind's libraries into a program of its
 * own.  Valgrind is under the GNU General Public License, version 2 or later:
 * so is that program as a whole, when it is handed on.  Nothing else is linked
 * with it.
 *
 * Arguments: --capture=... says where the recorder is, as the environment of
 * other recorded programs does; --fetches=yes also records instructions, each
 * before its accesses.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_options.h>
#include <pub_tool_tooliface.h>

#include "traces/capture/runtime/images.h"
#include "traces/capture/runtime/process.h"
#include "traces/capture/valgrind/tool.h"

/* Of Valgrind's core, which does not declare it to tools: the program's
   file. */
extern Int VG_(cl_exec_fd);

static struct margay_wishes wishes;

/* ------------------------------------------------------------ options -- */

static Bool take_option(const HChar *argument)
{
    return VG_BOOL_CLO(argument, "--fetches", wishes.fetches) ||
           VG_STR_CLO(argument, "--capture", margay_libc_capture);
}

static void print_usage(void)
{
    VG_(printf)
    ("    --capture=NUMBERS   where the recorder is\n"
     "    --fetches=no|yes    record instructions, too [no]\n");
}

static void print_debug_usage(void)
{
    VG_(printf)("    (none)\n");
}

/* Valgrind calls this when the program ends, and not when it fails itself. */
static void end(Int status)
{
    (void)status;
    struct margay_capture *capture = margay_process.capture;
    if (atomic_load(&capture->first_process) == margay_process.id)
        atomic_store(&capture->saw_end, 1);
}

/* ------------------------------------------------- the program's life -- */

static IRSB *instrument(VgCallbackClosure *closure, IRSB *code,
                        const VexGuestLayout *layout,
                        const VexGuestExtents *extents,
                        const VexArchInfo *machine, IRType guest_word,
                        IRType host_word)
{
    (void)closure, (void)layout, (void)extents, (void)machine;
    tl_assert(guest_word == Ity_I64 && host_word == Ity_I64);
    return margay_instrument(code, &wishes);
}

static void at_run(ThreadId thread, ULong blocks)
{
    (void)blocks;
    margay_cursor_switch(thread);
}

static void at_thread_end(ThreadId thread)
{
    margay_cursor_switch(thread);
    margay_cursor_end();
}

static void at_signal(ThreadId thread, Int number, Bool other_stack)
{
    (void)number, (void)other_stack;
    margay_cursor_switch(thread);
    margay_cursor_catch_up();
}

/* The child goes on with the thread that forked. */
static void in_child(ThreadId thread)
{
    margay_cursor_switch(thread);
    margay_process_after_fork();
}

/* The program is the first module of the process. */
static void name_program(void)
{
    static HChar link[64], path[MARGAY_CAPTURED_PATH_BYTES];
    VG_(snprintf)(link, sizeof link, "/proc/self/fd/%d", VG_(cl_exec_fd));
    SSizeT bytes = VG_(readlink)(link, path, sizeof path - 1);
    margay_images_begin(margay_process.capture->modules,
                        bytes > 0 ? path : NULL);
}

static void begin(void)
{
    if (margay_libc_capture == NULL || !margay_process_attach()) {
        VG_(umsg)("margay record --method valgrind runs this tool\n");
        VG_(exit)(1);
    }
    wishes.sites = margay_process.capture->wants_sites != 0;
    if (wishes.sites)
        name_program();
    VG_(atfork)(NULL, NULL, in_child);
}

static void set_up(void)
{
    VG_(details_name)("margay");
    VG_(details_version)(NULL);
    VG_(details_description)("records references to memory");
    VG_(details_copyright_author)("Copyright (c) 2026 The Margay authors");
    VG_(details_bug_reports_to)("the authors of Margay");
    VG_(details_avg_translation_sizeB)(600);
    VG_(basic_tool_funcs)(begin, instrument, end);
    VG_(needs_command_line_options)
    (take_option, print_usage, print_debug_usage);
    VG_(track_start_client_code)(at_run);
    VG_(track_pre_thread_ll_exit)(at_thread_end);
    VG_(track_pre_deliver_signal)(at_signal);
    /* The stack pointer alone is always up to date. */
    VG_(clo_px_file_backed) = VexRegUpdSpAtMemAccess;
}

VG_DETERMINE_INTERFACE_VERSION(set_up)
