/* kernels.cu - the kernels, for nvcc: see portable.h */
#include "stackdist/gpu/exact_kernels.h"
