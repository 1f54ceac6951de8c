#!/bin/sh
# compile.t - the kernels, as OpenCL C 1.2 and as CUDA, by each compiler found
. tests/sim/lib.sh

# The text that a driver gets, for processors of three makers.
sed -n 's/^"\(.*\)\\n",$/\1/p' "$BUILD/gpu/opencl_source.c" |
    sed 's/\\\([\\"]\)/\1/g' >kernels.cl
check 'the kernels are in the library' grep -q '^KERNEL node_finish' kernels.cl
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

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    oldest=$("$nvcc" --list-gpu-arch | sort -t _ -k 2n | sed -n 1p)
    cd "$root" || exit 1
    "$nvcc" -ptx -arch="$oldest" -Werror all-warnings -I. \
        -o "$work/kernels.ptx" stackdist/gpu/kernels.cu >"$work/out" 2>"$work/err"
    status=$?
    cd "$work" || exit 1
    check "CUDA, for $oldest, without a warning" test $status = 0
    check 'all kernels are in it' test \
        "$(grep -c '^\.visible \.entry' kernels.ptx)" = \
        "$(grep -c '^MARGAY_KERNEL' "$root/stackdist/gpu/kernels.def")"
else
    skip 'CUDA, without a warning' 'no nvcc'
fi
finish
