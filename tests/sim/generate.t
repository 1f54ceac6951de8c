#!/bin/sh
# generate.t - traces from histograms have their curves; tests/frozen has others
. tests/sim/lib.sh

"$MARGAY" generate zipf --refs 20000 --blocks 300 --to u32 -o zipf.u32
# Where bins end, and nothing has been spread over a bin.
for bins in exact log2 loglinear linear:16 reference:20; do
    "$MARGAY" histogram -q --ids --bins $bins zipf.u32 -o target.csv
    run generate histogram --from target.csv --refs 20000 --to u32 -o made.u32
    "$MARGAY" curve -q --ids --sizes 16,64,128 zipf.u32 made.u32 >curve.csv
    is "$bins: the same curve, to a hundredth" "$status $(awk -F, 'NR > 1 {
        if (!($3 in first)) first[$3] = $7
        else if ((d = $7 - first[$3]) > 0.01 || d < -0.01) print $0 }' curve.csv)" \
        '0 '
done

# The largest number is a number like others.
"$MARGAY" generate uniform --refs 18446744073709551615 --blocks 4 --to u64 \
    2>err | head -c 80 >most
is 'as many as 64 bits can count' "$(wc -c <most)$(cat err)" 80
finish
