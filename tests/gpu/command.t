#!/bin/sh
# command.t - the command with devices, on drivers that emulate and fail
. tests/sim/lib.sh

LD_LIBRARY_PATH=$BUILD/tests/gpu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

"$MARGAY" generate zipf --refs 20000 --blocks 2000 --to lines -o zipf -q
: >empty.lines

run version -v
like 'the devices are listed' "$(grep '^devices: *opencl' out | tr '\n' ' ')" \
    'opencl 0: fake device, 1.0 GiB .*opencl 1: fake processor, .*processor\)'

# --------------------------------------- as on the processor, to the byte --
run curve -q -e hp-rda zipf
cp out expected
run curve -q -e hp-rda:backend=auto zipf
check 'hp-rda:backend=auto' cmp -s out expected
for adjust in times on; do
    unset FAKE_MEMORY
    run curve -q -e hp-rda:st=64,nb=4,adjust=$adjust zipf
    cp out expected
    for FAKE_MEMORY in 40000 150000; do
        export FAKE_MEMORY
        run curve -q -e hp-rda:st=64,nb=4,adjust=$adjust,backend=opencl zipf
        check "$adjust, $FAKE_MEMORY bytes: some thread blocks at a time" \
            cmp -s out expected
    done
done
FAKE_MEMORY=10000
refuses 'no memory for .* bytes more' \
    curve -q -e hp-rda:st=64,nb=4,backend=opencl zipf
unset FAKE_MEMORY

# ----------------------------------------------------- what may go wrong --
refuses 'gpu: opencl has no device 2, only 2' \
    curve -e hp-rda:backend=opencl,device=2 zipf
fails_with() {
    FAKE_FAIL=$1
    export FAKE_FAIL
    refuses "$2" curve -e hp-rda:st=64,nb=4,backend=opencl zipf
    unset FAKE_FAIL
}
fails_with clGetPlatformIDs:1 'finds no driver .Debian: .*pocl-opencl-icd'
fails_with clBuildProgram:1 \
    'cannot compile the kernels: CL_BUILD_PROGRAM_FAILURE \(-11\): line 7: error:  no such thing'
fails_with clEnqueueNDRangeKernel:50 \
    'opencl device 0 \(fake device\) failed: clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES'
fails_with clEnqueueReadBuffer:2 'failed: clEnqueueReadBuffer'

LD_LIBRARY_PATH=
run curve -q -e hp-rda:backend=opencl,device=9 zipf
is 'the real drivers: no such device' "$status" 2
finish
