/* refuse.c - what is said to a value that will not do */
#include "sim/refuse.h"

#include <stdio.h>
#include <string.h>

#include "traces/traces_internal.h"

enum margay_status refuse(const char *name, const char *text,
                          const char *expected, struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT, "%s: '%s' (expected %s)",
                       name, text, expected);
}

static const char *word_at(size_t i, const void *context)
{
    const char *const *words = context;
    return words[i];
}

/* "lru, fifo or opt" */
static void list_words(const char *const *words, char *list, size_t bytes)
{
    size_t used = 0;
    for (size_t i = 0; words[i] != NULL && used < bytes; i++) {
        const char *before = i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ";
        used += (size_t)snprintf(list + used, bytes - used, "%s%s", before,
                                 words[i]);
    }
}

enum margay_status find_word(const char *name, const char *text,
                             const char *const *words, size_t *index,
                             struct margay_error *error)
{
    char list[160];
    for (*index = 0; words[*index] != NULL; ++*index) {
        if (strcmp(text, words[*index]) == 0)
            return MARGAY_OK;
    }
    list_words(words, list, sizeof list);
    const char *nearest = margay_nearest(text, word_at, words);
    if (nearest == NULL)
        return refuse(name, text, list, error);
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: '%s' (expected %s; did you mean '%s'?)", name, text,
                       list, nearest);
}
