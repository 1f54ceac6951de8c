/*
 * program_file.h - how the system runs a file: as a script or as a binary
 */
#ifndef MARGAY_TRACES_CAPTURE_PROGRAM_FILE_H
#define MARGAY_TRACES_CAPTURE_PROGRAM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes of the first line of a script. */
#define MARGAY_SCRIPT_BYTES 256

/* The most scripts that interpret each other. */
#define MARGAY_MOST_SCRIPTS 4

struct margay_script {
    char interpreter[MARGAY_SCRIPT_BYTES];
};

/* A file that is a script, its interpreter if that is a script, and so on. */
struct margay_scripts {
    struct margay_script list[MARGAY_MOST_SCRIPTS];
    size_t count;
};

/* The file at the end of these scripts, which is no script; NULL: there are too
   many scripts.  The string is `path` or belongs to *scripts. */
const char *margay_find_binary(const char *path,
                               struct margay_scripts *scripts);

/* The beginning of an ELF file. */
struct margay_binary {
    uint8_t class, order; /* EI_CLASS, EI_DATA */
    uint16_t machine;     /* EM_... */
};

/* False: the file is not ELF, or cannot be read. */
bool margay_read_binary(const char *path, struct margay_binary *binary);

#endif
