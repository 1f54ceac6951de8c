/*
 * lru.c - one LRU cache of objects, simulated by itself
 *
 *     lru BYTES TRACE
 *
 * What a curve of all sizes is to be compared with: the trace, of any format
 * that says sizes, through a cache of that many bytes.  Prints references and
 * misses.  An object is looked up in a table and stands in a list by last use.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "stackdist/exact/hash.h"
#include "traces/traces_internal.h"

struct object {
    uint64_t size;
    uint32_t newer, older; /* places in the list; 0 is its head */
    bool cached;
};

static struct object *objects;
static uint32_t known, room;
static uint64_t used, capacity, references, misses;

static void fail(const char *why)
{
    fprintf(stderr, "lru: %s\n", why);
    exit(2);
}

static void take_out(uint32_t place)
{
    struct object *object = &objects[place];
    objects[object->newer].older = object->older;
    objects[object->older].newer = object->newer;
    object->cached = false;
    used -= object->size;
}

static void put_first(uint32_t place)
{
    struct object *object = &objects[place], *head = &objects[0];
    object->newer = 0;
    object->older = head->older;
    objects[head->older].newer = place;
    head->older = place;
    object->cached = true;
    used += object->size;
}

static uint32_t add_object(uint64_t size)
{
    if (++known >= room) {
        room = 2 * room;
        objects = realloc(objects, room * sizeof *objects);
        if (objects == NULL)
            fail("out of memory");
    }
    objects[known] = (struct object){.size = size};
    return known;
}

static void refer(struct margay_hash *hash, uint64_t name, uint64_t size)
{
    uint32_t *place = margay_hash_insert(hash, name);
    if (*place == 0)
        *place = add_object(size);
    struct object *object = &objects[*place];
    references++;
    misses += !object->cached;
    if (object->cached)
        take_out(*place);
    if (object->size > capacity)
        return;
    while (object->size > capacity - used)
        take_out(objects[0].newer);
    put_first(*place);
}

int main(int count, char **arguments)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct margay_hash hash;
    struct margay_batch batch;
    struct margay_error error;
    margay_trace *trace = NULL;
    if (count != 3 || !margay_parse_u64(arguments[1], &capacity))
        fail("usage: lru BYTES TRACE");
    room = 1 << 16;
    objects = calloc(room, sizeof *objects);
    if (objects == NULL ||
        margay_hash_create(&hash, 1024, &error) != MARGAY_OK ||
        margay_trace_open(arguments[2], &options, &trace, &error) != MARGAY_OK)
        fail("cannot begin");
    while (margay_trace_next(trace, -1, &batch, &error) == MARGAY_OK) {
        for (size_t i = 0; i < batch.references; i++) {
            if (batch.sizes == NULL ||
                margay_hash_reserve(&hash, 1, &error) != MARGAY_OK)
                fail("no sizes, or no memory");
            refer(&hash, batch.numbers[i], batch.sizes[i]);
        }
    }
    printf("%" PRIu64 " %" PRIu64 "\n", references, misses);
    margay_trace_free(trace);
    margay_hash_destroy(&hash);
    free(objects);
    return 0;
}
