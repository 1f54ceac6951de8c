/* modules.c - the modules of a trace: see modules.h */
#define _GNU_SOURCE
#include "traces/formats/modules.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/formats/format.h"

enum margay_status margay_modules_set(struct margay_modules *modules,
                                      unsigned number, const char *path,
                                      struct margay_error *error)
{
    size_t length = strlen(path);
    if (number >= MARGAY_MOST_MODULES || length == 0 ||
        length >= MARGAY_MODULE_PATH_BYTES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "module %u of %zu bytes, expected a number below %d "
                           "and a path of 1 to %d bytes",
                           number, length, MARGAY_MOST_MODULES,
                           MARGAY_MODULE_PATH_BYTES - 1);
    if (modules->paths[number] == NULL)
        modules->paths[number] = strdup(path);
    return modules->paths[number] == NULL
               ? margay_fail_memory(error, "a module")
               : MARGAY_OK;
}

const char *margay_modules_path(const struct margay_modules *modules,
                                unsigned number)
{
    return number < MARGAY_MOST_MODULES && atomic_load(&modules->whole)
               ? modules->paths[number]
               : NULL;
}

size_t margay_modules_put(const struct margay_modules *modules, uint8_t *bytes)
{
    size_t put = 0;
    for (size_t i = 0; i < MARGAY_MOST_MODULES; i++) {
        if (modules->paths[i] == NULL)
            continue;
        size_t length = strlen(modules->paths[i]);
        if (bytes != NULL) {
            bytes[put] = (uint8_t)i;
            margay_put_little(bytes + put + 1, length, 2);
            memcpy(bytes + put + MARGAY_MODULE_HEAD_BYTES, modules->paths[i],
                   length);
        }
        put += MARGAY_MODULE_HEAD_BYTES + length;
    }
    return put;
}

bool margay_modules_take(struct margay_modules *modules, const uint8_t *bytes,
                         size_t count, bool *no_memory)
{
    const uint8_t *end = bytes + count;
    int last = -1;
    margay_modules_clear(modules);
    while (bytes < end) {
        size_t left = (size_t)(end - bytes);
        size_t length = left < MARGAY_MODULE_HEAD_BYTES
                            ? SIZE_MAX
                            : (size_t)margay_get_little(bytes + 1, 2);
        if (length >= MARGAY_MODULE_PATH_BYTES || length == 0 ||
            length > left - MARGAY_MODULE_HEAD_BYTES || bytes[0] <= last ||
            bytes[0] >= MARGAY_MOST_MODULES ||
            memchr(bytes + MARGAY_MODULE_HEAD_BYTES, '\0', length) != NULL)
            return false;
        last = bytes[0];
        bytes += MARGAY_MODULE_HEAD_BYTES;
        char *path = malloc(length + 1);
        *no_memory = path == NULL;
        if (*no_memory)
            return false;
        memcpy(path, bytes, length);
        path[length] = '\0';
        modules->paths[last] = path;
        bytes += length;
    }
    atomic_store(&modules->whole, true);
    return true;
}

void margay_modules_clear(struct margay_modules *modules)
{
    for (size_t i = 0; i < MARGAY_MOST_MODULES; i++)
        free(modules->paths[i]);
    *modules = (struct margay_modules){.whole = false};
}
