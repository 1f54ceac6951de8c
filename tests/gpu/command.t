#!/bin/sh
# command.t - the command with devices, on drivers that emulate and fail
. tests/sim/lib.sh

LD_LIBRARY_PATH=$BUILD/tests/gpu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

"$MARGAY" generate zipf --refs 20000 --blocks 2000 --to lines -o zipf -q
: >empty.lines

run version
like 'the devices are listed' "$(grep '^devices: *opencl' out | tr '\n' ' ')" \
    'opencl 0: fake device, 1.0 GiB .*opencl 1: fake processor, .*processor\)'

# ------------------------------------------------- as exact, to the byte --
for options in '' '--bound 300' '--warmup 5000' '--sizes all' '-b 1,4 --unit 1'
do
    # shellcheck disable=SC2086
    run curve -q -e exact $options zipf
    cp out expected
    for engine in gpu gpu:backend=opencl,device=1 gpu:transfer=1000 \
        gpu:backend=emulate; do
        # shellcheck disable=SC2086
        run curve -q -e $engine $options zipf
        check "curve -e $engine $options" cmp -s out expected
    done
done
run histogram -q --bins exact -e exact zipf zipf
cp out expected
run histogram -q --bins exact -e gpu zipf zipf
check 'histogram, of two traces' cmp -s out expected
run histogram -q -j 4 --bins exact -e gpu zipf zipf
check 'the same at once' cmp -s out expected
run distances -q -e exact zipf
cp out expected
run distances -q -e gpu:backend=emulate zipf
check 'distances' cmp -s out expected
run curve -q -e gpu empty.lines
is 'an empty trace: the header only' "$status $(wc -l <out)" '0 1'

run curve -q -e hp-rda zipf
cp out expected
run curve -q -e hp-rda:backend=auto zipf
check 'hp-rda:backend=auto' cmp -s out expected
run curve -q -e hp-rda:st=64,nb=4 zipf
cp out expected
FAKE_MEMORY=40000
export FAKE_MEMORY
run curve -q -e hp-rda:st=64,nb=4,backend=opencl zipf
check 'hp-rda, a thread block or two at a time' cmp -s out expected
FAKE_MEMORY=10000
refuses 'no memory for .* bytes more' \
    curve -q -e hp-rda:st=64,nb=4,backend=opencl zipf
unset FAKE_MEMORY

# ----------------------------------------------------- what may go wrong --
refuses 'gpu: opencl has no device 2, only 2' curve -e gpu:device=2 zipf
refuses 'gpu: no device by way of cuda' curve -e gpu:backend=cuda zipf
fails_with() {
    FAKE_FAIL=$1 FAKE_MEMORY=${3-1000000000}
    export FAKE_FAIL FAKE_MEMORY
    refuses "$2" curve -e gpu:transfer=1000 zipf
    unset FAKE_FAIL FAKE_MEMORY
}
fails_with clGetPlatformIDs:1 'finds no driver .Debian: .*pocl-opencl-icd'
fails_with clBuildProgram:1 \
    'cannot compile the kernels: CL_BUILD_PROGRAM_FAILURE \(-11\): line 7: error:  no such thing'
fails_with clEnqueueNDRangeKernel:500 \
    'opencl device 0 \(fake device\) failed: clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES'
fails_with clEnqueueReadBuffer:6 'failed: clEnqueueReadBuffer'
FAKE_FAIL=clEnqueueReadBuffer:2
export FAKE_FAIL
refuses 'failed: clEnqueueReadBuffer' curve -e hp-rda:backend=opencl zipf
unset FAKE_FAIL
fails_with none:1 'too little memory for an LRU stack of .* blocks' 100000
FAKE_MEMORY=400000
export FAKE_MEMORY
run curve -q -e gpu:transfer=10000 zipf
cp out short
unset FAKE_MEMORY
run curve -q zipf
check 'little memory, shorter transfers' cmp -s out short

LD_LIBRARY_PATH=
run curve -q -e gpu:backend=opencl,device=9 zipf
is 'the real drivers: no such device' "$status" 2
finish
