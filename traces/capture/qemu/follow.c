/*
 * follow.c - a recorded program becomes another one
 *
 * A program that the system would refuse, or run with other rights, is left to
 * the system, and the recorder is told.  Strings are used where they stand in
 * the memory of the program, once they are known to be readable.
 */
#define _GNU_SOURCE
#include "traces/capture/qemu/follow.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "traces/capture/program_file.h"
#include "traces/capture/qemu/api.h"
#include "traces/capture/runtime/process.h"

/* Only programs with the byte order of this machine are followed. */
struct processor {
    const char *name;
    int64_t execve, execveat;
    uint16_t machine;
    uint8_t class;
    uint8_t pointer_bytes; /* 0 = the other byte order */
};

static const struct processor processors[] = {
    {"x86_64", 59, 322, EM_X86_64, ELFCLASS64, 8},
    {"aarch64", 221, 281, EM_AARCH64, ELFCLASS64, 8},
    {"riscv64", 221, 281, EM_RISCV, ELFCLASS64, 8},
    {"ppc64le", 11, 362, EM_PPC64, ELFCLASS64, 8},
    {"i386", 11, 358, EM_386, ELFCLASS32, 4},
    {"arm", 11, 387, EM_ARM, ELFCLASS32, 4},
    {"ppc64", 11, 362, EM_PPC64, ELFCLASS64, 0},
    {"s390x", 11, 354, EM_S390, ELFCLASS64, 0},
};

#define MOST_STRINGS (1u << 20)

static const struct processor *processor;
static uint64_t base; /* the address 0 of the program in the emulator */

/* The calling thread has called margay_process_leave(). */
static __thread bool left __attribute__((tls_model("initial-exec")));

void margay_follow_begin(const char *name)
{
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
        if (strcmp(processors[i].name, name) == 0)
            processor = &processors[i];
    }
}

void margay_follow_memory(uint64_t address)
{
    base = address;
}

/* ----------------------------------------------- the program's memory -- */

/* Read the memory of the program; false if it cannot be read.  The system
   checks that without a fault. */
static bool read_guest(int memory, uint64_t address, void *bytes, size_t count)
{
    return pread(memory, bytes, count, (off_t)(base + address)) ==
           (ssize_t)count;
}

/* A string of the program; NULL: not all of it can be read. */
static char *guest_string(int memory, uint64_t address)
{
    enum { STEP = 256 }; /* divides a page, so no step crosses one */
    char bytes[STEP];
    for (uint64_t at = address; at - address < MOST_STRINGS;) {
        size_t count = STEP - (base + at) % STEP;
        if (!read_guest(memory, at, bytes, count))
            return NULL;
        if (memchr(bytes, '\0', count) != NULL)
            return (char *)(uintptr_t)(base + address);
        at += count;
    }
    return NULL;
}

/* A list of strings, which it does not own, with a final NULL. */
struct strings {
    char **list;
    size_t count;
};

static bool add(struct strings *list, const char *string)
{
    char **longer = realloc(list->list, (list->count + 2) * sizeof *list->list);
    if (longer == NULL)
        return false;
    list->list = longer;
    longer[list->count++] = (char *)string;
    longer[list->count] = NULL;
    return true;
}

/* Add the strings of an array of the program, without the first `skip`.  False:
   they cannot be read. */
static bool add_guest_strings(int memory, uint64_t address, size_t skip,
                              struct strings *list)
{
    for (size_t i = skip; address != 0 && i < MOST_STRINGS; i++) {
        uint64_t pointer = 0;
        if (!read_guest(memory, address + i * processor->pointer_bytes,
                        &pointer, processor->pointer_bytes))
            return false;
        if (pointer == 0)
            return true;
        const char *string = guest_string(memory, pointer);
        if (string == NULL || !add(list, string))
            return false;
    }
    return address == 0;
}

/* ------------------------------------------------------------ the program --
 */

/* The path by which the emulator is to open a file.  In /proc and /dev/fd a
   process finds its own files, so names there are resolved. */
static const char *own_name(const char *path, char *buffer)
{
    bool is_self = strcmp(path, "/proc/self/exe") == 0;
    if (is_self && qemu_plugin_path_to_binary != NULL)
        return qemu_plugin_path_to_binary();
    if (strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/dev/fd/", 8) != 0)
        return path;
    return is_self ? NULL : realpath(path, buffer);
}

/* True if the program has rights that it would lose in an emulator. */
static bool has_other_rights(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 ||
           (status.st_mode & S_ISUID && status.st_uid != geteuid()) ||
           (status.st_mode & S_ISGID && status.st_gid != getegid()) ||
           getxattr(path, "security.capability", NULL, 0) > 0;
}

static bool may_run(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

static bool can_emulate(const char *path, struct margay_scripts *scripts)
{
    struct margay_binary binary;
    const char *last = margay_find_binary(path, scripts);
    if (last == NULL || !may_run(path) || has_other_rights(last))
        return false;
    for (size_t i = 0; i < scripts->count; i++) {
        if (!may_run(scripts->list[i].interpreter))
            return false;
    }
    return margay_read_binary(last, &binary) &&
           binary.machine == processor->machine &&
           binary.class == processor->class && binary.order == ELFDATA2LSB &&
           (binary.type == ET_EXEC || binary.type == ET_DYN);
}

/* --------------------------------------------------------- the emulator -- */

/* Add the arguments of the emulator up to "-0", which precedes the name that
   the program is to see (sim/record/record_qemu.c). */
static bool add_own_arguments(struct strings *arguments)
{
    static char text[65536];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    for (char *at = text; at < text + got; at += strlen(at) + 1) {
        if (!add(arguments, at))
            return false;
        if (strcmp(at, "-0") == 0)
            return true;
    }
    return false;
}

/* Add the variables that the emulator needs, which the program may not have
   passed on. */
static bool add_own_environment(struct strings *environment)
{
    static const char *const names[] = {MARGAY_CAPTURE_VARIABLE, "QEMU_CPU",
                                        "QEMU_LD_PREFIX"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = secure_getenv(names[i]);
        /* In memory the name and "=" precede the value. */
        if (value != NULL && !add(environment, value - strlen(names[i]) - 1))
            return false;
    }
    return true;
}

/* From the innermost script outwards: each interpreter, its argument, and at
   last the path. */
static bool add_program(const char *path, const struct margay_scripts *scripts,
                        struct strings *arguments)
{
    for (size_t i = scripts->count; i-- > 0;) {
        const struct margay_script *script = &scripts->list[i];
        if (!add(arguments, script->interpreter) ||
            (*script->argument != '\0' && !add(arguments, script->argument)))
            return false;
    }
    return add(arguments, path);
}

struct call {
    int memory; /* descriptor of the memory of the program */
    uint64_t path, arguments, environment;
};

/* The name that the program sees: its first argument, or for a script the name
   of the interpreter. */
static const char *name_of(const struct call *call,
                           const struct margay_scripts *scripts)
{
    struct strings given = {NULL, 0};
    const char *name = NULL;
    if (add_guest_strings(call->memory, call->arguments, 0, &given) &&
        given.count > 0)
        name = scripts->count > 0
                   ? scripts->list[scripts->count - 1].interpreter
                   : given.list[0];
    free(given.list);
    return name;
}

static void execute(char **arguments, char **environment)
{
    char emulator[PATH_MAX] = "";
    if (readlink("/proc/self/exe", emulator, sizeof emulator - 1) <= 0)
        return;
    margay_process_leave((uint32_t)getpid(), true);
    execve(emulator, arguments, environment);
    margay_process_stay();
}

/* Become the emulator of the other program.  Returns only on failure. */
static void become(const struct call *call)
{
    char buffer[PATH_MAX];
    struct margay_scripts scripts;
    struct strings arguments = {NULL, 0}, environment = {NULL, 0};
    const char *path = guest_string(call->memory, call->path);
    path = path == NULL ? NULL : own_name(path, buffer);
    if (path == NULL || !can_emulate(path, &scripts))
        return;
    const char *name = name_of(call, &scripts);
    if (name != NULL && add_own_arguments(&arguments) &&
        add(&arguments, name) && add_program(path, &scripts, &arguments) &&
        add_guest_strings(call->memory, call->arguments, 1, &arguments) &&
        add_guest_strings(call->memory, call->environment, 0, &environment) &&
        add_own_environment(&environment))
        execute(arguments.list, environment.list);
    free(arguments.list);
    free(environment.list);
}

static bool executes(int64_t number)
{
    return processor != NULL &&
           (number == processor->execve || number == processor->execveat);
}

/* What execveat() starts is left to the system. */
void margay_follow_call(int64_t number, uint64_t path, uint64_t arguments,
                        uint64_t environment)
{
    if (!executes(number) || !margay_process_attach() ||
        margay_process.capture->quiet == MARGAY_NO_MORE)
        return;
    struct call call = {open("/proc/self/mem", O_RDONLY | O_CLOEXEC), path,
                        arguments, environment};
    if (call.memory >= 0 && processor->pointer_bytes != 0 &&
        number == processor->execve)
        become(&call);
    if (call.memory >= 0)
        close(call.memory);
    left = true;
    margay_process_leave((uint32_t)getpid(), false);
}

void margay_follow_return(int64_t number)
{
    if (!executes(number) || !left)
        return;
    left = false;
    margay_process_stay();
}
