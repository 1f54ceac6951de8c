/*
 * record_qemu.c - recording a program in QEMU's user mode, by a plugin
 *
 * The emulator is that of the program's processor.  So programs for processors
 * other than this machine's can be recorded, too, if their libraries are
 * installed.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/record/record.h"
#include "sim/terminal/search_path.h"

#define PLUGIN     "margay_qemu.so"
#define FETCHES    ",fetches=on"
#define NAME_BYTES 32

/* A function that an emulator exports if it takes plugins. */
static const char plugin_call[] = "qemu_plugin_register_vcpu_mem_cb";

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

/* QEMU's name of a program's processor; NULL if there is none. */
static const char *processor_of(const char *program)
{
    struct margay_binary binary;
    if (!margay_read_binary(program, &binary))
        return NULL;
    for (size_t i = 0; i < sizeof processors / sizeof processors[0]; i++) {
        if (processors[i].number == binary.machine &&
            processors[i].class == binary.class &&
            processors[i].order == binary.order)
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
    struct margay_scripts scripts;
    const char *binary = margay_find_binary(program, &scripts);
    const char *processor = binary == NULL ? NULL : processor_of(binary);
    if (processor == NULL) {
        snprintf(why, why_bytes,
                 "neither it nor its interpreter is a binary for a processor "
                 "that we know of");
        return false;
    }
    snprintf(name, sizeof name, "qemu-%s", processor);
    char *emulator = search_path(name);
    bool installed = emulator != NULL;
    /* A script may run an emulator that takes plugins. */
    struct margay_binary elf;
    bool takes_plugins =
        installed && (!margay_read_binary(emulator, &elf) ||
                      record_file_holds(emulator, plugin_call));
    free(emulator);
    if (!installed) {
        snprintf(why, why_bytes, "%s is not installed (Debian: qemu-user)",
                 name);
        return false;
    }
    if (!takes_plugins) {
        snprintf(why, why_bytes,
                 "%s takes no plugins, as that of Debian 13; --method "
                 "valgrind or lackey is left",
                 name);
        return false;
    }
    bool found = record_find(PLUGIN, directory, &error) == MARGAY_OK;
    if (!found)
        snprintf(why, why_bytes, "%s", error.message);
    return found;
}

/* Double the commas of the plugin's path, because a single one begins an
   option; the result has room for twice the name. */
static void double_commas(const char *name, char *doubled)
{
    for (; *name != '\0'; name++) {
        if (*name == ',')
            *doubled++ = ',';
        *doubled++ = *name;
    }
    *doubled = '\0';
}

static enum margay_status prepare(struct launch *launch,
                                  struct margay_error *error)
{
    static char emulator[NAME_BYTES],
        plugin[2 * PATH_MAX + sizeof PLUGIN FETCHES];
    static struct margay_scripts scripts;
    char directory[PATH_MAX], doubled[2 * PATH_MAX];
    enum margay_status status = record_find(PLUGIN, directory, error);
    if (status != MARGAY_OK)
        return status;
    const char *binary = margay_find_binary(launch->program, &scripts);
    snprintf(emulator, sizeof emulator, "qemu-%s", processor_of(binary));
    double_commas(directory, doubled);
    snprintf(plugin, sizeof plugin, "%s/%s%s", doubled, PLUGIN,
             launch->options->record.fetches ? FETCHES : "");
    launch->leaves_out = "the system was to run them without the emulator";
    const char *const before[] = {
        emulator,
        "-plugin",
        plugin,
        /* The program is not to record itself as well. */
        "-U",
        MARGAY_CAPTURE_VARIABLE,
        /* The program's own name.  The plugin relies on this option being the
           last. */
        "-0",
        scripts.count > 0 ? binary : launch->options->operands[0],
    };
    launch_put_all_before(launch, before, sizeof before / sizeof before[0]);
    for (size_t i = scripts.count; i-- > 0;) {
        launch_put_before(launch, scripts.list[i].interpreter);
        if (*scripts.list[i].argument != '\0')
            launch_put_before(launch, scripts.list[i].argument);
    }
    return MARGAY_OK;
}

const struct record_method record_qemu = {
    .name = "qemu",
    .slowdown = "4 to 55 times",
    .suits = suits,
    .prepare = prepare,
    .knows_sites = true,
    .knows_fetches = true,
    .knows_threads = true,
    .collapses = true,
};
