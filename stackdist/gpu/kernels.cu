/* kernels.cu - the kernels, for nvcc: see portable.h */
#include "stackdist/gpu/hp_rda_kernels.h"
