/*
 * own.c - the policy of a shared object (<margay/policy.h>)
 *
 * The object stays loaded until the program ends, as its code may be running.
 * Cost: a call through a pointer for each reference, and its work.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assoc/policies/cache.h"
#include <margay/policy.h>

struct state {
    const struct margay_own_policy *policy;
    struct margay_own_cache cache;
};

/* A fault of a file that the loader would not notice, or NULL.  It would wait
   for a pipe, and map more of a cut object than there is, which any use would
   turn into SIGBUS. */
static const char *fault_of(const char *path)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat found;
    ElfW(Ehdr) head = {.e_phnum = 0};
    const char *fault = NULL;
    if (file < 0)
        return NULL;
    if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode))
        fault = "it is no regular file";
    else if (pread(file, &head, sizeof head, 0) != sizeof head ||
             memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
             head.e_phentsize != sizeof(ElfW(Phdr)))
        head.e_phnum = 0; /* the loader will report it */
    for (size_t i = 0; i < head.e_phnum && fault == NULL; i++) {
        ElfW(Phdr) part;
        off_t at = (off_t)(head.e_phoff + i * sizeof part);
        uint64_t bytes = (uint64_t)found.st_size;
        if (pread(file, &part, sizeof part, at) != sizeof part ||
            part.p_offset > bytes || part.p_filesz > bytes - part.p_offset)
            fault = "the file is cut";
    }
    close(file);
    return fault;
}

/* The definition in an object, if it is complete. */
static const struct margay_own_policy *find(void *object)
{
    const struct margay_own_policy *policy = dlsym(object, "margay_own_policy");
    Dl_info info;
    void *entry;
    if (policy == NULL || dladdr1(policy, &info, &entry, RTLD_DL_SYMENT) == 0 ||
        entry == NULL || ((const ElfW(Sym) *)entry)->st_size < sizeof *policy)
        return NULL;
    return policy;
}

enum margay_status margay_own_open(const char *path,
                                   const struct margay_own_policy **policy,
                                   struct margay_error *error)
{
    const char *why = fault_of(path);
    void *object = why == NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (object == NULL && why == NULL)
        why = dlerror();
    *policy = object == NULL ? NULL : find(object);
    if (object == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s: %s (expected a shared object)", path,
                           why);
    if (*policy == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s: found no margay_own_policy (expected "
                           "what margay/policy.h describes)",
                           path);
    if ((*policy)->version != MARGAY_OWN_POLICY_VERSION)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s: found version %u, expected %u", path,
                           (*policy)->version, MARGAY_OWN_POLICY_VERSION);
    if ((*policy)->bytes == NULL || (*policy)->hit == NULL ||
        (*policy)->evict == NULL || (*policy)->insert == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s: found a function that is NULL, expected "
                           "bytes, hit, evict and insert",
                           path);
    return MARGAY_OK;
}

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    /* More than there can be stays more when it is rounded up. */
    uint64_t bytes = margay_minimum(setup->own->bytes(setup->sets, setup->ways),
                                    UINT64_MAX / 4);
    state->policy = setup->own;
    state->cache = (struct margay_own_cache){
        .memory = margay_lay_out(layout, bytes),
        .sets = setup->sets,
        .ways = setup->ways,
        .seed = setup->seed,
    };
}

static inline struct margay_own_use seen(const struct margay_use *use)
{
    return (struct margay_own_use){use->block, (uint32_t)use->kind};
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    const struct state *state = context;
    const struct margay_own_use own = seen(use);
    state->policy->hit(&state->cache, set, slot, &own);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    const struct state *state = context;
    const struct margay_own_use own = seen(use);
    return state->policy->evict(&state->cache, set, &own) % state->cache.ways;
}

static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    const struct state *state = context;
    const struct margay_own_use own = seen(use);
    state->policy->insert(&state->cache, set, slot, &own);
}

MARGAY_POLICY_LOOPS(own, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_own = {
    .info = {.name = "own",
             .parameters = "",
             .help = "what a shared object says",
             .source = "margay/policy.h",
             .abilities = 0},
    MARGAY_POLICY_MEMBERS(own),
};
