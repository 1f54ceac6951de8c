/*
 * replay.c - inputs that were found before, once each, and damaged
 *
 *     replay            the names of the targets
 *     replay NAME FILE...
 *
 * The seeds and everything that ever failed stay in tests/fuzz/seeds.txt.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/chance.h"
#include "tests/fuzz/fuzz.h"
#include "tests/rounds.h"

/* The input with a few of its bits changed, cut anywhere or not. */
static void run_damaged(const struct fuzz_target *target, const uint8_t *data,
                        size_t bytes)
{
    size_t kept = one_in(2) ? below(bytes + 1) : bytes;
    uint8_t *copy = malloc(kept);
    if (kept > 0)
        memcpy(copy, data, kept);
    for (uint64_t left = kept == 0 ? 0 : below(4); left > 0; left--)
        copy[below(kept)] ^= (uint8_t)(1 << below(8));
    target->run(target->name, copy, kept);
    free(copy);
}

/* Exactly as long as the file, so that reading beyond is noticed. */
static void replay(const struct fuzz_target *target, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        fuzz_fail("%s: cannot be read", path);
    size_t bytes = (size_t)ftell(file);
    uint8_t *data = malloc(bytes);
    rewind(file);
    if (fread(data, 1, bytes, file) != bytes)
        fuzz_fail("%s: cannot be read", path);
    fclose(file);
    target->run(target->name, data, bytes);
    for (uint64_t i = rounds(100); i > 0; i--)
        run_damaged(target, data, bytes);
    free(data);
}

int main(int count, char **arguments)
{
    const struct fuzz_target *target;
    if (count < 2) {
        for (size_t i = 0; (target = fuzz_at(i)) != NULL; i++)
            puts(target->name);
        return 0;
    }
    target = fuzz_find(arguments[1]);
    if (target == NULL)
        fuzz_fail("no target '%s'", arguments[1]);
    seed_chance(5);
    for (int i = 2; i < count; i++)
        replay(target, arguments[i]);
    return 0;
}
