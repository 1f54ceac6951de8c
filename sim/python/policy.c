/*
 * policy.c - a policy in Python, as a shared object
 *
 * The package makes a copy of the object for each class (_policy.py).  In its
 * own process it sets the functions to those in Python.  In that of the command
 * the name of the copy is NUMBER.so, where NUMBER, 3 or more, is the socket at
 * whose other end Python makes the calls.  Events wait in a buffer until it is
 * full, or a victim is asked for; where Python has closed its end the command
 * dies.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <margay/policy.h>

/* As _policy.py reads it. */
struct event {
    uint64_t cache; /* its number, from 1 on */
    uint64_t set;   /* of a new cache: how many there are */
    uint64_t block; /* its seed */
    uint32_t way;   /* its ways */
    enum { HIT, EVICT, FILL, NEW } what;
};

static FILE *python; /* its lock is also that of the number of caches */
static uint64_t cache_count;

__attribute__((constructor)) static void find_python(void)
{
    Dl_info info;
    int number = 0;
    if (dladdr(&cache_count, &info) != 0)
        number = atoi(strrchr(info.dli_fname, '/') + 1);
    python = number == 0 ? NULL : fdopen(number, "w");
}

static uint32_t happens(const struct margay_own_cache *cache, uint64_t set,
                        uint32_t way, const struct margay_own_use *use,
                        int what)
{
    uint64_t *number = cache->memory; /* 0 = the cache is new */
    uint32_t victim = 0;
    flockfile(python);
    if (*number == 0) {
        *number = ++cache_count;
        fwrite(&(struct event){*number, cache->sets, cache->seed, cache->ways,
                               NEW},
               sizeof(struct event), 1, python);
    }
    fwrite(&(struct event){*number, set, use->block, way, what},
           sizeof(struct event), 1, python);
    if (what == EVICT &&
        (fflush(python) != 0 ||
         TEMP_FAILURE_RETRY(read(fileno(python), &victim, sizeof victim)) !=
             sizeof victim))
        _exit(EXIT_FAILURE);
    funlockfile(python);
    return victim;
}

static uint64_t bytes(uint64_t sets, uint32_t ways)
{
    (void)sets, (void)ways;
    return sizeof(uint64_t);
}

static void hit(const struct margay_own_cache *cache, uint64_t set,
                uint32_t way, const struct margay_own_use *use)
{
    happens(cache, set, way, use, HIT);
}

static uint32_t evict(const struct margay_own_cache *cache, uint64_t set,
                      const struct margay_own_use *use)
{
    return happens(cache, set, 0, use, EVICT);
}

static void fill(const struct margay_own_cache *cache, uint64_t set,
                 uint32_t way, const struct margay_own_use *use)
{
    happens(cache, set, way, use, FILL);
}

struct margay_own_policy margay_own_policy = {MARGAY_OWN_POLICY_VERSION, bytes,
                                              hit, evict, fill};
