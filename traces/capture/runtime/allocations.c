/*
 * allocations.c - memory that the program allocates, and variables of its files
 *
 * The linker redirects the program's calls of these functions (--wrap), as it
 * does those of memcpy; calls from libraries that were not linked so go by
 * unseen.  An event of freed memory comes before the library's call, and one of
 * allocated memory after it, so the numbers of events have the right order.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include "traces/capture/runtime/images.h"
#include "traces/capture/runtime/process.h"
#include "traces/capture/runtime/recorder.h"
#include "traces/formats/data_kind.h"

static void *allocated(void *memory, size_t bytes, uint64_t site)
{
    if (memory != NULL)
        margay_recorder_put_data(MARGAY_DATA_ALLOCATED, memory, bytes, site);
    return memory;
}

static void freed(void *memory, uint64_t site)
{
    if (memory != NULL)
        margay_recorder_put_data(MARGAY_DATA_UNKNOWN, memory, 0, site);
}

/* ------------------------------------------------------------------- C -- */

/* The wrapped functions; the C library may have no weak ones. */
#define WRAPPED(weak, type, name, ...)    \
    weak type __real_##name(__VA_ARGS__); \
    HOOK type __wrap_##name(__VA_ARGS__)
#define WEAK __attribute__((weak))

/* A function that returns `bytes` bytes, and one that frees `memory`. */
#define NEW(weak, name, parameters, arguments)                  \
    weak void *__real_##name parameters;                        \
    HOOK void *__wrap_##name parameters                         \
    {                                                           \
        return allocated(__real_##name arguments, bytes, SITE); \
    }

#define DELETE(weak, name, parameters, arguments) \
    weak void __real_##name parameters;           \
    HOOK void __wrap_##name parameters            \
    {                                             \
        freed(memory, SITE);                      \
        __real_##name arguments;                  \
    }

NEW(, malloc, (size_t bytes), (bytes))
NEW(, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes))
NEW(WEAK, memalign, (size_t alignment, size_t bytes), (alignment, bytes))
NEW(WEAK, valloc, (size_t bytes), (bytes))
NEW(WEAK, pvalloc, (size_t bytes), (bytes))
DELETE(, free, (void *memory), (memory))

WRAPPED(, void *, calloc, size_t count, size_t bytes)
{
    return allocated(__real_calloc(count, bytes), count * bytes, SITE);
}

void *__real_realloc(void *memory, size_t bytes);

/* Where there is no memory the old one stays, with this site for its own. */
static void *reallocate(void *memory, size_t bytes, uint64_t site)
{
    size_t before = memory == NULL || !margay_recorder_wants_data()
                        ? 0
                        : malloc_usable_size(memory);
    freed(memory, site);
    void *moved = __real_realloc(memory, bytes);
    if (moved == NULL && bytes != 0)
        allocated(memory, before, site);
    return allocated(moved, bytes, site);
}

WRAPPED(, void *, realloc, void *memory, size_t bytes)
{
    return reallocate(memory, bytes, SITE);
}

WRAPPED(WEAK, void *, reallocarray, void *memory, size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate(memory, all, SITE);
}

WRAPPED(, int, posix_memalign, void **memory, size_t alignment, size_t bytes)
{
    int status = __real_posix_memalign(memory, alignment, bytes);
    if (status == 0)
        allocated(*memory, bytes, SITE);
    return status;
}

WRAPPED(, char *, strdup, const char *text)
{
    char *copy = __real_strdup(text);
    return allocated(copy, copy == NULL ? 0 : strlen(copy) + 1, SITE);
}

WRAPPED(, char *, strndup, const char *text, size_t most)
{
    char *copy = __real_strndup(text, most);
    return allocated(copy, copy == NULL ? 0 : strlen(copy) + 1, SITE);
}

/* Programs that were compiled with offsets of 64 bits call the second. */
#define MAP(weak, name, type)                                                  \
    WRAPPED(weak, void *, name, void *address, size_t bytes, int protection,   \
            int flags, int file, type offset)                                  \
    {                                                                          \
        void *memory =                                                         \
            __real_##name(address, bytes, protection, flags, file, offset);    \
        return memory == MAP_FAILED ? memory : allocated(memory, bytes, SITE); \
    }

MAP(, mmap, off_t)
MAP(WEAK, mmap64, off64_t)

/* The new memory is of this site; where there is none, the old one is. */
WRAPPED(, void *, mremap, void *address, size_t before, size_t bytes, int flags,
        ...)
{
    va_list more;
    va_start(more, flags);
    void *target = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    if (before != 0)
        margay_recorder_put_data(MARGAY_DATA_UNKNOWN, address, before, SITE);
    void *moved = __real_mremap(address, before, bytes, flags, target);
    if (moved != MAP_FAILED)
        allocated(moved, bytes, SITE);
    else if (before != 0)
        allocated(address, before, SITE);
    return moved;
}

WRAPPED(, int, munmap, void *address, size_t bytes)
{
    margay_recorder_put_data(MARGAY_DATA_UNKNOWN, address, bytes, SITE);
    return __real_munmap(address, bytes);
}

WRAPPED(WEAK, void *, dlopen, const char *path, int mode)
{
    void *library = __real_dlopen(path, mode);
    margay_allocations_tell_files();
    return library;
}

/* ------------------------------------------------------------------ C++ -- */

/* operator new and operator delete, by the names that compilers give them;
   programs in C have none of them. */
NEW(WEAK, _Znwm, (size_t bytes), (bytes))
NEW(WEAK, _Znam, (size_t bytes), (bytes))
NEW(WEAK, _ZnwmRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag))
NEW(WEAK, _ZnamRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag))
NEW(WEAK, _ZnwmSt11align_val_t, (size_t bytes, size_t alignment),
    (bytes, alignment))
NEW(WEAK, _ZnamSt11align_val_t, (size_t bytes, size_t alignment),
    (bytes, alignment))
DELETE(WEAK, _ZdlPv, (void *memory), (memory))
DELETE(WEAK, _ZdaPv, (void *memory), (memory))
DELETE(WEAK, _ZdlPvm, (void *memory, size_t bytes), (memory, bytes))
DELETE(WEAK, _ZdaPvm, (void *memory, size_t bytes), (memory, bytes))
DELETE(WEAK, _ZdlPvSt11align_val_t, (void *memory, size_t alignment),
       (memory, alignment))
DELETE(WEAK, _ZdaPvSt11align_val_t, (void *memory, size_t alignment),
       (memory, alignment))
DELETE(WEAK, _ZdlPvmSt11align_val_t,
       (void *memory, size_t bytes, size_t alignment),
       (memory, bytes, alignment))
DELETE(WEAK, _ZdaPvmSt11align_val_t,
       (void *memory, size_t bytes, size_t alignment),
       (memory, bytes, alignment))

/* ---------------------------------------------------------------- files -- */

/* A variable's site is its own address, which is in the same file as the
   code. */
static int tell_file(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t address = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD)
            margay_recorder_put_data(MARGAY_DATA_VARIABLE,
                                     (const void *)(uintptr_t)address,
                                     segment->p_memsz, address);
    }
    return 0;
}

void margay_allocations_tell_files(void)
{
    if (!margay_recorder_wants_data())
        return;
    dl_iterate_phdr(tell_file, NULL);
    /* At once, before the references of other threads. */
    margay_recorder_leave();
}
