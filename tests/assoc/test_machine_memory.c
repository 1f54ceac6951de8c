/*
 * test_machine_memory.c - a check of a machine for which memory runs out
 *
 * What a machine lacks is the caller's mistake, and memory is not: the two have
 * statuses of their own.
 */
#define _POSIX_C_SOURCE 200809L
#include <margay/hierarchy.h>

#include "tests/tap.h"

static unsigned long calls, failing; /* of strdup(); 0 = none fails */

/* In the place of that of the C library, for the library under test, too. */
char *strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = ++calls == failing ? NULL : malloc(bytes);
    return copy == NULL ? NULL : memcpy(copy, text, bytes);
}

static enum margay_status check(struct margay_error *error)
{
    const struct margay_level level = {
        .name = "L1",
        .holds = MARGAY_ALL_KINDS,
        .next = MARGAY_NO_LEVEL,
        .bytes = 4096,
        .ways = 4,
        .block_bytes = 64,
        .policy = "s3fifo:small=0.2",
        .shared = 1,
    };
    size_t wrong;
    calls = 0;
    return margay_machine_check(&level, 1, &wrong, error);
}

int main(void)
{
    struct margay_error error = {.message = ""};
    CHECK(check(&error) == MARGAY_OK, "a machine is one: %s", error.message);
    unsigned long all = calls;
    CHECK(all > 0, "its check needs memory");
    for (failing = 1; failing <= all; failing++)
        CHECK(check(&error) == MARGAY_NO_MEMORY,
              "no memory is no bad argument: %s", error.message);
    return tap_done();
}
