/*
 * names.c - numbers for texts: see names.h
 *
 * Algorithm: open addressing, doubled when half full, over copies of the texts.
 *   The last text is often the next one, too, so it is compared before anything
 *   is hashed.
 * Cost: a comparison, or a hash and a look-up; some 70 bytes for each text.
 */
#define _GNU_SOURCE
#include "traces/formats/names.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/fnv.h"
#include "traces/base/grow.h"

struct name {
    char *text; /* owned */
    size_t bytes;
    uint64_t hash;
};

struct margay_names {
    pthread_mutex_t lock; /* of `list` and `count`, for threads that only
                             read */
    struct name *list;
    size_t count, capacity;
    uint32_t *slots; /* 1 + a number; 0 = free.  A power of two of them. */
    size_t slot_count;
    uint32_t last;
};

struct margay_names *margay_names_create(void)
{
    struct margay_names *names = calloc(1, sizeof *names);
    if (names != NULL)
        pthread_mutex_init(&names->lock, NULL);
    return names;
}

void margay_names_free(struct margay_names *names)
{
    if (names == NULL)
        return;
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i].text);
    free(names->list);
    free(names->slots);
    pthread_mutex_destroy(&names->lock);
    free(names);
}

static bool is_text(const struct name *name, const char *text, size_t bytes)
{
    return name->bytes == bytes && memcmp(name->text, text, bytes) == 0;
}

/* The slot of the text, or the free one where it belongs. */
static uint32_t *slot_of(const struct margay_names *names, const char *text,
                         size_t bytes, uint64_t hash)
{
    size_t slot = hash & (names->slot_count - 1);
    while (names->slots[slot] != 0) {
        const struct name *name = &names->list[names->slots[slot] - 1];
        if (name->hash == hash && is_text(name, text, bytes))
            break;
        slot = (slot + 1) & (names->slot_count - 1);
    }
    return &names->slots[slot];
}

static bool make_slots(struct margay_names *names)
{
    size_t more = names->slot_count == 0 ? 64 : 2 * names->slot_count;
    uint32_t *slots = calloc(more, sizeof *slots);
    if (slots == NULL)
        return false;
    free(names->slots);
    names->slots = slots;
    names->slot_count = more;
    for (size_t i = 0; i < names->count; i++) {
        const struct name *name = &names->list[i];
        *slot_of(names, name->text, name->bytes, name->hash) = (uint32_t)i + 1;
    }
    return true;
}

static bool add(struct margay_names *names, const char *text, size_t bytes,
                uint64_t hash)
{
    char *copy = malloc(bytes + 1);
    pthread_mutex_lock(&names->lock);
    bool added =
        copy != NULL && names->count != INT32_MAX &&
        MARGAY_MAKE_ROOM(names->list, names->count, 1, names->capacity);
    if (added) {
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
        names->list[names->count++] = (struct name){copy, bytes, hash};
    }
    pthread_mutex_unlock(&names->lock);
    if (!added)
        free(copy);
    return added;
}

bool margay_names_number(struct margay_names *names, const char *text,
                         size_t bytes, uint32_t *number)
{
    *number = names->last;
    if (names->count > 0 && is_text(&names->list[names->last], text, bytes))
        return true;
    if (2 * (names->count + 1) > names->slot_count && !make_slots(names))
        return false;
    uint64_t hash = margay_fnv1a(text, bytes);
    uint32_t *slot = slot_of(names, text, bytes, hash);
    if (*slot == 0) {
        if (!add(names, text, bytes, hash))
            return false;
        *slot = (uint32_t)names->count;
    }
    *number = names->last = *slot - 1;
    return true;
}

const char *margay_names_text(struct margay_names *names, uint32_t number)
{
    pthread_mutex_lock(&names->lock);
    const char *text = number < names->count ? names->list[number].text : NULL;
    pthread_mutex_unlock(&names->lock);
    return text;
}
