/*
 * hooks.c - what gcc and clang call with -fsanitize=thread
 *
 * The compilers put a call in front of each access to memory that might be
 * shared, which is nearly every one that the source names: none for registers
 * spilled to the stack, or for what the C library does inside.  Sizes and
 * names follow from the calls; there is no header for them.
 *
 * This takes the place of the compilers' own library, libtsan.
 */
#include "traces/capture/runtime/observe.h"

#define ACCESSES(size)                                              \
    HOOK void __tsan_read##size(void *address);                     \
    HOOK void __tsan_write##size(void *address);                    \
    HOOK void __tsan_read_write##size(void *address);               \
    HOOK void __tsan_volatile_read##size(void *address);            \
    HOOK void __tsan_volatile_write##size(void *address);           \
    HOOK void __tsan_unaligned_read##size(void *address);           \
    HOOK void __tsan_unaligned_write##size(void *address);          \
    HOOK void __tsan_unaligned_read_write##size(void *address);     \
    HOOK void __tsan_unaligned_volatile_read##size(void *address);  \
    HOOK void __tsan_unaligned_volatile_write##size(void *address); \
    void __tsan_read##size(void *address)                           \
    {                                                               \
        observe(address, READ, size, SITE);                         \
    }                                                               \
    void __tsan_write##size(void *address)                          \
    {                                                               \
        observe(address, WRITE, size, SITE);                        \
    }                                                               \
    void __tsan_read_write##size(void *address)                     \
    {                                                               \
        observe(address, READ, size, SITE);                         \
        observe(address, WRITE, size, SITE);                        \
    }                                                               \
    void __tsan_volatile_read##size(void *address)                  \
    {                                                               \
        observe(address, READ, size, SITE);                         \
    }                                                               \
    void __tsan_volatile_write##size(void *address)                 \
    {                                                               \
        observe(address, WRITE, size, SITE);                        \
    }                                                               \
    void __tsan_unaligned_read##size(void *address)                 \
    {                                                               \
        observe(address, READ, size, SITE);                         \
    }                                                               \
    void __tsan_unaligned_write##size(void *address)                \
    {                                                               \
        observe(address, WRITE, size, SITE);                        \
    }                                                               \
    void __tsan_unaligned_read_write##size(void *address)           \
    {                                                               \
        observe(address, READ, size, SITE);                         \
        observe(address, WRITE, size, SITE);                        \
    }                                                               \
    void __tsan_unaligned_volatile_read##size(void *address)        \
    {                                                               \
        observe(address, READ, size, SITE);                         \
    }                                                               \
    void __tsan_unaligned_volatile_write##size(void *address)       \
    {                                                               \
        observe(address, WRITE, size, SITE);                        \
    }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

HOOK void __tsan_read_range(void *address, size_t bytes);
HOOK void __tsan_write_range(void *address, size_t bytes);
HOOK void __tsan_vptr_read(void **vptr);
HOOK void __tsan_vptr_update(void **vptr, void *value);

void __tsan_read_range(void *address, size_t bytes)
{
    margay_observe_range(address, bytes, READ, SITE);
}

void __tsan_write_range(void *address, size_t bytes)
{
    margay_observe_range(address, bytes, WRITE, SITE);
}

/* C++: the pointer to an object's virtual functions. */
void __tsan_vptr_read(void **vptr)
{
    observe(vptr, READ, sizeof *vptr, SITE);
}

void __tsan_vptr_update(void **vptr, void *value)
{
    (void)value;
    observe(vptr, WRITE, sizeof *vptr, SITE);
}
