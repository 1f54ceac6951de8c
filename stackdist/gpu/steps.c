/* steps.c - sorts and prefix sums on a device, several kernels each */
#include "stackdist/gpu/steps.h"

#include "stackdist/gpu/launch.h"

enum margay_status margay_gpu_scratch_create(margay_gpu *gpu, uint32_t count,
                                             struct margay_gpu_scratch *scratch,
                                             struct margay_error *error)
{
    uint32_t totals = margay_gpu_tiles(count) * DIGITS;
    uint32_t most = count > totals ? count : totals;
    enum margay_status status = margay_gpu_allocate(
        gpu, (size_t)totals * sizeof(uint32_t), &scratch->totals, error);
    if (status == MARGAY_OK)
        status = margay_gpu_allocate(
            gpu, (size_t)margay_gpu_tiles(most) * sizeof(uint32_t),
            &scratch->sums, error);
    return status;
}

void margay_gpu_scratch_release(margay_gpu *gpu,
                                struct margay_gpu_scratch *scratch)
{
    margay_gpu_release(gpu, &scratch->totals);
    margay_gpu_release(gpu, &scratch->sums);
}

void margay_gpu_scan(margay_gpu *gpu, const struct margay_gpu_buffer *values,
                     uint32_t count, const struct margay_gpu_scratch *scratch,
                     const struct margay_gpu_buffer *result, uint32_t at)
{
    uint32_t tiles = margay_gpu_tiles(count);
    LAUNCH(gpu, scan_sums, tiles, B(*values), B(scratch->sums), N(count));
    LAUNCH(gpu, scan_top, 1, B(scratch->sums), N(tiles), B(*result), N(at));
    LAUNCH(gpu, scan_apply, tiles, B(*values), B(scratch->sums), N(count));
}

void margay_gpu_fill(margay_gpu *gpu, const struct margay_gpu_buffer *values,
                     uint32_t count, uint32_t value)
{
    LAUNCH(gpu, fill, margay_gpu_tiles(count), B(*values), N(count), N(value));
}

/* Take the lowest four bits out of *varying: their numbers, a byte each. */
static uint32_t next_digit(uint64_t *varying)
{
    uint32_t bits = MARGAY_GPU_UNUSED_BITS;
    for (unsigned i = 0; i < DIGIT_BITS && *varying != 0; i++) {
        uint32_t bit = (uint32_t)__builtin_ctzll(*varying);
        bits = (bits & ~(UINT32_C(255) << (8 * i))) | bit << (8 * i);
        *varying &= *varying - 1;
    }
    return bits;
}

unsigned margay_gpu_sort(margay_gpu *gpu, const struct margay_gpu_keys *pair,
                         uint32_t count, uint64_t varying,
                         const struct margay_gpu_scratch *scratch)
{
    uint32_t tiles = margay_gpu_tiles(count);
    unsigned from = 0;
    while (varying != 0) {
        uint32_t bits = next_digit(&varying);
        const struct margay_gpu_keys *in = &pair[from], *out = &pair[!from];
        LAUNCH(gpu, sort_count, tiles, B(in->keys), N(count), N(bits),
               B(scratch->totals), N(tiles));
        /* The sum of all is not needed: it goes to memory that is written next.
         */
        margay_gpu_scan(gpu, &scratch->totals, tiles * DIGITS, scratch,
                        &out->owners, 0);
        LAUNCH(gpu, sort_move, tiles, B(in->keys), B(in->owners), B(out->keys),
               B(out->owners), N(count), N(bits), B(scratch->totals), N(tiles));
        from = !from;
    }
    return from;
}
