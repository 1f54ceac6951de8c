/* late.c - libraries that are opened when they are first needed */
#include "traces/base/late.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct margay_late margay_libarchive =
                       {.file = "libarchive.so.13",
                        .newest = "archive_read_support_filter_by_code",
                        .package = "libarchive13"},
                   margay_liblzma = {.file = "liblzma.so.5",
                                     .newest = "lzma_stream_decoder_mt",
                                     .package = "liblzma5"},
                   margay_libpcre2 = {.file = "libpcre2-8.so.0",
                                      .newest = "pcre2_match_8",
                                      .package = "libpcre2-8-0"},
                   margay_libyajl = {.file = "libyajl.so.2",
                                     .newest = "yajl_complete_parse",
                                     .package = "libyajl2"};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

bool margay_late_open(struct margay_late *library)
{
    pthread_mutex_lock(&one_at_a_time);
    if (library->handle == NULL) {
        void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
        if (handle != NULL && dlsym(handle, library->newest) != NULL)
            library->handle = handle;
        const char *why = library->handle != NULL ? NULL : dlerror();
        if (why != NULL)
            snprintf(library->why, sizeof library->why, "%s", why);
    }
    bool is_open = library->handle != NULL;
    pthread_mutex_unlock(&one_at_a_time);
    return is_open;
}

enum margay_status margay_late_fail(struct margay_late *library,
                                    const char *name, const char *does,
                                    const char *object,
                                    struct margay_error *error)
{
    char why[sizeof library->why];
    pthread_mutex_lock(&one_at_a_time);
    snprintf(why, sizeof why, "%s", library->why);
    pthread_mutex_unlock(&one_at_a_time);
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s%s%s, which %s %s, cannot be used: %s (Debian: %s)",
                       name == NULL ? "" : name, name == NULL ? "" : ": ",
                       library->file, does, object, why, library->package);
}

void *margay_late_look_up(void **found, const struct margay_late *library,
                          const char *name)
{
    void *function = dlsym(library->handle, name);
    __atomic_store_n(found, function, __ATOMIC_RELAXED);
    return function;
}
