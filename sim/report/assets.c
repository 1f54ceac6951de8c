/*
 * assets.c - the style and the script of a page
 *
 * The assembler takes in the files, which stay as they are for editors and
 * readers.  The build runs in the tree's root, and module.mk says that this
 * file depends on them.
 */
#include "sim/report/assets.h"

#define ASSET(name, file)                                       \
    __asm__(".section .rodata\n"                                \
            ".globl " #name "\n"                                \
            ".globl " #name "_end\n" #name ":\n"                \
            ".incbin \"sim/report/" file "\"\n" #name "_end:\n" \
            ".byte 0\n"                                         \
            ".previous\n")

ASSET(report_css, "report.css");
ASSET(report_js, "report.js");
