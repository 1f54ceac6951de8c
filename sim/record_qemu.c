/*
 * record_qemu.c - recording a program in QEMU's user mode, by a plugin
 *
 * The emulator is that of the program's processor, so programs for others than
 * this machine's can be recorded too, where their libraries are installed.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/record.h"

#define PLUGIN     "margay_qemu.so"
#define FETCHES    ",fetches=on"
#define NAME_BYTES 32

/* ELF's number of a processor, and QEMU's name of it. */
static const struct {
    uint16_t number;
    uint8_t class, order;
    const char *name;
} processors[] = {
    {EM_X86_64, ELFCLASS64, ELFDATA2LSB, "x86_64"},
    {EM_386, ELFCLASS32, ELFDATA2LSB, "i386"},
    {EM_AARCH64, ELFCLASS64, ELFDATA2LSB, "aarch64"},
    {EM_ARM, ELFCLASS32, ELFDATA2LSB, "arm"},
    {EM_RISCV, ELFCLASS64, ELFDATA2LSB, "riscv64"},
    {EM_PPC64, ELFCLASS64, ELFDATA2LSB, "ppc64le"},
    {EM_PPC64, ELFCLASS64, ELFDATA2MSB, "ppc64"},
    {EM_S390, ELFCLASS64, ELFDATA2MSB, "s390x"},
};

/* The beginning of every ELF file, up to the processor's number. */
#define HEADER_BYTES 20

/* QEMU's name of the processor that a program is for; NULL: it has none. */
static const char *processor_of(const char *program)
{
    uint8_t header[HEADER_BYTES];
    int file = open(program, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, header, sizeof header);
    if (file >= 0)
        close(file);
    if (got != (ssize_t)sizeof header || memcmp(header, ELFMAG, SELFMAG) != 0)
        return NULL;
    bool little = header[EI_DATA] == ELFDATA2LSB;
    unsigned number = header[18 + !little] | header[18 + little] << 8;
    for (size_t i = 0; i < sizeof processors / sizeof processors[0]; i++) {
        if (processors[i].number == number &&
            processors[i].class == header[EI_CLASS] &&
            processors[i].order == header[EI_DATA])
            return processors[i].name;
    }
    return NULL;
}

static bool suits(const struct options *options, const char *program, char *why,
                  size_t why_bytes)
{
    (void)options;
    struct margay_error error;
    char directory[PATH_MAX], name[NAME_BYTES];
    const char *processor = processor_of(program);
    if (processor == NULL) {
        snprintf(why, why_bytes,
                 "it is no binary for a processor that we know of (of a "
                 "script, record the interpreter)");
        return false;
    }
    snprintf(name, sizeof name, "qemu-%s", processor);
    char *emulator = launch_find(name);
    bool installed = emulator != NULL;
    free(emulator);
    if (!installed) {
        snprintf(why, why_bytes, "%s is not installed (Debian: qemu-user)",
                 name);
        return false;
    }
    bool found = record_find(PLUGIN, directory, &error) == MARGAY_OK;
    if (!found)
        snprintf(why, why_bytes, "%s", error.message);
    return found;
}

static enum margay_status prepare(struct launch *launch,
                                  struct margay_error *error)
{
    static char emulator[NAME_BYTES], plugin[PATH_MAX + sizeof PLUGIN FETCHES];
    char directory[PATH_MAX];
    enum margay_status status = record_find(PLUGIN, directory, error);
    if (status != MARGAY_OK)
        return status;
    snprintf(emulator, sizeof emulator, "qemu-%s",
             processor_of(launch->program));
    snprintf(plugin, sizeof plugin, "%s/%s%s", directory, PLUGIN,
             launch->options->fetches ? FETCHES : "");
    const char *const before[] = {
        emulator,
        "-plugin",
        plugin,
        /* The program is not to record itself as well. */
        "-U",
        MARGAY_CAPTURE_VARIABLE,
        /* By the name it was called by. */
        "-0",
        launch->options->operands[0],
    };
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        launch_put_before(launch, before[i]);
    return MARGAY_OK;
}

const struct record_method record_qemu = {
    .name = "qemu",
    .slowdown = "10 to 50 times",
    .suits = suits,
    .prepare = prepare,
    .knows_sites = true,
    .knows_fetches = true,
    .knows_threads = true,
    .collapses = true,
};
