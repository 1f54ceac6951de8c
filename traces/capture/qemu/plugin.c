/*
 * plugin.c - references of an unmodified program, in QEMU's user mode
 *
 * QEMU translates the program piece by piece and lets a plugin ask to be
 * called at every access to memory.  What an access is, its size and kind,
 * comes as a number with functions to ask about it; they are asked once for
 * each number that occurs, since calls would cost more than all the rest.
 *
 * One callback is registered for loads and stores alike: of two, QEMU 7.2
 * calls the second for accesses of its helpers only if the first was for that
 * kind.  Addresses are the guest's.  An access that the emulator makes of
 * several is joined again where we know it to be one (wide.h).
 *
 * Arguments: fetches=on records instructions too, each before its accesses.
 */
#include <string.h>

#include <margay/traces.h>

#include "traces/capture/qemu/api.h"
#include "traces/capture/qemu/wide.h"
#include "traces/capture/runtime/recorder.h"

int qemu_plugin_version = MARGAY_QEMU_PLUGIN_VERSION;

#define WIDE_BYTES 16

/* What a qemu_plugin_meminfo_t says.  The numbers in use are small. */
struct shape {
    uint8_t bytes; /* 0 = not known yet */
    uint8_t kind;
    bool also_written;
};
static struct shape shapes[1 << 18];

/*
 * An atomic instruction is one access, of which is_store() is true.  The only
 * sign of its also being a load is in the bits above the sixteen that describe
 * the operand; if these ever moved it would count as a store alone.
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

/* Threads may find out the same at the same time. */
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

/* Where the second half of a wide access will be. */
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

/* The instruction's size is in the bits above its address. */
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

static bool records_fetches, has_wide;

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(tb);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t address = qemu_plugin_insn_vaddr(insn);
        size_t bytes = qemu_plugin_insn_size(insn);
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
    /* The name of the processor stands first. */
    const char *target;
    memcpy(&target, info, sizeof target);
    has_wide = strcmp(target, "x86_64") == 0;
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    return 0;
}
