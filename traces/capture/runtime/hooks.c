/*
 * hooks.c - the functions that gcc and clang call with -fsanitize=thread
 *
 * The compilers call a hook before each access to memory that may be shared,
 * which is nearly every access that the source names; accesses to registers
 * spilled to the stack, and those inside the C library, have no hook.  No
 * header declares the hooks: their names and types follow from the calls.
 *
 * They replace libtsan, the library of the compilers.
 */
#include "traces/capture/runtime/observe.h"

#define READS(name, size)                         \
    HOOK void __tsan_##name##size(void *address); \
    void __tsan_##name##size(void *address)       \
    {                                             \
        observe(address, READ, size, SITE);       \
    }

#define WRITES(name, size)                        \
    HOOK void __tsan_##name##size(void *address); \
    void __tsan_##name##size(void *address)       \
    {                                             \
        observe(address, WRITE, size, SITE);      \
    }

#define MODIFIES(name, size)                      \
    HOOK void __tsan_##name##size(void *address); \
    void __tsan_##name##size(void *address)       \
    {                                             \
        observe(address, READ, size, SITE);       \
        observe(address, WRITE, size, SITE);      \
    }

#define ACCESSES(size)                     \
    READS(read, size)                      \
    READS(volatile_read, size)             \
    READS(unaligned_read, size)            \
    READS(unaligned_volatile_read, size)   \
    WRITES(write, size)                    \
    WRITES(volatile_write, size)           \
    WRITES(unaligned_write, size)          \
    WRITES(unaligned_volatile_write, size) \
    MODIFIES(read_write, size)             \
    MODIFIES(unaligned_read_write, size)

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

/* C++: the pointer of an object to its virtual functions. */
void __tsan_vptr_read(void **vptr)
{
    observe(vptr, READ, sizeof *vptr, SITE);
}

void __tsan_vptr_update(void **vptr, void *value)
{
    (void)value;
    observe(vptr, WRITE, sizeof *vptr, SITE);
}
