#!/bin/sh
# bench.t - what `make bench-gpu` runs, on drivers that emulate
. tests/sim/lib.sh

LD_LIBRARY_PATH=$BUILD/tests/gpu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# measure BACKEND DEVICE: with the tables in files/ or out/.
measure() {
    (cd "$root" && exec perl tests/papers/device.pl --quick "$MARGAY" \
        "$BUILD/tests/bench" "$work/files" "$work/out" "$1" "$2") >out.text 2>err
    status=$?
}

measure opencl 1
is 'a processor is measured beside the pages' \
    "$status $(test -e out; echo $?) $(ls files/tables | tr '\n' ' ')" \
    '0 1 hp-rda-device-adjust.csv hp-rda-device-sweep.csv hp-rda-device.csv '
like 'and said to be one' "$(tr '\n' ' ' <err)" 'fake processor is a processor'
measure auto 0
is 'a device is measured for them' "$status $(find out/tables -name '*.csv' | wc -l)" \
    '0 3'
is 'with the six traces of hp-rda' \
    "$(grep -c ',fake device,20000,' out/tables/hp-rda-device.csv)" 6
for table in hp-rda-device hp-rda-device-adjust hp-rda-device-sweep; do
    is "$table has the columns of the page" \
        "$(head -n 1 out/tables/$table.csv)" \
        "$(head -n 1 "$root/docs/measured/tables/$table.csv")"
done
measure opencl 9
like 'no such device' "$status $(tail -n 1 err)" \
    '^[1-9][0-9]* device: there is no device 9 of opencl'
finish
