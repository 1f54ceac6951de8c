/*
 * atomics.c - atomic operations, which these hooks record and carry out
 *
 * A load is a read, a store is a write, and an operation that does both is a
 * read and a write; a compare-and-exchange that fails is a read.  Every
 * operation is sequentially consistent, even if a weaker order was requested.
 */

#include "traces/capture/runtime/recorder.h"

#define ORDER __ATOMIC_SEQ_CST

/* Of an operation, `does`_n is the compiler's builtin or a function like it. */
#define MODIFY(bits, type, operation, does)                             \
    HOOK type __tsan_atomic##bits##_##operation(volatile type *address, \
                                                type value, int order)  \
    {                                                                   \
        (void)order;                                                    \
        margay_record_at(address, READ, sizeof(type), SITE);            \
        margay_record_at(address, WRITE, sizeof(type), SITE);           \
        return does(address, value, ORDER);                             \
    }

/* The weak form may fail without reason; this one never does. */
#define COMPARE(bits, type, strength, does)                              \
    HOOK int __tsan_atomic##bits##_compare_exchange_##strength(          \
        volatile type *address, type *expected, type value, int order,   \
        int failure_order)                                               \
    {                                                                    \
        (void)order, (void)failure_order;                                \
        margay_record_at(address, READ, sizeof(type), SITE);             \
        bool done = does(address, expected, value, false, ORDER, ORDER); \
        if (done)                                                        \
            margay_record_at(address, WRITE, sizeof(type), SITE);        \
        return done;                                                     \
    }

/* The operations of a type, whose names begin with `prefix`. */
#define HOOKS(bits, type, prefix)                                             \
    HOOK type __tsan_atomic##bits##_load(const volatile type *address,        \
                                         int order)                           \
    {                                                                         \
        (void)order;                                                          \
        margay_record_at(address, READ, sizeof(type), SITE);                  \
        return prefix##load_n(address, ORDER);                                \
    }                                                                         \
    HOOK void __tsan_atomic##bits##_store(volatile type *address, type value, \
                                          int order)                          \
    {                                                                         \
        (void)order;                                                          \
        margay_record_at(address, WRITE, sizeof(type), SITE);                 \
        prefix##exchange_n(address, value, ORDER);                            \
    }                                                                         \
    MODIFY(bits, type, exchange, prefix##exchange_n)                          \
    MODIFY(bits, type, fetch_add, prefix##fetch_add)                          \
    MODIFY(bits, type, fetch_sub, prefix##fetch_sub)                          \
    MODIFY(bits, type, fetch_and, prefix##fetch_and)                          \
    MODIFY(bits, type, fetch_or, prefix##fetch_or)                            \
    MODIFY(bits, type, fetch_xor, prefix##fetch_xor)                          \
    MODIFY(bits, type, fetch_nand, prefix##fetch_nand)                        \
    COMPARE(bits, type, strong, prefix##compare_exchange_n)                   \
    COMPARE(bits, type, weak, prefix##compare_exchange_n)                     \
    HOOK type __tsan_atomic##bits##_compare_exchange_val(                     \
        volatile type *address, type expected, type value, int order,         \
        int failure_order)                                                    \
    {                                                                         \
        (void)order, (void)failure_order;                                     \
        margay_record_at(address, READ, sizeof(type), SITE);                  \
        if (prefix##compare_exchange_n(address, &expected, value, false,      \
                                       ORDER, ORDER))                         \
            margay_record_at(address, WRITE, sizeof(type), SITE);             \
        return expected;                                                      \
    }

HOOKS(8, uint8_t, __atomic_)
HOOKS(16, uint16_t, __atomic_)
HOOKS(32, uint32_t, __atomic_)
HOOKS(64, uint64_t, __atomic_)

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

static u128 locked_load_n(const volatile u128 *address, int order)
{
    (void)order;
    lock();
    u128 value = *address;
    unlock();
    return value;
}

static bool locked_compare_exchange_n(volatile u128 *address, u128 *expected,
                                      u128 value, bool weak, int order,
                                      int failure_order)
{
    (void)weak, (void)order, (void)failure_order;
    lock();
    u128 old = *address;
    bool equal = old == *expected;
    if (equal)
        *address = value;
    unlock();
    *expected = old;
    return equal;
}

#define LOCKED(name, result)                                                 \
    static u128 locked_##name(volatile u128 *address, u128 value, int order) \
    {                                                                        \
        (void)order;                                                         \
        lock();                                                              \
        u128 old = *address;                                                 \
        *address = result;                                                   \
        unlock();                                                            \
        return old;                                                          \
    }

LOCKED(exchange_n, value)
LOCKED(fetch_add, old + value)
LOCKED(fetch_sub, old - value)
LOCKED(fetch_and, old &value)
LOCKED(fetch_or, old | value)
LOCKED(fetch_xor, old ^ value)
LOCKED(fetch_nand, ~(old &value))
HOOKS(128, u128, locked_)
#endif

HOOK void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(ORDER);
}

HOOK void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(ORDER);
}
