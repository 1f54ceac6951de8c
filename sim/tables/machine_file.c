/* machine_file.c - a machine by the name of its table, or by its own name */
#define _GNU_SOURCE
#include "sim/tables/machine_file.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/terminal/data_file.h"
#include "traces/traces_internal.h"

static const struct data_place place = {"MARGAY_MACHINES", "../sim/machines",
                                        "../share/margay/machines"};

/* ------------------------------------------------------- this very machine --
 */

/* What the system says of the caches of its first processor. */
#define HOST_CACHES "/sys/devices/system/cpu/cpu0/cache"

/* A cache, as the system describes it. */
struct host_cache {
    char level[16], type[16], bytes[24], block[16], ways[16], cores[256];
};

static bool read_line(unsigned index, const char *name, char *text, int bytes)
{
    char path[128];
    snprintf(path, sizeof path, HOST_CACHES "/index%u/%s", index, name);
    FILE *file = fopen(path, "re");
    bool got = file != NULL && fgets(text, bytes, file) != NULL;
    if (file != NULL)
        fclose(file);
    if (got)
        text[strcspn(text, "\n")] = '\0';
    return got;
}

static bool read_cache(unsigned index, struct host_cache *cache)
{
    return read_line(index, "level", cache->level, sizeof cache->level) &&
           read_line(index, "type", cache->type, sizeof cache->type) &&
           read_line(index, "size", cache->bytes, sizeof cache->bytes) &&
           read_line(index, "coherency_line_size", cache->block,
                     sizeof cache->block) &&
           read_line(index, "ways_of_associativity", cache->ways,
                     sizeof cache->ways) &&
           read_line(index, "shared_cpu_list", cache->cores,
                     sizeof cache->cores);
}

/* How many processors a list such as 0-3,8-11 names. */
static unsigned long count_cores(const char *list)
{
    unsigned long count = 0;
    while (*list != '\0') {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        count += last - first + 1;
        list = *end == ',' ? end + 1 : "";
    }
    return count == 0 ? 1 : count;
}

/* The caches as a table.  Threads of the same core count as one core: the
   cores of a cache are in proportion to those of the first one. */
static void write_host(FILE *table)
{
    struct host_cache cache, next;
    unsigned long threads = 1;
    fputs("cache,holds,bytes,block_bytes,ways,next,shared,source\n", table);
    for (unsigned i = 0; read_cache(i, &cache); i++) {
        bool unified = strcmp(cache.type, "Unified") == 0;
        bool fetches = strcmp(cache.type, "Instruction") == 0;
        unsigned long cores = count_cores(cache.cores);
        threads = i == 0 ? cores : threads;
        fprintf(table, "L%s%s,%s,%s,%s,%s,", cache.level,
                unified   ? ""
                : fetches ? "I"
                          : "D",
                unified   ? "all"
                : fetches ? "fetch"
                          : "data",
                cache.bytes, cache.block, cache.ways);
        unsigned k = i + 1;
        while (read_cache(k, &next) && (strcmp(next.type, "Unified") != 0 ||
                                        strcmp(next.level, cache.level) == 0))
            k++;
        if (read_cache(k, &next))
            fprintf(table, "L%s", next.level);
        fprintf(table, ",%lu," HOST_CACHES "/index%u\n",
                cores < threads ? 1 : cores / threads, i);
    }
}

static enum margay_status read_host(struct machine *machine, const char *vary,
                                    struct margay_error *error)
{
    char *text = NULL;
    size_t bytes;
    FILE *table = access(HOST_CACHES "/index0/level", R_OK) == 0
                      ? open_memstream(&text, &bytes)
                      : NULL;
    if (table == NULL)
        return margay_fail(error, MARGAY_IO,
                           "host: this system does not describe its caches "
                           "(expected " HOST_CACHES ")");
    write_host(table);
    enum margay_status status = MARGAY_NO_MEMORY;
    bool written = fclose(table) == 0;
    table = written ? fmemopen(text, bytes, "r") : NULL;
    if (table == NULL)
        margay_fail_memory(error, "the machine");
    else
        status = machine_read_stream(machine, table, "host", vary, error);
    if (table != NULL)
        fclose(table);
    free(text);
    return status;
}

/* ----------------------------------------------------------------- by name --
 */

static int is_table(const struct dirent *entry)
{
    size_t bytes = strlen(entry->d_name);
    return bytes > 4 && strcmp(entry->d_name + bytes - 4, ".csv") == 0;
}

/* The names of the tables beside one of them, and the host. */
static void list_names(const char *path, char *names, size_t bytes)
{
    struct dirent **entries;
    const char *slash = strrchr(path, '/');
    char *directory = strndup(path, (size_t)(slash - path));
    int count = directory == NULL
                    ? -1
                    : scandir(directory, &entries, is_table, alphasort);
    size_t used = (size_t)snprintf(names, bytes, "host");
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (used < bytes)
            used += (size_t)snprintf(names + used, bytes - used, ", %.*s",
                                     (int)strlen(name) - 4, name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    free(directory);
}

static enum margay_status refuse_name(const char *name,
                                      struct margay_error *error)
{
    char names[400], *path = NULL;
    snprintf(names, sizeof names, "host");
    if (data_file_find(&place, "intel-skylake.csv", &path, NULL) == MARGAY_OK)
        list_names(path, names, sizeof names);
    free(path);
    return margay_fail(error, MARGAY_IO,
                       "--machine %s: no such file, and no machine of that "
                       "name (expected a table, or one of %s)",
                       name, names);
}

static enum margay_status read_known(struct machine *machine, const char *name,
                                     const char *vary,
                                     struct margay_error *error)
{
    char *file, *path = NULL;
    if (asprintf(&file, "%s.csv", name) < 0)
        return margay_fail_memory(error, "the name of a machine");
    enum margay_status status =
        data_file_find(&place, file, &path, NULL) == MARGAY_OK
            ? machine_read(machine, path, vary, error)
            : refuse_name(name, error);
    free(file);
    free(path);
    return status;
}

enum margay_status machine_find(struct machine *machine, const char *name,
                                const char *vary, struct margay_error *error)
{
    *machine = (struct machine){.count = 0};
    if (access(name, F_OK) == 0 || strchr(name, '/') != NULL ||
        strcmp(name, "-") == 0)
        return machine_read(machine, name, vary, error);
    return strcmp(name, "host") == 0 ? read_host(machine, vary, error)
                                     : read_known(machine, name, vary, error);
}
