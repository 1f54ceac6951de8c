#!/bin/sh
# serial.t - what -v says of the share of the work that threads cannot divide
. tests/sim/lib.sh
"$MARGAY" generate -q zipf --refs 600000 --blocks 20000 --to u64 -o one.u64
"$MARGAY" convert -q --ids --unit 1 one.u64 --to hex -o one.hex
gzip -k one.hex

# share NAME LEAST MOST OPTION...: the serial share in per cent is within bounds,
# and the two threads have no more than all.
share() {
    name=$1
    least=$2
    most=$3
    shift 3
    run "$@"
    is "$name: status" "$status" 0
    check "$name: $(sed -n 's/.*analysed in [0-9]/&/p' err)" awk -v least="$least" \
        -v most="$most" '
        match($0, /: analysed in [0-9.]+ s of the processor, [0-9]+% of them serial: [0-9.]+ s of the leading thread, [0-9.]+ s of the reading one; the (leading|reading) one is the limit$/) {
            split(substr($0, RSTART + 14), word, / /)
            share = word[6] + 0
            good = share >= least && share <= most &&
                word[10] + word[16] <= word[1] + 0.003
            found++
        }
        END { exit !(found == 1 && good) }' err
}
silent() {
    run "$@" && [ "$status" -eq 0 ] && ! grep -q serial err
}

share 'a file in two parts' 0 60 curve -v -j 2 --ids one.u64
share 'a search tree in order' 70 100 curve -v -j 1 -e olken --ids one.u64
share 'text that is decompressed by another thread' 20 99 \
    curve -v -j 1 --ids one.hex.gz
share 'sizes of blocks at the same time' 0 90 \
    curve -v -j 2 -b 16,64 -e olken one.hex
check 'nothing is said of traces that share the threads' \
    silent curve -v -j 2 --ids one.u64 one.u64
check 'nor without -v' silent curve -j 2 --ids one.u64
finish
