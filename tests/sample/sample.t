#!/bin/sh
# sample.t - the sample is what its README says, and `make run` works
. tests/sim/lib.sh

sample=$root/tests/sample/walk.lackey.xz
run info -q "$sample"
is 'format, references, kinds and blocks' \
    "$(sed -n '2,7p' out | cut -d, -f2 | tr '\n' ' ')" \
    'lackey 3576558 2570463 1006095 0 4414 '

run curve -q --sizes 8KiB,10KiB,38KiB,40KiB,116KiB,118KiB "$sample"
is 'the three working sets' "$(cut -d, -f6 out | tail -n 6 | tr '\n' ' ')" \
    "$(printf '%s ' 73401 65902 58347 46282 29130 4989)"

run phases -q "$sample"
is 'the walks over the three tables are phases' \
    "$(cut -d, -f4-6 out | tail -n 4 | tr '\n' ' ')" \
    '1679360,1089536, 1781760,102400, 2899968,1118208, 3576558,676590,4 '

check 'run.sh' sh -c "cd '$root' && sh tests/sample/run.sh '$MARGAY' \
    '$work/run' >'$work/said'"
check 'it leaves a table' test -s run/curve.csv
check 'it leaves a picture' test -s run/curve.png
like 'it says how often a cache of 64 KiB misses' "$(cat said)" \
    '^ +64 KiB  0\.01'
check 'it is short' test "$(wc -l <said)" -lt 15

finish
