/*
 * api.h - the functions of QEMU that the plugin calls
 *
 * They belong to the plugin interface of QEMU, version 1 (QEMU 4.2 to 8.1), and
 * are declared as its documentation gives them, because distributions that ship
 * the emulator seldom ship its header.  They are linked when the emulator loads
 * the plugin.
 */
#ifndef MARGAY_TRACES_CAPTURE_QEMU_API_H
#define MARGAY_TRACES_CAPTURE_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version that the plugin asks for; the emulator refuses unknown ones. */
#ifndef MARGAY_QEMU_PLUGIN_VERSION
#define MARGAY_QEMU_PLUGIN_VERSION 1
#endif

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t; /* size, kind, byte order */

/* Incomplete: only pointers to it are used. */
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

/* Its address in the memory of the emulator; NULL: it is not in one piece. */
const void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);

/* The file of the program; QEMU 7.0 and later. */
const char *qemu_plugin_path_to_binary(void) __attribute__((weak));

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

void qemu_plugin_register_vcpu_syscall_cb(
    qemu_plugin_id_t id,
    void (*callback)(qemu_plugin_id_t id, unsigned vcpu, int64_t number,
                     uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                     uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8));
void qemu_plugin_register_vcpu_syscall_ret_cb(
    qemu_plugin_id_t id, void (*callback)(qemu_plugin_id_t id, unsigned vcpu,
                                          int64_t number, int64_t result));

/* The symbols that the emulator looks for in a plugin. */
#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))
extern QEMU_PLUGIN_EXPORT int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
                                           const qemu_info_t *info, int count,
                                           char **arguments);

#endif
