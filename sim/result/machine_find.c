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

/* --------------------------------------------------------------- by name -- */

static int is_table(const struct dirent *entry)
{
    size_t bytes = strlen(entry->d_name);
    return bytes > 4 && strcmp(entry->d_name + bytes - 4, ".csv") == 0;
}

#define MOST_NAMES 64

struct names {
    char *list[MOST_NAMES];
    size_t count;
};

static void add_name(struct names *names, const char *name)
{
    if (names->count < MOST_NAMES &&
        (names->list[names->count] = strdup(name)) != NULL)
        names->count++;
}

/* "host", and the names of the folder of installed tables. */
static void find_names(struct names *names)
{
    struct dirent **entries;
    char *path = NULL;
    int found = -1;
    names->count = 0;
    add_name(names, "host");
    if (data_file_find(&place, "intel-skylake.csv", &path, NULL) == MARGAY_OK) {
        *strrchr(path, '/') = '\0';
        found = scandir(path, &entries, is_table, alphasort);
    }
    for (int i = 0; i < found; i++) {
        *strrchr(entries[i]->d_name, '.') = '\0';
        add_name(names, entries[i]->d_name);
        free(entries[i]);
    }
    if (found >= 0)
        free(entries);
    free(path);
}

/* Each name, and then the part after its maker's: "skylake" of
   "intel-skylake". */
static const char *name_at(size_t i, const void *context)
{
    const struct names *names = context;
    const char *name = i / 2 < names->count ? names->list[i / 2] : NULL;
    const char *dash = i % 2 == 0 || name == NULL ? NULL : strchr(name, '-');
    return dash == NULL ? name : dash + 1;
}

static enum margay_status refuse_name(const struct names *names,
                                      const char *name,
                                      struct margay_error *error)
{
    char list[400];
    size_t used = 0;
    for (size_t i = 0; i < names->count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i == 0 ? "" : ", ", names->list[i]);
    const char *nearest = margay_nearest(name, name_at, names);
    char guess[80] = "";
    /* Of several that begin so, the one of that name. */
    for (size_t i = 0; i < 2 * names->count; i++) {
        if (strcasecmp(name_at(i, names), name) == 0)
            nearest = name_at(i, names);
    }
    for (size_t i = 0; nearest != NULL && i < 2 * names->count; i++) {
        if (name_at(i, names) == nearest)
            snprintf(guess, sizeof guess, " (did you mean '%s'?)",
                     names->list[i / 2]);
    }
    return margay_fail(error, MARGAY_IO,
                       "--machine %s: no such file, and no machine of that "
                       "name%s (expected a table, or one of %s)",
                       name, guess, list);
}

/* The machine whose name it is, in any case of letters. */
static enum margay_status read_named(struct machine *machine, const char *name,
                                     const char *vary,
                                     struct margay_error *error)
{
    struct names names;
    char *file = NULL, *path = NULL;
    size_t i = 0;
    find_names(&names);
    while (i < names.count && strcasecmp(names.list[i], name) != 0)
        i++;
    const char *known = i == names.count ? name : names.list[i];
    enum margay_status status;
    if (asprintf(&file, "%s.csv", known) < 0)
        status = margay_fail_memory(error, "the name of a machine");
    else if (data_file_find(&place, file, &path, NULL) == MARGAY_OK)
        status = machine_read(machine, path, NULL, vary, error);
    else
        status = refuse_name(&names, name, error);
    for (i = 0; i < names.count; i++)
        free(names.list[i]);
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
        return machine_read(machine, name, NULL, vary, error);
    return strcasecmp(name, "host") == 0 || strcasecmp(name, "this") == 0
               ? read_host(machine, vary, error)
               : read_named(machine, name, vary, error);
}
