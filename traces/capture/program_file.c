/* program_file.c - how the system runs a file: see program_file.h */
#define _GNU_SOURCE
#include "traces/capture/program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static size_t read_beginning(const char *path, void *bytes, size_t most)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = file < 0 ? -1 : read(file, bytes, most);
    if (file >= 0)
        close(file);
    return got < 0 ? 0 : (size_t)got;
}

/* Read the first line of a script.  False: the file is no script, or names no
   interpreter. */
static bool read_script(const char *path, struct margay_script *script)
{
    char line[MARGAY_SCRIPT_BYTES] = "";
    if (read_beginning(path, line, sizeof line - 1) < 2 || line[0] != '#' ||
        line[1] != '!')
        return false;
    const char *name = line + 2 + strspn(line + 2, " \t");
    const size_t bytes = strcspn(name, " \t\n");
    memcpy(script->interpreter, name, bytes);
    script->interpreter[bytes] = '\0';
    return *script->interpreter != '\0';
}

const char *margay_find_binary(const char *path, struct margay_scripts *scripts)
{
    struct margay_script beyond;
    for (scripts->count = 0; scripts->count < MARGAY_MOST_SCRIPTS;) {
        struct margay_script *script = &scripts->list[scripts->count];
        if (!read_script(path, script))
            return path;
        path = script->interpreter;
        scripts->count++;
    }
    return read_script(path, &beyond) ? NULL : path;
}

/* Offsets in the header of ELF. */
#define MACHINE_AT   18
#define HEADER_BYTES 20

bool margay_read_binary(const char *path, struct margay_binary *binary)
{
    uint8_t header[HEADER_BYTES];
    if (read_beginning(path, header, sizeof header) != sizeof header ||
        memcmp(header, ELFMAG, SELFMAG) != 0)
        return false;
    unsigned high = header[EI_DATA] == ELFDATA2LSB, low = 1 - high;
    *binary = (struct margay_binary){
        .class = header[EI_CLASS],
        .order = header[EI_DATA],
        .machine = (uint16_t)(header[MACHINE_AT + low] |
                              header[MACHINE_AT + high] << 8),
    };
    return true;
}
