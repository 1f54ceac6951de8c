/* machine_find.c - a machine by name: a file, an installed table, this
   system */
#define _GNU_SOURCE
#include "sim/result/machine.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "sim/terminal/find_file.h"
#include "traces/traces_internal.h"

static const struct data_place place = {
    "MARGAY_MACHINES", {"/../sim/machines", "/../share/margay/machines"}};

/* The caches of the first processor, as the system describes them. */
#define HOST_CACHES "/sys/devices/system/cpu/cpu0/cache"

/* A cache, as the system describes it. */
enum { LEVEL, TYPE, BYTES, BLOCK, WAYS, CORES, FACTS };

static bool read_cache(unsigned index, char facts[FACTS][256])
{
    static const char *const files[FACTS] = {
        [LEVEL] = "level",
        [TYPE] = "type",
        [BYTES] = "size",
        [BLOCK] = "coherency_line_size",
        [WAYS] = "ways_of_associativity",
        [CORES] = "shared_cpu_list",
    };
    bool got = true;
    for (size_t i = 0; i < FACTS && got; i++) {
        char path[128];
        snprintf(path, sizeof path, HOST_CACHES "/index%u/%s", index, files[i]);
        FILE *file = fopen(path, "re");
        got = file != NULL && fgets(facts[i], 256, file) != NULL;
        if (file != NULL)
            fclose(file);
        if (got)
            facts[i][strcspn(facts[i], "\n")] = '\0';
    }
    return got;
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
    char cache[FACTS][256], next[FACTS][256];
    unsigned long threads = 1;
    fputs("cache,holds,bytes,block_bytes,ways,next,shared,source\n", table);
    for (unsigned i = 0; read_cache(i, cache); i++) {
        const char *kind = strcmp(cache[TYPE], "Unified") == 0       ? ",all"
                           : strcmp(cache[TYPE], "Instruction") == 0 ? "I,fetch"
                                                                     : "D,data";
        unsigned long cores = count_cores(cache[CORES]);
        threads = i == 0 ? cores : threads;
        fprintf(table, "L%s%s,%s,%s,%s,", cache[LEVEL], kind, cache[BYTES],
                cache[BLOCK], cache[WAYS]);
        unsigned k = i + 1;
        while (read_cache(k, next) && (strcmp(next[TYPE], "Unified") != 0 ||
                                       strcmp(next[LEVEL], cache[LEVEL]) == 0))
            k++;
        if (read_cache(k, next))
            fprintf(table, "L%s", next[LEVEL]);
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
    FILE *written = fclose(table) == 0 ? fmemopen(text, bytes, "r") : NULL;
    if (written == NULL) {
        margay_fail_memory(error, "the machine");
    } else {
        status = machine_read(machine, "host", written, vary, error);
        fclose(written);
    }
    free(text);
    return status;
}

static int is_table(const struct dirent *entry)
{
    size_t bytes = strlen(entry->d_name);
    return bytes > 4 && strcmp(entry->d_name + bytes - 4, ".csv") == 0;
}

struct tables {
    struct dirent **list; /* by their names, without ".csv" */
    int count;
};

static const char *name_at(size_t i, const void *context)
{
    const struct tables *tables = context;
    return i < (size_t)tables->count ? tables->list[i]->d_name : NULL;
}

/* A guess is also a name that the one asked for stands in after the maker's,
   "intel-skylake" for "skylake". */
static enum margay_status refuse_name(const struct tables *tables,
                                      const char *name,
                                      struct margay_error *error)
{
    char list[400] = "host";
    size_t used = strlen(list);
    const char *guess = margay_nearest(name, name_at, tables), *known;
    for (size_t i = 0; (known = name_at(i, tables)) != NULL; i++) {
        const char *dash = strchr(known, '-');
        if (dash != NULL && strcasecmp(dash + 1, name) == 0)
            guess = known;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, ", %s",
                                     known);
    }
    return margay_fail(error, MARGAY_IO,
                       "--machine %s: no such file, and no machine of that "
                       "name%s%s%s (expected a table, or one of %s)",
                       name, guess == NULL ? "" : " (did you mean '",
                       guess == NULL ? "" : guess, guess == NULL ? "" : "'?)",
                       list);
}

/* The machine whose name it is, in any case of letters. */
static enum margay_status read_named(struct machine *machine, const char *name,
                                     const char *vary,
                                     struct margay_error *error)
{
    struct tables tables = {.count = 0};
    char *folder = NULL, *path = NULL;
    enum margay_status status = MARGAY_OK;
    const char *known;
    if (data_file_find(&place, "intel-skylake.csv", &folder, NULL) ==
        MARGAY_OK) {
        *strrchr(folder, '/') = '\0';
        tables.count = scandir(folder, &tables.list, is_table, alphasort);
        tables.count = tables.count < 0 ? 0 : tables.count;
    }
    for (int i = 0; i < tables.count; i++)
        *strrchr(tables.list[i]->d_name, '.') = '\0';
    for (size_t i = 0; (known = name_at(i, &tables)) != NULL; i++) {
        if (strcasecmp(known, name) == 0)
            break;
    }
    if (known == NULL)
        status = refuse_name(&tables, name, error);
    else if (asprintf(&path, "%s/%s.csv", folder, known) < 0)
        status = margay_fail_memory(error, "the name of a machine");
    else
        status = machine_read(machine, path, NULL, vary, error);
    for (int i = 0; i < tables.count; i++)
        free(tables.list[i]);
    free(tables.list);
    free(folder);
    free(path);
    return status;
}

enum margay_status machine_find(struct machine *machine, const char *name,
                                const char *vary, struct margay_error *error)
{
    *machine = (struct machine){.count = 0};
    if (access(name, F_OK) == 0 || strchr(name, '/') != NULL ||
        strcmp(name, "-") == 0)
        return machine_read(machine, name, NULL, vary, error);
    return strcasecmp(name, "host") == 0 || strcasecmp(name, "this") == 0
               ? read_host(machine, vary, error)
               : read_named(machine, name, vary, error);
}
