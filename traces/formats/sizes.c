/* sizes.c - the size of each request's object: see sizes.h */
#include "traces/formats/sizes.h"

#include <stdlib.h>

#include "traces/base/error.h"

#define FIRST_CAPACITY 1024

void margay_object_sizes_clear(struct margay_object_sizes *rule)
{
    free(rule->table.entries);
    rule->table = (struct margay_object_table){NULL, 0, 0};
}

static struct margay_object_size *find(const struct margay_object_table *table,
                                       uint64_t object, uint32_t tenant)
{
    uint64_t at = (object + tenant) * UINT64_C(0x9e3779b97f4a7c15);
    for (at ^= at >> 32;; at++) {
        struct margay_object_size *entry =
            &table->entries[at & (table->capacity - 1)];
        if (!entry->used ||
            (entry->object == object && entry->tenant == tenant))
            return entry;
    }
}

static enum margay_status grow(struct margay_object_table *table,
                               struct margay_error *error)
{
    struct margay_object_table more = {
        .capacity = table->capacity == 0 ? FIRST_CAPACITY : 2 * table->capacity,
        .count = table->count,
    };
    more.entries = calloc(more.capacity, sizeof *more.entries);
    if (more.entries == NULL)
        return margay_fail_memory(error, "the sizes of objects");
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->entries[i].used)
            *find(&more, table->entries[i].object, table->entries[i].tenant) =
                table->entries[i];
    }
    free(table->entries);
    *table = more;
    return MARGAY_OK;
}

/* The entry of the object, or of that of entry i of `tenants`, which may be
   new. */
static enum margay_status enter(struct margay_object_table *table,
                                uint64_t object, const uint32_t *tenants,
                                size_t i, struct margay_object_size **entry,
                                struct margay_error *error)
{
    if (table->count + table->count / 2 >= table->capacity) {
        enum margay_status status = grow(table, error);
        if (status != MARGAY_OK)
            return status;
    }
    uint32_t tenant = tenants == NULL ? 0 : tenants[i];
    *entry = find(table, object, tenant);
    table->count += !(*entry)->used;
    (*entry)->used = true;
    (*entry)->object = object;
    (*entry)->tenant = tenant;
    return MARGAY_OK;
}

/* A request gives this size. */
static void note(enum margay_sizes_from from, bool overrides,
                 struct margay_object_size *entry, uint64_t size)
{
    if (!entry->known || from == MARGAY_SIZES_LAST ||
        (from == MARGAY_SIZES_MAX && size > entry->size) ||
        (from == MARGAY_SIZES_REQUEST && overrides))
        entry->size = size;
    entry->known = true;
}

enum margay_status margay_object_sizes_look(struct margay_object_sizes *rule,
                                            const struct margay_batch *batch,
                                            uint64_t position,
                                            struct margay_error *error)
{
    struct margay_object_size *entry;
    enum margay_status status = MARGAY_OK;
    rule->looked = rule->fills = true;
    for (size_t i = 0; i < batch->references && status == MARGAY_OK; i++) {
        if (batch->sizes[i] == MARGAY_SIZE_UNKNOWN ||
            (batch->ops != NULL && batch->ops[i] == MARGAY_DELETE))
            continue;
        status = enter(&rule->table, batch->numbers[i], batch->tenants, i,
                       &entry, error);
        if (status == MARGAY_OK)
            note(rule->from, i < position, entry, batch->sizes[i]);
    }
    return status;
}

static bool deletes(const struct margay_references *references, size_t i)
{
    return references->ops != NULL && references->ops[i] == MARGAY_DELETE;
}

bool margay_object_sizes_needs_look(const struct margay_object_sizes *rule,
                                    const struct margay_references *references)
{
    if (rule->looked)
        return false;
    if (rule->from == MARGAY_SIZES_LAST || rule->from == MARGAY_SIZES_MAX)
        return true;
    for (size_t i = 0; i < references->count; i++) {
        if (references->sizes[i] == MARGAY_SIZE_UNKNOWN &&
            !deletes(references, i))
            return true;
    }
    return false;
}

/* The size that counts of reference `at`, not a delete, which gives `size`. */
static uint64_t settle(struct margay_object_sizes *rule, uint64_t at,
                       uint64_t size, struct margay_object_size *entry)
{
    bool said = size != MARGAY_SIZE_UNKNOWN;
    bool is_read = at >= rule->first && at < rule->end;
    bool is_settled = rule->looked && rule->from >= MARGAY_SIZES_LAST;
    if (said && !is_settled && (is_read || rule->from == MARGAY_SIZES_REQUEST))
        note(rule->from, true, entry, size);
    rule->unknown += is_read && !said;
    rule->never += is_read && !entry->known;
    return entry->known ? entry->size : 0;
}

enum margay_status margay_object_sizes_apply(
    struct margay_object_sizes *rule, struct margay_references *references,
    struct margay_error *error)
{
    struct margay_object_size *entry;
    enum margay_status status = MARGAY_OK;
    uint64_t given = rule->given;
    rule->given += references->count;
    if (!rule->fills && references->ops == NULL)
        return MARGAY_OK;
    for (size_t i = 0; i < references->count && status == MARGAY_OK; i++) {
        uint64_t *size = &references->sizes[i];
        if (deletes(references, i)) {
            *size = *size == MARGAY_SIZE_UNKNOWN ? 0 : *size;
        } else if (rule->fills) {
            status = enter(&rule->table, references->numbers[i],
                           references->tenants, i, &entry, error);
            if (status == MARGAY_OK)
                *size = settle(rule, given + i, *size, entry);
        }
    }
    return status;
}
