/* test_history.c - references that are kept, in memory and in a file */
#define _GNU_SOURCE
#include <fcntl.h>

#include "sim/run/history.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define REFS 5000

/* Reference i is i times a factor; pieces of any length come, and are read. */
#define FACTOR 2654435761u

static bool fill(struct margay_history *history, size_t most_piece)
{
    uint32_t *place;
    for (uint32_t done = 0, piece; done < REFS; done += piece) {
        piece = 1 + (uint32_t)below(most_piece);
        piece = piece < REFS - done ? piece : REFS - done;
        if (margay_history_reserve(history, piece, &place, NULL) != MARGAY_OK)
            return false;
        for (uint32_t i = 0; i < piece; i++)
            place[i] = (done + i) * FACTOR;
        margay_history_add(history, piece);
    }
    return margay_history_count(history) == REFS;
}

static bool read_back(const struct margay_history *history, uint64_t from)
{
    uint32_t buffer[64];
    while (from < REFS) {
        size_t most = 1 + below(64), count;
        const uint32_t *numbers;
        if (margay_history_read(history, from, most, buffer, &numbers, &count,
                                NULL) != MARGAY_OK ||
            count < 1 || count > most || from + count > REFS)
            return false;
        for (size_t i = 0; i < count; i++) {
            if (numbers[i] != (uint32_t)(from + i) * FACTOR)
                return false;
        }
        from += count;
    }
    return true;
}

static void test_reading(void)
{
    unsigned wrong = 0;
    seed_chance(3);
    for (uint64_t i = 0; i < rounds(100); i++) {
        size_t most_held = 50 + below(2 * REFS);
        struct margay_history history;
        margay_history_begin(&history, "/tmp", most_held);
        wrong += !fill(&history, 50) || !read_back(&history, 0) ||
                 !read_back(&history, below(REFS)) ||
                 (most_held < REFS) != (history.file >= 0) ||
                 history.room > most_held;
        margay_history_end(&history);
    }
    CHECK_U64(wrong, 0, "what was kept is read");
}

static void test_failures(void)
{
    struct margay_history history;
    struct margay_error error;
    uint32_t *place;
    margay_history_begin(&history, "/nonexistent", 10);
    CHECK(margay_history_reserve(&history, 10, &place, &error) == MARGAY_OK,
          "what memory holds needs no file");
    margay_history_add(&history, 10);
    CHECK(margay_history_reserve(&history, 1, &place, &error) == MARGAY_IO &&
              place == NULL,
          "more does");
    CHECK_TEXT(error.message,
               "/nonexistent: cannot make a temporary file for the "
               "references: No such file or directory",
               "and says where");
    margay_history_end(&history);

    margay_history_begin(&history, "/tmp", 10);
    history.file = open("/dev/full", O_RDWR | O_CLOEXEC);
    if (history.file < 0) {
        tap_skip("a full disk", "there is no /dev/full");
    } else if (margay_history_reserve(&history, 10, &place, NULL) ==
               MARGAY_OK) {
        memset(place, 0, 10 * sizeof *place);
        margay_history_add(&history, 10);
        CHECK(margay_history_reserve(&history, 1, &place, &error) == MARGAY_IO,
              "a full disk");
    }
    margay_history_end(&history);
}

int main(void)
{
    test_reading();
    test_failures();
    return tap_done();
}
