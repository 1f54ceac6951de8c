/*
 * policy.c - a policy in Python, as a shared object
 *
 * The package makes a copy of the object for each class (_policy.py).  In its
 * own process it sets the functions to those in Python.  In that of the command
 * the name of the copy is NUMBER.so, where NUMBER is the socket at whose other
 * end Python makes the calls: what happens in caches waits until there is much
 * of it, or a victim is asked for.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <margay/policy.h>

/* As _policy.py reads it. */
struct event {
    uint64_t cache; /* its number, from 1 on */
    uint64_t set;   /* of a new cache: how many there are */
    uint64_t block; /* its seed */
    uint32_t way;   /* its ways */
    enum { HIT, EVICT, FILL, NEW } what;
};

#define MOST_EVENTS 2048

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static struct event events[MOST_EVENTS];
static size_t event_count;
static uint64_t cache_count;
static int connection; /* -1 = Python has closed it */

__attribute__((constructor)) static void connect_to_python(void)
{
    Dl_info info;
    connection = -1;
    if (dladdr(&connection, &info) != 0)
        connection = atoi(strrchr(info.dli_fname, '/') + 1);
}

/* Also when the command ends. */
__attribute__((destructor)) static void send_events(void)
{
    const char *at = (const char *)events;
    size_t left = event_count * sizeof *events;
    while (left > 0 && connection >= 0) {
        ssize_t sent = send(connection, at, left, MSG_NOSIGNAL);
        if (sent >= 0)
            at += sent, left -= (size_t)sent;
        else if (errno != EINTR)
            connection = -1;
    }
    event_count = 0;
}

static void add(uint64_t cache, uint64_t set, uint64_t block, uint32_t way,
                int what)
{
    if (event_count == MOST_EVENTS)
        send_events();
    events[event_count++] = (struct event){cache, set, block, way, what};
}

static uint32_t happens(const struct margay_own_cache *cache, uint64_t set,
                        uint32_t way, const struct margay_own_use *use,
                        int what)
{
    uint64_t *number = cache->memory; /* 0 = the cache is new */
    uint32_t victim = 0;
    ssize_t got;
    pthread_mutex_lock(&lock);
    if (*number == 0) {
        *number = ++cache_count;
        add(*number, cache->sets, cache->seed, cache->ways, NEW);
    }
    add(*number, set, use->block, way, what);
    if (what == EVICT) {
        send_events();
        do
            got = recv(connection, &victim, sizeof victim, MSG_WAITALL);
        while (got < 0 && errno == EINTR);
        if (got != sizeof victim)
            connection = -1;
    }
    pthread_mutex_unlock(&lock);
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
