#!/bin/sh
# bench.t - what `make bench-gpu` runs, on drivers that emulate
. tests/sim/lib.sh

LD_LIBRARY_PATH=$BUILD/tests/gpu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

"$MARGAY" generate zipf --refs 20000 --blocks 2000 --to u64 -o W1-20000.u64 -q

# measure BACKEND DEVICE: with the tables in files/ or out/.
measure() {
    (cd "$root" && exec perl tests/papers/device.pl --quick "$MARGAY" \
        "$BUILD/tests/bench" "$work/files" "$work/out" "$1" "$2" \
        "$work/W1-20000.u64") >out.text 2>err
    status=$?
}

measure opencl 1
is 'a processor is measured beside the pages' \
    "$status $(test -e out; echo $?) $(ls files/tables | tr '\n' ' ')" \
    '0 1 gpu-speed.csv hp-rda-device.csv '
like 'and said to be one' "$(tr '\n' ' ' <err)" 'fake processor is a processor'
measure auto 0
is 'a device is measured for them' "$status $(ls out/tables | tr '\n' ' ')" \
    '0 gpu-speed.csv hp-rda-device.csv '
like 'it is named, with what it does' "$(tail -n 1 out/tables/gpu-speed.csv)" \
    '^W1,fake device,20000,[0-9.]+,[0-9.]+,'
is 'with the six traces of hp-rda' \
    "$(grep -c ',fake device,100000,' out/tables/hp-rda-device.csv)" 6
for table in gpu-speed hp-rda-device; do
    is "$table has the columns of the page" \
        "$(head -n 1 "out/tables/$table.csv")" \
        "$(head -n 1 "$root/docs/measured/tables/$table.csv")"
done
measure opencl 9
like 'no such device' "$status $(tail -n 1 err)" \
    '^[1-9][0-9]* device: there is no device 9 of opencl'
finish
