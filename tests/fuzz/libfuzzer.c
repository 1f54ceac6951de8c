/* libfuzzer.c - a target, named by MARGAY_FUZZ_TARGET, under libFuzzer */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    const char *name = getenv("MARGAY_FUZZ_TARGET");
    target = name == NULL ? NULL : fuzz_find(name);
    if (target == NULL) {
        fprintf(stderr, "MARGAY_FUZZ_TARGET names none of these targets:\n");
        for (size_t i = 0; fuzz_at(i) != NULL; i++)
            puts(fuzz_at(i)->name);
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    target->run(target->name, data, bytes);
    return 0;
}
