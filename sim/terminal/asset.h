/*
 * asset.h - files that the program carries, as texts
 *
 * The assembler takes them in, and they stay files for editors and readers.
 * The build runs in the tree's root; module.mk says which objects depend on
 * which files.
 */
#ifndef MARGAY_SIM_TERMINAL_ASSET_H
#define MARGAY_SIM_TERMINAL_ASSET_H

#define ASSET(name, file)                                                   \
    __asm__(".section .rodata\n.globl " #name "\n.hidden " #name "\n" #name \
            ":\n.incbin \"" file "\"\n.byte 0\n.previous\n");               \
    extern const char name[] __attribute__((visibility("hidden")))

#endif
