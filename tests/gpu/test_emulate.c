/*
 * test_emulate.c - the exact engine for devices, emulated, and devices that
 * fail
 *
 * The devices of these tests are the emulated one behind a backend that fails
 * when it is told to.
 */
#include "stackdist/gpu/exact.h"
#include "tests/gpu/cases.h"
#include "tests/rounds.h"

/* --------------------------------------------------------------- random -- */

#define LONGEST_TRACE 5000

static bool try_once(struct margay_random *random)
{
    static uint64_t blocks[LONGEST_TRACE], unbounded[LONGEST_TRACE],
        distances[LONGEST_TRACE];
    char spec[64];
    size_t count = (size_t)margay_random_below(random, LONGEST_TRACE);
    enum shape shape = (enum shape)margay_random_below(random, SHAPES);
    make_trace(shape, blocks, count,
               1 + margay_random_below(random, count / 2 + 3), random);
    struct task task = {
        .count = count,
        .blocks = blocks,
        .distances = distances,
        /* Other tests have tested it. */
        .distinct = ask_distances("olken", blocks, count, unbounded),
    };
    if (margay_random_below(random, 2) == 0)
        task.bound = 1 + margay_random_below(random, 1500);
    if (count != 0 && margay_random_below(random, 3) == 0)
        task.reset = (size_t)margay_random_below(random, count);
    apply_bound(task.bound, unbounded, count, distances);
    snprintf(spec, sizeof spec, "gpu:backend=emulate,transfer=%u",
             256 + (unsigned)margay_random_below(random, 1500));
    add_up(&task);
    bool passed = passes(spec, &task, 1 + margay_random_below(random, 3000),
                         margay_random_below(random, 4) == 0, random);
    margay_histogram_free(task.wanted);
    return passed;
}

static void test_random(void)
{
    struct margay_random random;
    margay_random_seed(&random, 1981);
    unsigned all = (unsigned)rounds(300), right = 0;
    for (unsigned i = 0; i < all; i++)
        right += try_once(&random);
    CHECK_U64(right, all, "random traces in short transfers");
}

/* ------------------------------------------------------ devices that fail --
 */

static struct {
    unsigned calls_left;   /* until one fails */
    uint64_t memory_bytes; /* of the device; 0 = as much as there is */
    bool loses_a_count;    /* the device adds wrongly */
    bool loses_a_link;     /* the device sorts wrongly */
} faults;

static bool fails_now(struct margay_error *error)
{
    if (faults.calls_left == 0 || --faults.calls_left != 0)
        return false;
    margay_fail(error, MARGAY_IO, "the device has been lost");
    return true;
}

static enum margay_status describe(unsigned number,
                                   struct margay_gpu_info *info,
                                   struct margay_error *error)
{
    enum margay_status status =
        margay_gpu_emulate.describe(number, info, error);
    info->memory_bytes = faults.memory_bytes;
    return status;
}

static enum margay_status upload(void *device,
                                 const struct margay_gpu_buffer *buffer,
                                 const struct margay_gpu_pinned *pinned,
                                 size_t bytes, struct margay_error *error)
{
    if (fails_now(error))
        return MARGAY_IO;
    return margay_gpu_emulate.upload(device, buffer, pinned, bytes, error);
}

static enum margay_status launch(void *device, enum margay_gpu_kernel kernel,
                                 uint32_t groups,
                                 const struct margay_gpu_argument *arguments,
                                 struct margay_error *error)
{
    if (fails_now(error))
        return MARGAY_IO;
    if (kernel == MARGAY_GPU_node_finish && faults.loses_a_count)
        return MARGAY_OK;
    enum margay_status status =
        margay_gpu_emulate.launch(device, kernel, groups, arguments, error);
    if (kernel == MARGAY_GPU_link_refs && faults.loses_a_link)
        memset((void *)arguments[5].buffer->handle, 0,
               arguments[5].buffer->bytes);
    return status;
}

static enum margay_status download(void *device,
                                   const struct margay_gpu_buffer *buffer,
                                   size_t offset_bytes, void *memory,
                                   size_t bytes, struct margay_error *error)
{
    if (fails_now(error))
        return MARGAY_IO;
    return margay_gpu_emulate.download(device, buffer, offset_bytes, memory,
                                       bytes, error);
}

/* An engine on a device that fails as `faults` say; NULL if not even that
   can be had. */
static struct margay_gpu_exact *make_engine(struct margay_gpu_backend *backend,
                                            uint32_t transfer_refs)
{
    struct margay_engine_setup setup = {.options =
                                            MARGAY_ENGINE_OPTIONS_DEFAULT};
    void *state = NULL;
    *backend = margay_gpu_emulate;
    backend->describe = describe;
    backend->upload = upload;
    backend->launch = launch;
    backend->download = download;
    setup.settings.given = 1u << 2;
    setup.settings.counts[2] = transfer_refs;
    if (margay_engine_make_state(&margay_engine_gpu, &setup, &state, NULL) !=
        MARGAY_OK)
        abort();
    struct margay_gpu_exact *e = state;
    if (margay_gpu_open_backend(backend, 0, &e->gpu, NULL) != MARGAY_OK)
        abort();
    return e;
}

#define REFS     6000
#define DISTINCT 900

static uint64_t blocks[REFS];

/* All the way to a result; its references, or a failure. */
static enum margay_status run(struct margay_gpu_exact *e, uint64_t *references,
                              struct margay_error *error)
{
    struct margay_result result = {0};
    enum margay_status status =
        margay_engine_gpu.feed(e, blocks, REFS, NULL, error);
    if (status == MARGAY_OK)
        margay_engine_gpu.reset_counts(e);
    if (status == MARGAY_OK)
        status = margay_engine_gpu.feed(e, blocks, REFS, NULL, error);
    enum margay_status last = margay_engine_gpu.finish(e, &result, error);
    /* Once failed, for ever. */
    if (status == MARGAY_OK)
        status = last;
    else if (last == MARGAY_OK)
        abort();
    if (status == MARGAY_OK)
        *references = margay_histogram_references(result.histogram);
    margay_result_clear(&result);
    margay_engine_free_state(&margay_engine_gpu, e);
    return status;
}

static void test_lost(void)
{
    struct margay_gpu_backend backend;
    struct margay_error error = {0};
    uint64_t references;
    unsigned all = 0, reported = 0, step = 100 / (unsigned)rounds(100) + 6;
    if (step > 30)
        step = 30;
    for (;; all++) {
        faults.calls_left = 1 + all * step;
        enum margay_status status =
            run(make_engine(&backend, 1000), &references, &error);
        if (faults.calls_left != 0)
            break; /* there was no such call */
        reported += status == MARGAY_IO &&
                    strstr(error.message, "has been lost") != NULL &&
                    strstr(error.message, "emulate device 0") != NULL;
    }
    faults.calls_left = 0;
    CHECK(all > 10, "a device that is lost at any of %u moments", all);
    CHECK_U64(reported, all, "is always reported: %s", error.message);
}

static void test_wrong(void)
{
    struct margay_gpu_backend backend;
    struct margay_error error = {0};
    uint64_t references;
    faults.loses_a_count = true;
    CHECK(run(make_engine(&backend, 1000), &references, &error) == MARGAY_IO &&
              strstr(error.message, "computes wrongly") != NULL,
          "a device that forgets to count: %s", error.message);
    faults.loses_a_count = false;
    faults.loses_a_link = true;
    CHECK(run(make_engine(&backend, 1000), &references, &error) == MARGAY_IO,
          "a device that does not link: %s", error.message);
    faults.loses_a_link = false;
}

/* A device of ever less memory works, with ever shorter transfers, until it
   cannot. */
static void test_memory(void)
{
    struct margay_gpu_backend backend;
    struct margay_error error = {0};
    uint64_t bytes, references = 0;
    unsigned fine = 0, shortened = 0;
    for (bytes = 1 << 21;; bytes -= bytes / 8) {
        faults.memory_bytes = bytes;
        struct margay_gpu_exact *e = make_engine(&backend, 5000);
        enum margay_status status =
            margay_engine_gpu.feed(e, blocks, REFS, NULL, &error);
        if (status == MARGAY_OK && (e->is_tight || e->transfer_refs < 5000))
            shortened++;
        if (status != MARGAY_OK) {
            margay_engine_free_state(&margay_engine_gpu, e);
            CHECK(status == MARGAY_NO_MEMORY, "too little memory: %s",
                  error.message);
            break;
        }
        status = run(e, &references, &error);
        if (status != MARGAY_OK) {
            CHECK(status == MARGAY_NO_MEMORY, "too little memory later: %s",
                  error.message);
            break;
        }
        fine += references == REFS;
    }
    faults.memory_bytes = 0;
    CHECK(fine > 3 && shortened > 2,
          "%u sizes of memory suffice, %u of them for shorter transfers", fine,
          shortened);
}

/* A counter about to pass 2^32, where its upper half begins. */
static void test_carry(void)
{
    static const uint32_t before = UINT32_MAX - 10;
    struct margay_gpu_backend backend;
    struct margay_gpu_exact *e = make_engine(&backend, 1000);
    struct margay_result result = {0};
    uint64_t loop[900], distance, count = 0;
    for (size_t i = 0; i < 900; i++)
        loop[i] = i % 300;
    /* Room enough for the rest, so that counts stay where they are. */
    enum margay_status status =
        margay_engine_gpu.feed(e, loop, 900, NULL, NULL);
    if (status == MARGAY_OK)
        status = margay_gpu_exact_submit(e, NULL, NULL);
    if (status == MARGAY_OK)
        status = margay_gpu_exact_settle(e, NULL);
    ((uint32_t *)e->low.handle)[299] += before - 600;
    e->settled += before - 600;
    if (status == MARGAY_OK)
        status = margay_engine_gpu.feed(e, loop, 400, NULL, NULL);
    if (status == MARGAY_OK)
        status = margay_engine_gpu.finish(e, &result, NULL);
    if (status == MARGAY_OK)
        margay_histogram_next(result.histogram, 299, &distance, &count);
    CHECK_U64(count, before + UINT64_C(400), "a count beyond 2^32");
    margay_result_clear(&result);
    margay_engine_free_state(&margay_engine_gpu, e);
}

static void test_missing(void)
{
    struct margay_error error = {0};
    margay_gpu *gpu;
    CHECK(margay_gpu_open(MARGAY_GPU_EMULATE, 1, &gpu, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              gpu == NULL,
          "a device that is not there: %s", error.message);
}

int main(void)
{
    struct margay_random random;
    test_gpu_cases("emulate");
    test_hp_rda("emulate");
    test_random();
    margay_random_seed(&random, 5);
    for (size_t i = 0; i < REFS; i++)
        blocks[i] = margay_random_below(&random, DISTINCT) << 40;
    test_lost();
    test_wrong();
    test_memory();
    test_missing();
    test_carry();
    return tap_done();
}
