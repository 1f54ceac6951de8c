/*
 * replay.c - inputs that were found before, once each
 *
 *     replay            the names of the targets
 *     replay NAME FILE...
 *
 * The seeds and everything that ever failed stay in tests/fuzz/seeds.txt.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

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
    for (int i = 2; i < count; i++)
        replay(target, arguments[i]);
    return 0;
}
