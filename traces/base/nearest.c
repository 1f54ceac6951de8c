/* nearest.c - known names in messages: see nearest.h */
#include "traces/base/nearest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LONGEST_WORD 32
#define FAR_AWAY     3

static unsigned minimum(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* Optimal string alignment distance (Damerau-Levenshtein without overlaps). */
static unsigned edit_distance(const char *a, size_t m, const char *b, size_t n)
{
    unsigned d[LONGEST_WORD + 1][LONGEST_WORD + 1];
    for (size_t i = 0; i <= m; i++)
        d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= n; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        for (size_t j = 1; j <= n; j++) {
            unsigned differ = lower(a[i - 1]) != lower(b[j - 1]);
            unsigned best = minimum(d[i - 1][j], d[i][j - 1]) + 1;
            best = minimum(best, d[i - 1][j - 1] + differ);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                best = minimum(best, d[i - 2][j - 2] + 1);
            d[i][j] = best;
        }
    }
    return d[m][n];
}

static unsigned unlikeness(const char *word, const char *candidate)
{
    size_t m = strlen(word), n = strlen(candidate);
    if (m == 0 || m > LONGEST_WORD || n > LONGEST_WORD)
        return FAR_AWAY;
    if (m >= 2 && strncasecmp(word, candidate, m) == 0)
        return 1;
    /* --block-size is --block. */
    if (n >= 3 && m > n && word[n] == '-' &&
        strncasecmp(word, candidate, n) == 0)
        return 1;
    unsigned distance = edit_distance(word, m, candidate, n);
    /* Two edits turn any two-letter name into any other. */
    return distance * 2 > n ? FAR_AWAY : distance;
}

const char *margay_nearest(const char *word,
                           const char *(*candidate)(size_t i,
                                                    const void *context),
                           const void *context)
{
    const char *best = NULL, *name;
    unsigned best_distance = FAR_AWAY;
    for (size_t i = 0; (name = candidate(i, context)) != NULL; i++) {
        unsigned distance = unlikeness(word, name);
        /* A word that begins several names is nearest to their common
           prefix. */
        if (distance < best_distance ||
            (best != NULL && distance == best_distance &&
             strncasecmp(best, name, strlen(name)) == 0)) {
            best = name;
            best_distance = distance;
        }
    }
    return best;
}

/* Up to ALL_NAMED candidates are all named, of more only SOME_NAMED. */
#define ALL_NAMED  6
#define SOME_NAMED 4

void margay_list_names(const char *(*candidate)(size_t i, const void *context),
                       const void *context, char *text, size_t bytes)
{
    size_t count = 0, used = 0;
    while (candidate(count, context) != NULL)
        count++;
    size_t named = count <= ALL_NAMED ? count : SOME_NAMED;
    *text = '\0';
    for (size_t i = 0; i < named && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s",
                                 i == 0 ? "" : ", ", candidate(i, context));
    if (named < count && used < bytes)
        snprintf(text + used, bytes - used, " and %zu others", count - named);
}
