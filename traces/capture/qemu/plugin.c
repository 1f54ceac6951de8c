/*
 * plugin.c - references of an unmodified program, in the user mode of QEMU
 *
 * QEMU translates the program block by block and calls a plugin at every access
 * to memory.  A number describes the size and kind of the access, and functions
 * interpret it; each number is interpreted once, because calls would cost more
 * than everything else.
 *
 * One callback is registered for both loads and stores: of two callbacks, QEMU
 * 7.2 calls the second for accesses of its helpers only if the first was for
 * the same kind.  Addresses are those of the program.  An access that the
 * emulator divides is joined again where wide.h knows it to be one.
 *
 * Arguments: fetches=on also records instructions, each before its accesses.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <margay/traces.h>

#include "traces/capture/qemu/api.h"
#include "traces/capture/qemu/follow.h"
#include "traces/capture/qemu/wide.h"
#include "traces/capture/runtime/images.h"
#include "traces/capture/runtime/process.h"
#include "traces/capture/runtime/recorder.h"

int qemu_plugin_version = MARGAY_QEMU_PLUGIN_VERSION;

#define WIDE_BYTES 16

/* The meaning of a qemu_plugin_meminfo_t, by its value; values in use are
   small. */
struct shape {
    uint8_t bytes; /* 0 = not yet interpreted */
    uint8_t kind;
    bool also_written;
};
static struct shape shapes[1 << 18];

/*
 * An atomic instruction is one access, of which is_store() is true.  Only the
 * bits above the sixteen that describe the operand tell that it is a load, too;
 * if a version of QEMU moved them, it would count as a store.
 */
#define KIND_SHIFT 16

static struct shape describe(qemu_plugin_meminfo_t info)
{
    bool both = info >> KIND_SHIFT == QEMU_PLUGIN_MEM_RW;
    bool store = qemu_plugin_mem_is_store(info);
    return (struct shape){
        .bytes = (uint8_t)(1u << (qemu_plugin_mem_size_shift(info) & 7)),
        .kind = store && !both ? MARGAY_WRITE : MARGAY_READ,
        .also_written = both,
    };
}

/* Several threads may interpret the same value at a time, with the same
   result. */
static inline struct shape shape_of(qemu_plugin_meminfo_t info)
{
    if (__builtin_expect(info >= sizeof shapes / sizeof *shapes, 0))
        return describe(info);
    if (__builtin_expect(shapes[info].bytes == 0, 0))
        shapes[info] = describe(info);
    return shapes[info];
}

static inline void record(uint64_t address, struct shape shape, void *site)
{
    margay_record_at(address, shape.kind, shape.bytes, (uintptr_t)site);
    if (__builtin_expect(shape.also_written, 0))
        margay_record_at(address, MARGAY_WRITE, shape.bytes, (uintptr_t)site);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info,
                      uint64_t address, void *site)
{
    (void)vcpu;
    record(address, shape_of(info), site);
}

/* The address of the second half of a wide access. */
static __thread uint64_t other_half __attribute__((tls_model("initial-exec")));

static void on_wide_access(unsigned vcpu, qemu_plugin_meminfo_t info,
                           uint64_t address, void *site)
{
    (void)vcpu;
    struct shape shape = shape_of(info);
    if (address == other_half) {
        other_half = 0;
        return;
    }
    if (shape.bytes == WIDE_BYTES / 2) {
        shape.bytes = WIDE_BYTES;
        other_half = address + WIDE_BYTES / 2;
    }
    record(address, shape, site);
}

/* The size of the instruction stands in the bits above its address. */
#define FETCH_BYTES_SHIFT 56

static void on_instruction(unsigned vcpu, void *packed)
{
    (void)vcpu;
    uint64_t address =
        (uintptr_t)packed & ((UINT64_C(1) << FETCH_BYTES_SHIFT) - 1);
    margay_record_at(address, MARGAY_FETCH,
                     (unsigned)((uintptr_t)packed >> FETCH_BYTES_SHIFT),
                     address);
}

static void on_call(qemu_plugin_id_t id, unsigned vcpu, int64_t number,
                    uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                    uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    (void)id, (void)vcpu, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    margay_follow_call(number, a1, a2, a3);
}

static void on_return(qemu_plugin_id_t id, unsigned vcpu, int64_t number,
                      int64_t result)
{
    (void)id, (void)vcpu, (void)result;
    margay_follow_return(number);
}

/* The program is the first module of the process. */
static void name_program(uint64_t base)
{
    static char path[PATH_MAX];
    bool known = qemu_plugin_path_to_binary != NULL &&
                 realpath(qemu_plugin_path_to_binary(), path) != NULL;
    if (margay_recorder_wants_sites())
        margay_images_begin(margay_process.capture->modules,
                            known ? path : NULL, base);
}

/* Find the memory of the program in the emulator by the first instruction. */
static void find_memory(const struct qemu_plugin_insn *insn)
{
    static bool found;
    const void *here = qemu_plugin_insn_haddr(insn);
    if (found || here == NULL)
        return;
    found = true;
    uint64_t base = (uintptr_t)here - qemu_plugin_insn_vaddr(insn);
    name_program(base);
    margay_follow_memory(base);
}

static bool records_fetches, has_wide;

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(tb);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t address = qemu_plugin_insn_vaddr(insn);
        size_t bytes = qemu_plugin_insn_size(insn);
        find_memory(insn);
        bool wide =
            has_wide && margay_is_wide(qemu_plugin_insn_data(insn), bytes);
        qemu_plugin_register_vcpu_mem_cb(
            insn, wide ? on_wide_access : on_access, QEMU_PLUGIN_CB_NO_REGS,
            QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)address);
        if (records_fetches)
            qemu_plugin_register_vcpu_insn_exec_cb(
                insn, on_instruction, QEMU_PLUGIN_CB_NO_REGS,
                (void *)(uintptr_t)(address | (uint64_t)bytes
                                                  << FETCH_BYTES_SHIFT));
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int count,
                        char **arguments)
{
    for (int i = 0; i < count; i++)
        records_fetches |= strcmp(arguments[i], "fetches=on") == 0;
    /* The first field of *info is the name of the processor. */
    const char *target;
    memcpy(&target, info, sizeof target);
    has_wide = strcmp(target, "x86_64") == 0;
    margay_follow_begin(target);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_vcpu_syscall_cb(id, on_call);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, on_return);
    return 0;
}
