/*
 * example_policy.c - a replacement policy of one's own: not the last one used
 *
 *     cc -shared -fPIC -O2 example_policy.c -o example_policy.so
 *     margay assoc --policy lru,./example_policy.so --sets 64 --ways 8 TRACE
 *
 * The victim is the way after the one that was used last.  Of two ways it is
 * the least recently used one, so that the policy is LRU there.
 */
#include <margay/policy.h>

static uint64_t bytes(uint64_t sets, uint32_t ways)
{
    (void)ways;
    return sets * sizeof(uint32_t);
}

/* The way that was used last, of each set. */
static void use_way(const struct margay_own_cache *cache, uint64_t set,
                    uint32_t way, const struct margay_own_use *use)
{
    uint32_t *last = cache->memory;
    (void)use;
    last[set] = way;
}

static uint32_t evict(const struct margay_own_cache *cache, uint64_t set,
                      const struct margay_own_use *use)
{
    const uint32_t *last = cache->memory;
    (void)use;
    return last[set] + 1;
}

const struct margay_own_policy margay_own_policy = {
    .version = MARGAY_OWN_POLICY_VERSION,
    .bytes = bytes,
    .hit = use_way,
    .evict = evict,
    .insert = use_way,
};
