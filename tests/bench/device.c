/*
 * device.c - how fast the engine gpu is on a device, with and without transfers
 *
 *     device BACKEND DEVICE FILE...
 *
 * FILEs are of 64-bit ids.  Three rounds each, the best of which is printed as
 * CSV: references per second of what happens on the device once the references
 * are there, from the sort to counted distances on the host; and of a whole
 * run, in transfers that overlap.  The time on the device is that of one
 * transfer with everything in it, less that of the upload alone.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stackdist/engine.h"
#include "stackdist/gpu/exact.h"

#define ROUNDS     3
#define PIECE_REFS 16384

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void stop_at(enum margay_status status, const struct margay_error *error)
{
    if (status == MARGAY_OK)
        return;
    fprintf(stderr, "device: %s\n", error->message);
    exit(2);
}

static uint64_t *read_ids(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    uint64_t *ids = NULL;
    size_t bytes = 0;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0)
        bytes = (size_t)ftell(file);
    if (bytes >= sizeof *ids)
        ids = malloc(bytes);
    *count = bytes / sizeof *ids;
    if (ids == NULL || fseek(file, 0, SEEK_SET) != 0 ||
        fread(ids, sizeof *ids, *count, file) != *count) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return ids;
}

/* Seconds of a whole run, as the command would do it. */
static double run_streaming(const char *spec, const uint64_t *ids, size_t count)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_error error;
    struct margay_result result;
    margay_engine *engine;
    stop_at(margay_engine_create(spec, &options, &engine, &error), &error);
    /* Opening the device and compiling the kernels is not what is measured. */
    stop_at(margay_engine_feed(engine, ids, 1, NULL, &error), &error);
    double started = now();
    for (size_t at = 1; at < count; at += PIECE_REFS) {
        size_t some = count - at < PIECE_REFS ? count - at : PIECE_REFS;
        stop_at(margay_engine_feed(engine, ids + at, some, NULL, &error),
                &error);
    }
    stop_at(margay_engine_finish(engine, &result, &error), &error);
    double seconds = now() - started;
    margay_engine_free(engine);
    margay_result_clear(&result);
    return seconds;
}

/* Seconds of one transfer with all references, less those of its upload. */
static double run_resident(enum margay_gpu_choice backend, unsigned device,
                           const uint64_t *ids, size_t count)
{
    struct margay_engine_setup setup = {.options =
                                            MARGAY_ENGINE_OPTIONS_DEFAULT};
    struct margay_error error;
    void *state;
    uint64_t first;
    setup.settings.choices[0] = backend;
    setup.settings.counts[1] = device;
    setup.settings.counts[2] = count;
    setup.settings.given = 1u << 2;
    stop_at(
        margay_engine_make_state(&margay_engine_gpu, &setup, &state, &error),
        &error);
    struct margay_gpu_exact *e = state;
    /* All but the last, so that nothing is handed over yet; then all of the
       memory is made ready by a first run. */
    stop_at(margay_engine_gpu.feed(e, ids, count - 1, NULL, &error), &error);
    uint32_t filled = e->filled;
    stop_at(margay_gpu_exact_submit(e, NULL, &error), &error);
    stop_at(margay_gpu_exact_settle(e, &error), &error);
    stop_at(margay_gpu_exact_collect(e, &error), &error);

    double started = now();
    margay_gpu_upload(e->gpu, &e->transfers[0], &e->staging[0],
                      (size_t)filled * sizeof(uint64_t));
    margay_gpu_await_uploads(e->gpu);
    stop_at(margay_gpu_download(e->gpu, &e->transfers[0], 0, &first,
                                sizeof first, &error),
            &error);
    double uploaded = now();
    e->stack_refs = 0;
    e->slot = 0;
    e->filled = filled;
    stop_at(margay_gpu_exact_submit(e, NULL, &error), &error);
    stop_at(margay_gpu_exact_settle(e, &error), &error);
    stop_at(margay_gpu_exact_collect(e, &error), &error);
    double seconds = (now() - uploaded) - (uploaded - started);
    margay_engine_free_state(&margay_engine_gpu, e);
    return seconds;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"auto", "opencl", "cuda", "emulate"};
    unsigned backend = 0;
    if (argc < 4) {
        fprintf(stderr, "usage: device BACKEND DEVICE FILE...\n");
        return 2;
    }
    while (backend < 4 && strcmp(names[backend], argv[1]) != 0)
        backend++;
    char spec[64];
    unsigned device = (unsigned)strtoul(argv[2], NULL, 10);
    snprintf(spec, sizeof spec, "gpu:backend=%.16s,device=%u", argv[1], device);
    printf("file,backend,references,refs_per_second_resident,"
           "refs_per_second_streaming\n");
    for (int i = 3; i < argc; i++) {
        size_t count;
        uint64_t *ids = read_ids(argv[i], &count);
        double resident = 1e9, streaming = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            resident =
                least(resident, run_resident((enum margay_gpu_choice)backend,
                                             device, ids, count));
            streaming = least(streaming, run_streaming(spec, ids, count));
        }
        printf("%s,%s,%zu,%.0f,%.0f\n", argv[i], argv[1], count,
               (double)count / resident, (double)count / streaming);
        fflush(stdout);
        free(ids);
    }
    return 0;
}
