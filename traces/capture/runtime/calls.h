/*
 * calls.h - included before all code compiled with `record --cflags`
 *
 * _FORTIFY_SOURCE makes copies go through builtins of the compiler, in spite of
 * -fno-builtin, and gcc turns these into moves that no hook sees.  This header
 * keeps them calls.  clang calls a hook for each of its moves.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_CALLS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_CALLS_H

#if defined __GNUC__ && !defined __clang__ && !defined __ASSEMBLER__

#ifdef __cplusplus
extern "C" {
#endif

/* Under another name, which the compiler does not know. */
extern void *margay_memcpy_chk(void *to, const void *from, __SIZE_TYPE__ bytes,
                               __SIZE_TYPE__ room) __asm__("__memcpy_chk")
    __attribute__((__nothrow__, __leaf__));
extern void *margay_memmove_chk(void *to, const void *from, __SIZE_TYPE__ bytes,
                                __SIZE_TYPE__ room) __asm__("__memmove_chk")
    __attribute__((__nothrow__, __leaf__));
extern void *margay_memset_chk(void *to, int value, __SIZE_TYPE__ bytes,
                               __SIZE_TYPE__ room) __asm__("__memset_chk")
    __attribute__((__nothrow__, __leaf__));

#define __builtin___memcpy_chk  margay_memcpy_chk
#define __builtin___memmove_chk margay_memmove_chk
#define __builtin___memset_chk  margay_memset_chk

#ifdef __cplusplus
}
#endif

#endif
#endif
