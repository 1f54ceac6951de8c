/*
 * tap.h - a small emitter of the Test Anything Protocol
 *
 *     int main(void)
 *     {
 *         CHECK(1 + 1 == 2, "addition");
 *         CHECK_U64(distance, 5, "b at 12");
 *         return tap_done();
 *     }
 *
 * prove reads the result: one line per check, the plan at the end, and
 * diagnostics after '#'.  A check never stops the program.
 */
#ifndef MARGAY_TESTS_TAP_H
#define MARGAY_TESTS_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned tap_checks, tap_failures;

__attribute__((format(printf, 4, 5), unused)) static bool tap_check(
    bool passed, const char *file, int line, const char *name, ...)
{
    va_list arguments;
    tap_checks++;
    tap_failures += !passed;
    printf("%sok %u - ", passed ? "" : "not ", tap_checks);
    va_start(arguments, name);
    vprintf(name, arguments);
    va_end(arguments);
    putchar('\n');
    if (!passed)
        printf("#   failed at %s:%d\n", file, line);
    fflush(stdout);
    return passed;
}

/* CHECK(condition, format, ...): one test, named by the rest. */
#define CHECK(condition, ...) \
    tap_check((condition), __FILE__, __LINE__, __VA_ARGS__)

/* CHECK_U64(got, expected, format, ...): shows both when they differ. */
#define CHECK_U64(got, expected, ...) \
    tap_check_u64((got), (expected), __FILE__, __LINE__, __VA_ARGS__)
#define tap_check_u64(got, expected, file, line, ...)               \
    (tap_check((uint64_t)(got) == (uint64_t)(expected), file, line, \
               __VA_ARGS__)                                         \
         ? true                                                     \
         : (printf("#   got %" PRIu64 ", expected %" PRIu64 "\n",   \
                   (uint64_t)(got), (uint64_t)(expected)),          \
            false))

/* CHECK_TEXT(got, expected, format, ...): strings. */
#define CHECK_TEXT(got, expected, ...)                                  \
    (tap_check(strcmp((got), (expected)) == 0, __FILE__, __LINE__,      \
               __VA_ARGS__)                                             \
         ? true                                                         \
         : (printf("#   got '%s', expected '%s'\n", (got), (expected)), \
            false))

/* A check that cannot be made here. */
__attribute__((unused)) static void tap_skip(const char *name,
                                             const char *reason)
{
    printf("ok %u - %s # SKIP %s\n", ++tap_checks, name, reason);
}

/* Leave a file of tests at once because something it needs is missing. */
__attribute__((unused)) static _Noreturn void tap_skip_all(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    exit(0);
}

/* The plan, and main's return value. */
__attribute__((unused)) static int tap_done(void)
{
    printf("1..%u\n", tap_checks);
    return tap_failures != 0;
}

#endif
