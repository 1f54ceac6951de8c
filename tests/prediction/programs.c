/*
 * programs.c - the programs whose locality is predicted
 *
 *     programs NAME SIZE >TRACE.u64
 *
 * runs one of them on data of that size and prints its data references as
 * u64 addresses.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/prediction/touch.h"

#define REGION_BYTES ((size_t)1 << 32)

static const struct {
    const char *name;
    program *run;
} programs[] = {
    {"lu", run_lu},
    {"spmv", run_spmv},
    {"nbody", run_nbody},
    {"quicksort", run_quicksort},
    {"mergesort", run_mergesort},
    {"heapsort", run_heapsort},
    {"tree", run_tree},
    {"hash", run_hash},
    {"search", run_search},
    {"lisp", run_lisp},
    {"sp", run_sp},
};

static char *region;
static size_t used_bytes;
static uint64_t random_state = 88172645463325252;

void *touch(const void *element)
{
    uint64_t address = (uint64_t)((const char *)element - region);
    unsigned char bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(address >> 8 * i);
    fwrite_unlocked(bytes, 1, sizeof bytes, stdout);
    return (void *)(uintptr_t)element;
}

void *make_room(size_t count, size_t element_bytes)
{
    size_t bytes = count * element_bytes;
    if (count > REGION_BYTES / element_bytes ||
        bytes + 64 > REGION_BYTES - used_bytes) {
        fprintf(stderr, "programs: no room for %zu elements\n", count);
        exit(2);
    }
    void *room = region + used_bytes;
    used_bytes += (bytes + 63) / 64 * 64;
    return room;
}

/* Marsaglia's xorshift; the bias of the remainder does no harm here. */
uint64_t draw(uint64_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 11) % limit;
}

int main(int count, char **arguments)
{
    char *end = NULL;
    uint64_t size = count == 3 ? strtoull(arguments[2], &end, 10) : 0;
    if (size == 0 || *end != '\0') {
        fprintf(stderr, "usage: programs NAME SIZE\n");
        return 2;
    }
    region = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) {
        perror("programs");
        return 2;
    }
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (strcmp(programs[i].name, arguments[1]) != 0)
            continue;
        programs[i].run(size);
        return fflush(stdout) == 0 ? 0 : 2;
    }
    fprintf(stderr, "programs: there is no %s\n", arguments[1]);
    return 2;
}
