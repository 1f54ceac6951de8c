#!/bin/sh
# driver.t - the command on a real OpenCL driver, if there is one
. tests/sim/lib.sh

"$MARGAY" version -v >version
grep -q '^devices: *opencl 0' version || {
    echo "1..0 # SKIP $(sed -n 's/^devices: *\(opencl: .*\)/\1/p' version)"
    exit 0
}
"$MARGAY" generate zipf --refs 30000 --blocks 3000 --to lines -o a -q
"$MARGAY" generate loop --refs 30000 --blocks 3000 --to lines -o b -q

# Nothing is compiled yet, and two traces want it at the same time.
POCL_CACHE_DIR=$work/pocl
export POCL_CACHE_DIR
run curve -q -j 2 -e hp-rda:backend=opencl a b
is 'two traces at once' "$status" 0
cp out got
run curve -q -e hp-rda a b
check 'as on the processor' cmp -s out got

# Each trial has a process of its own.
run engines --run a --ids -q --only hp-rda:backend=opencl,exact
is 'in a process that another one made' \
    "$status $(cut -d, -f1,2 out | tr '\n' ' ')" \
    '0 engine,references hp-rda:backend=opencl,30000 exact,30000 '
finish
