/* test_emulate.c - the kernels as plain C */
#include "stackdist/gpu/device.h"
#include "tests/gpu/cases.h"

int main(void)
{
    struct margay_error error = {0};
    margay_gpu *gpu;
    test_hp_rda("emulate");
    CHECK(margay_gpu_open(MARGAY_GPU_EMULATE, 1, &gpu, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              gpu == NULL,
          "a device that is not there: %s", error.message);
    return tap_done();
}
