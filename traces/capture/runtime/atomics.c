/*
 * atomics.c - atomic operations, which these hooks record and carry out
 *
 * A load is a read, a store is a write, and an operation that does both is a
 * read and a write; a compare-and-exchange that fails is a read.  Every
 * operation is sequentially consistent, whichever weaker order was asked for.
 */
#include <stdbool.h>

#include "traces/capture/runtime/observe.h"

#define ORDER __ATOMIC_SEQ_CST

#define MODIFY(bits, type, operation)                                          \
    HOOK type __tsan_atomic##bits##_##operation(volatile type *address,        \
                                                type value, int order);        \
    type __tsan_atomic##bits##_##operation(volatile type *address, type value, \
                                           int order)                          \
    {                                                                          \
        (void)order;                                                           \
        observe(address, READ, sizeof(type), SITE);                            \
        observe(address, WRITE, sizeof(type), SITE);                           \
        return do_##operation##bits(address, value);                           \
    }

/* The weak form may fail without reason; this one never does. */
#define COMPARE(bits, type, strength)                                  \
    HOOK int __tsan_atomic##bits##_compare_exchange_##strength(        \
        volatile type *address, type *expected, type value, int order, \
        int failure_order);                                            \
    int __tsan_atomic##bits##_compare_exchange_##strength(             \
        volatile type *address, type *expected, type value, int order, \
        int failure_order)                                             \
    {                                                                  \
        (void)order;                                                   \
        (void)failure_order;                                           \
        observe(address, READ, sizeof(type), SITE);                    \
        bool done = do_compare##bits(address, expected, value);        \
        if (done)                                                      \
            observe(address, WRITE, sizeof(type), SITE);               \
        return done;                                                   \
    }

#define HOOKS(bits, type)                                                     \
    HOOK type __tsan_atomic##bits##_load(const volatile type *address,        \
                                         int order);                          \
    HOOK void __tsan_atomic##bits##_store(volatile type *address, type value, \
                                          int order);                         \
    HOOK type __tsan_atomic##bits##_compare_exchange_val(                     \
        volatile type *address, type expected, type value, int order,         \
        int failure_order);                                                   \
    type __tsan_atomic##bits##_load(const volatile type *address, int order)  \
    {                                                                         \
        (void)order;                                                          \
        observe(address, READ, sizeof(type), SITE);                           \
        return do_load##bits(address);                                        \
    }                                                                         \
    void __tsan_atomic##bits##_store(volatile type *address, type value,      \
                                     int order)                               \
    {                                                                         \
        (void)order;                                                          \
        observe(address, WRITE, sizeof(type), SITE);                          \
        do_exchange##bits(address, value);                                    \
    }                                                                         \
    MODIFY(bits, type, exchange)                                              \
    MODIFY(bits, type, fetch_add)                                             \
    MODIFY(bits, type, fetch_sub)                                             \
    MODIFY(bits, type, fetch_and)                                             \
    MODIFY(bits, type, fetch_or)                                              \
    MODIFY(bits, type, fetch_xor)                                             \
    MODIFY(bits, type, fetch_nand)                                            \
    COMPARE(bits, type, strong)                                               \
    COMPARE(bits, type, weak)                                                 \
    type __tsan_atomic##bits##_compare_exchange_val(                          \
        volatile type *address, type expected, type value, int order,         \
        int failure_order)                                                    \
    {                                                                         \
        (void)order;                                                          \
        (void)failure_order;                                                  \
        observe(address, READ, sizeof(type), SITE);                           \
        if (do_compare##bits(address, &expected, value))                      \
            observe(address, WRITE, sizeof(type), SITE);                      \
        return expected;                                                      \
    }

/* Operations of the processor. */
#define NATIVE_MODIFY(bits, type, operation, builtin)               \
    static inline type do_##operation##bits(volatile type *address, \
                                            type value)             \
    {                                                               \
        return builtin(address, value, ORDER);                      \
    }

#define NATIVE(bits, type)                                                  \
    static inline type do_load##bits(const volatile type *address)          \
    {                                                                       \
        return __atomic_load_n(address, ORDER);                             \
    }                                                                       \
    static inline bool do_compare##bits(volatile type *address,             \
                                        type *expected, type value)         \
    {                                                                       \
        return __atomic_compare_exchange_n(address, expected, value, false, \
                                           ORDER, ORDER);                   \
    }                                                                       \
    NATIVE_MODIFY(bits, type, exchange, __atomic_exchange_n)                \
    NATIVE_MODIFY(bits, type, fetch_add, __atomic_fetch_add)                \
    NATIVE_MODIFY(bits, type, fetch_sub, __atomic_fetch_sub)                \
    NATIVE_MODIFY(bits, type, fetch_and, __atomic_fetch_and)                \
    NATIVE_MODIFY(bits, type, fetch_or, __atomic_fetch_or)                  \
    NATIVE_MODIFY(bits, type, fetch_xor, __atomic_fetch_xor)                \
    NATIVE_MODIFY(bits, type, fetch_nand, __atomic_fetch_nand)              \
    HOOKS(bits, type)

NATIVE(8, uint8_t)
NATIVE(16, uint16_t)
NATIVE(32, uint32_t)
NATIVE(64, uint64_t)

#ifdef __SIZEOF_INT128__
/* 16 bytes, under a lock, because not all processors have these operations. All
   such operations of the program go through here. */
__extension__ typedef unsigned __int128 u128;

static bool locked;

static void lock(void)
{
    while (__atomic_exchange_n(&locked, true, __ATOMIC_ACQUIRE))
        ;
}

static void unlock(void)
{
    __atomic_store_n(&locked, false, __ATOMIC_RELEASE);
}

static u128 do_load128(const volatile u128 *address)
{
    lock();
    u128 value = *address;
    unlock();
    return value;
}

static bool do_compare128(volatile u128 *address, u128 *expected, u128 value)
{
    lock();
    u128 old = *address;
    bool equal = old == *expected;
    if (equal)
        *address = value;
    unlock();
    *expected = old;
    return equal;
}

#define LOCKED_MODIFY(operation, result)                                 \
    static u128 do_##operation##128(volatile u128 * address, u128 value) \
    {                                                                    \
        lock();                                                          \
        u128 old = *address;                                             \
        *address = result;                                               \
        unlock();                                                        \
        return old;                                                      \
    }

LOCKED_MODIFY(exchange, value)
LOCKED_MODIFY(fetch_add, old + value)
LOCKED_MODIFY(fetch_sub, old - value)
LOCKED_MODIFY(fetch_and, old &value)
LOCKED_MODIFY(fetch_or, old | value)
LOCKED_MODIFY(fetch_xor, old ^ value)
LOCKED_MODIFY(fetch_nand, ~(old &value))
HOOKS(128, u128)
#endif

HOOK void __tsan_atomic_thread_fence(int order);
HOOK void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(ORDER);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(ORDER);
}
