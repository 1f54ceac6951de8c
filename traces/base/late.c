/* late.c - libraries that are opened when they are first needed */
#include "traces/base/late.h"

#include <dlfcn.h>
#include <pthread.h>

struct margay_late
    margay_libarchive = {.file = "libarchive.so.13",
                         .newest = "archive_read_support_filter_by_code"},
    margay_liblzma = {.file = "liblzma.so.5",
                      .newest = "lzma_stream_decoder_mt"},
    margay_libpcre2 = {.file = "libpcre2-8.so.0", .newest = "pcre2_match_8"},
    margay_libyajl = {.file = "libyajl.so.2", .newest = "yajl_complete_parse"};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

bool margay_late_open(struct margay_late *library)
{
    pthread_mutex_lock(&one_at_a_time);
    if (library->handle == NULL) {
        void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
        if (handle != NULL && dlsym(handle, library->newest) != NULL)
            library->handle = handle;
    }
    bool is_open = library->handle != NULL;
    pthread_mutex_unlock(&one_at_a_time);
    return is_open;
}

void *margay_late_look_up(void **found, const struct margay_late *library,
                          const char *name)
{
    void *function = dlsym(library->handle, name);
    __atomic_store_n(found, function, __ATOMIC_RELAXED);
    return function;
}
