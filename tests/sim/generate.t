#!/bin/sh
# generate.t - traces from histograms, and of grids, by the command
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
"$MARGAY" generate histogram --from - --refs 20000 --to u32 <target.csv |
    cmp -s - made.u32
check 'from standard input, to standard output: the same bytes' test $? = 0
run generate histogram --from target.csv --refs 20000 --blocks 7 --to u32 \
    -o again.u32
check '--blocks does not matter' cmp -s made.u32 again.u32
run generate histogram --from target.csv --refs 20000 --seed 2 --to u32 \
    -o again.u32
check 'the seed does' test -s again.u32 -a "$(cmp -s made.u32 again.u32; echo $?)" = 1
run generate histogram --from target.csv --refs 20000 --unit 64 --to din \
    -o made.din
run info -q -b 64 made.din
like 'blocks become addresses' "$(cat out)" '^block_bytes,64$'
run generate histogram --from target.csv --refs 0 --to u32 -o none.u32
is 'no references' "$status $(wc -c <none.u32)" '0 0'
"$MARGAY" histogram -q --ids --bound 50 zipf.u32 -o bound.csv
run generate histogram --from bound.csv --refs 20000 --to u32 -o bound.u32
"$MARGAY" histogram -q --ids --bound 50 bound.u32 -o again.csv
is 'beyond a bound, blocks are new' "$(tail -n1 bound.csv | cut -d, -f3,4)" \
    "$(tail -n1 again.csv | cut -d, -f3,4)"

# ------------------------------------------------------------- refusals --
refuses 'histogram: --from HIST.csv is needed' \
    generate histogram --refs 4 --to u32
refuses '--from: zipf takes no histogram' \
    generate zipf --from target.csv --refs 4 --blocks 4 --to u32
"$MARGAY" histogram -q --ids zipf.u32 made.u32 -o two.csv
refuses 'two.csv: found a second histogram, of made.u32' \
    generate histogram --from two.csv --refs 4 --to u32
"$MARGAY" histogram -q /dev/null -o empty.csv
refuses 'empty.csv: found a table without rows' \
    generate histogram --from empty.csv --refs 4 --to u32
sed '$d' target.csv >cut.csv
refuses 'cut.csv:[0-9]*: the histogram of zipf.u32 ends without its row inf' \
    generate histogram --from cut.csv --refs 4 --to u32
refuses "curve.csv:1: found columns" \
    generate histogram --from curve.csv --refs 4 --to u32
sed '2s/,,[0-9]*,[0-9]*,/,,9,9,/' target.csv >thin.csv
refuses 'thin.csv:2: found a bin from 9 to 9, which holds no distance' \
    generate histogram --from thin.csv --refs 4 --to u32
sed 's/,[0-9]*,\([0-9.e-]*\)$/,0,\1/' target.csv >zero.csv
refuses 'zero.csv: a histogram without references' \
    generate histogram --from zero.csv --refs 4 --to u32
refuses "no.csv: No such file" \
    generate histogram --from no.csv --refs 4 --to u32
refuses 'unknown generator .histogam. .*did you mean .histogram' \
    generate histogam --refs 4 --blocks 4 --to u32

# ------------------------------------------------------------ the grids --
# A sweep of 6 x 6 inner points reads 5 and writes 1; corners are not touched.
run generate stencil --refs 216 --blocks 128 --to hex -o stencil.hex
run info -q -b 8 stencil.hex
is 'stencil' "$(grep -E '^(distinct_blocks|lowest|highest)' out | tr '\n' ' ')" \
    'distinct_blocks,96 lowest,0x8 highest,0x3b0 '
run generate stencil3d --refs 432 --blocks 432 --to hex -o stencil3d.hex
run info -q -b 8 stencil3d.hex
like 'stencil3d' "$(cat out)" 'references,432'
run generate -q fft --refs 999 --blocks 64 --to words -o fft.words
run generate -q fft --refs 999 --blocks 64 --to din -o fft.din
"$MARGAY" convert -q fft.words - --to din | cmp -s - fft.din
is 'words, which have no records by themselves' $? 0
run generate -q fft --refs 999 --blocks 8192 --to words -o fft.words
# Addresses are written as convert writes them.
for format in arc vscsi lines csv mgt; do
    run generate -q fft --refs 999 --blocks 8192 --to $format -o fft.$format
    run convert -q fft.words converted.$format --to $format
    unit='--unit 512'
    test $format != mgt || unit= # which takes addresses
    for trace in fft converted; do
        # shellcheck disable=SC2086 # none, or two words
        "$MARGAY" distances -q $unit $trace.$format |
            cut -d, -f2- >$trace.distances
    done
    check "$format: addresses as ids" cmp -s fft.distances converted.distances
    is "$format: all of them" "$(wc -l <fft.distances)" 1000
done
run generate -q zipf --refs 99 --blocks 50 --unit 512 --to arc -o units.arc
run generate -q zipf --refs 99 --blocks 50 --to arc -o ids.arc
check 'arc: addresses by --unit' cmp -s units.arc ids.arc
refuses '18 elements at least' generate stencil --refs 4 --blocks 17 --to hex
refuses '54 elements at least' generate stencil3d --refs 4 --blocks 53 --to hex
refuses '--unit: stencil makes addresses' \
    generate stencil --refs 4 --blocks 100 --unit 8 --to hex

# The largest number is a number like others.
"$MARGAY" generate uniform --refs 18446744073709551615 --blocks 4 --to u64 \
    2>err | head -c 80 >most
is 'as many as 64 bits can count' "$(wc -c <most)$(cat err)" 80
finish
