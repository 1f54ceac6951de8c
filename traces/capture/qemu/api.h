/*
 * api.h - what the plugin uses of QEMU
 *
 * The functions of QEMU's plugin interface, version 1 (QEMU 4.2 to 8.1), as
 * its documentation has them; distributions that ship the emulator seldom ship
 * its header.  They are found in the emulator when it loads the plugin.
 */
#ifndef MARGAY_TRACES_CAPTURE_QEMU_API_H
#define MARGAY_TRACES_CAPTURE_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version that the emulator is told; it refuses one that it lacks. */
#ifndef MARGAY_QEMU_PLUGIN_VERSION
#define MARGAY_QEMU_PLUGIN_VERSION 1
#endif

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t; /* size, kind, byte order of one */

/* Only pointers to it are used. */
typedef struct qemu_info_t qemu_info_t;

struct qemu_plugin_tb;   /* a piece of code while it is translated */
struct qemu_plugin_insn; /* one instruction of it */

enum qemu_plugin_cb_flags {
    QEMU_PLUGIN_CB_NO_REGS, /* the callback uses no registers of the guest */
};

enum qemu_plugin_mem_rw {
    QEMU_PLUGIN_MEM_R = 1,
    QEMU_PLUGIN_MEM_W,
    QEMU_PLUGIN_MEM_RW,
};

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(
    const struct qemu_plugin_tb *tb, size_t index);

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

/* The binary logarithm of the size in bytes. */
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

void qemu_plugin_register_vcpu_tb_trans_cb(
    qemu_plugin_id_t id,
    void (*callback)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_mem_cb(
    struct qemu_plugin_insn *insn,
    void (*callback)(unsigned vcpu, qemu_plugin_meminfo_t info,
                     uint64_t address, void *data),
    enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw kinds, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(
    struct qemu_plugin_insn *insn, void (*callback)(unsigned vcpu, void *data),
    enum qemu_plugin_cb_flags flags, void *data);

/* What the emulator looks for in a plugin. */
#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))
extern QEMU_PLUGIN_EXPORT int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
                                           const qemu_info_t *info, int count,
                                           char **arguments);

#endif
