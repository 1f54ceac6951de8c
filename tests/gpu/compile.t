#!/bin/sh
# compile.t - the kernels as OpenCL C 1.2
. tests/sim/lib.sh

# The text that a driver gets, for processors of three makers.
sed -n 's/^"\(.*\)\\n",$/\1/p' "$BUILD/gpu/opencl_source.c" |
    sed 's/\\\([\\"]\)/\1/g' >kernels.cl
check 'the kernels are in the library' grep -q '^KERNEL merge_chunks' kernels.cl
for target in spir64 amdgcn-amd-amdhsa nvptx64-nvidia-cuda; do
    name="OpenCL C 1.2 for $target, without a warning"
    if command -v clang >/dev/null; then
        clang -target $target -nogpulib -x cl -cl-std=CL1.2 -Xclang \
            -finclude-default-header -Wall -Wextra -pedantic -Werror \
            -fsyntax-only kernels.cl >out 2>err
        check "$name" test $? = 0
    else
        skip "$name" 'no clang'
    fi
done
finish
