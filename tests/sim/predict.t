#!/bin/sh
# predict.t - how near predictions come, and who reads them; tests/frozen has what
# is refused
. tests/sim/lib.sh

# A matrix multiplication of $1 x $1 elements, as a table.
multiply() {
    "$MARGAY" generate matmul -q --blocks $((3 * $1 * $1)) \
        --refs $(($1 * $1 * (2 * $1 + 1))) --to u64 |
        "$MARGAY" histogram -q -f u64 -b 8 -o "m$1.csv" ${2-}
}
for n in 12 18 27 60; do
    multiply $n
done
runs='m12.csv=144 m18.csv=324 m27.csv=729'
# shellcheck disable=SC2086
predicts() {
    run predict --size 3600 --truth m60.csv $runs "$@"
}
# accuracy_of NAME LEAST: what stderr says, and that "no change" is worse.
accuracy_of() {
    line=$(grep 'accuracy .* no_change' err | grep -v largest)
    like "$1: a line of fractions" "$line" \
        '^margay predict: accuracy [01]\.[0-9]{4,} no_change [01]\.[0-9]{4,}$'
    check "$1: accurate" test "$(echo "$line" |
        awk -v least="$2" '{ print($4 >= least && $4 > $6 + 0.3) }')" = 1
}

# -------------------------------------------------------------- methods --
predicts
accuracy_of 'by default' 0.99
is 'a million references, shares of 1' "$(awk -F, '
    NR > 1 { n += $5; s += $6 } END { printf "%d %.6f", n, s }' out)" \
    '1000000 1.000000'
like 'the check is told' "$(cat err)" \
    'largest run, from the others: accuracy 1\.0000, no change 0\.5000'
like 'and so is trust' "$(cat err)" ' of the patterns: trusted$'
like 'the patterns are named' "$(cat err)" 'sizes 144 to 729; patterns of 2-d'
cp out single.csv
for bins in reference log2 loglinear linear:32; do
    predicts --method multi --bins $bins -q
    accuracy_of "multi/$bins" 0.85
done
predicts --bins log2
cp out log2.csv
predicts --method multi
check 'bins choose the method, and the method bins' cmp -s out log2.csv
predicts --method single --bins reference:1000 --pattern 2d
check 'what is found by itself can be said' cmp -s out single.csv
predicts --plain
accuracy_of 'as published' 0.99
run predict --size 3600 m12.csv=144 m18.csv=324 --truth m60.csv
accuracy_of 'from two runs' 0.99
# Small cubes are mostly borders.
for n in 6 8; do
    "$MARGAY" generate stencil3d -q --blocks $((2 * n * n * n)) \
        --refs $((32 * (n - 2) * (n - 2) * (n - 2))) --to u64 -o cube.u64
    "$MARGAY" histogram -q -f u64 -b 8 cube.u64 -o cube$n.csv
done
run predict --size 21952 cube6.csv=216 cube8.csv=512
like 'cubes of 6 and 8 are not trusted' "$(cat err)" 'not trusted, the prediction is no change'
"$MARGAY" generate loop -q --blocks 60 --refs 600 --to u64 --unit 8 -o loop60.u64
"$MARGAY" generate loop -q --blocks 120 --refs 1200 --to u64 --unit 8 -o loop120.u64
"$MARGAY" histogram -q -f u64 -b 8 loop60.u64 -o loop60.csv
"$MARGAY" histogram -q -f u64 -b 8 loop120.u64 -o loop120.csv
run predict --size 960 loop60.csv=60 loop120.csv=120
like 'nor is little data' "$(cat err)" 'not trusted, the prediction is no change'
like 'and it says why' "$(cat err)" 'largest run has data of 120 blocks, fewer than the 200 '

# ------------------------------------------------------ smaller sizes --
run predict --size 144 m18.csv=324 m27.csv=729 m60.csv=3600 --truth m12.csv
accuracy_of 'of a size below the runs' 0.99
like 'which the smallest run checks' "$(cat err)" 'smallest run, from the others'
like 'and judges' "$(cat err)" \
    'from the second smallest run to the smallest is none of the patterns: trusted'
run predict --size 144 m18.csv=324 m27.csv=729 m60.csv=3600 --save-model down.model
cp out down.csv
run predict --size 144 --load-model down.model
check 'the same from a file' cmp -s out down.csv
run predict --size 64 cube6.csv=216 cube8.csv=512 --references 100000
like 'no trust, downwards' "$(cat err)" 'not trusted, the prediction is no change'
run overlap out cube6.csv
check 'no change is the smallest run then' awk \
    '{ exit !($NF > 0.9999) }' out
run predict --size 60 m12.csv=12 m18.csv=18 m27.csv=27 --truth m60.csv
accuracy_of 'from sides of squares' 0.99
like 'which are told' "$(cat err)" 'the sizes are sides of squares'
cp m12.csv 'a=1.csv'
run predict --size 3600 m27.csv=729 'a=1.csv=144' m18.csv=324
check 'the runs come in any order, and the last = counts' cmp -s out single.csv

# ----------------------------------------------------- who reads it then --
run curve --from single.csv --sizes pow2
cp out curve.csv
predicts --curve --sizes pow2
check '--curve is the curve of the histogram' cmp -s out curve.csv
run curve --from single.csv --sizes all --histogram again.csv
check 'it can be read back whole' cmp -s again.csv single.csv
for n in 8 12 16; do
    "$MARGAY" generate stencil3d -q --blocks $((2 * n * n * n)) \
        --refs $((32 * (n - 2) * (n - 2) * (n - 2))) --to u64 |
        "$MARGAY" histogram -q -f u64 -b 8 -o "s$n.csv"
done
run predict --size 64000 --references 1000 -o far.csv \
    s8.csv=512 s12.csv=1728 s16.csv=4096
is 'shares of few references: no 0, few cold ones' "$(awk -F, '
    NR > 1 && $3 == 0 { none = 1 } $3 == "inf" { print none + 0, ($5 < last) }
    { last = $3 }' far.csv)" '0 1'
run curve --from far.csv --sizes 1,64000
is 'and their curve is drawn' "$status $(wc -l <out)" '0 3'

# --------------------------------------------------------------- models --
run predict m12.csv=144 m18.csv=324 m27.csv=729 --save-model model
is 'a model alone writes nothing else' "$status $(cat out)" '0 '
predicts
cp err said
run predict --size 3600 --load-model model --truth m60.csv
check 'it predicts the same' cmp -s out single.csv
check 'and says the same' cmp -s err said

# ------------------------------------------------------ all three steps --
"$MARGAY" generate matmul -q --blocks 10800 --refs 435600 --to u64 -o m60.u64
run compare -f u64 -b 8 --sets 1..64 --ways 1,4 --prediction single.csv m60.u64
check 'errors are what they are called' test "$(awk -F, '
    function far(x) { return x > 1e-9 || x < -1e-9 }
    NR > 1 { bad += far($18 - ($16 - $9)) + far($19 - ($17 - $8)) + \
        far($12 - ($10 - $8)); n++ }
    END { print n, bad + 0 }' out)" = '14 0'
check 'and small for predicted distances' test "$(awk -F, '
    NR > 1 && ($18 > 0.01 || $18 < -0.01) { bad++ }
    END { print bad + 0 }' out)" = 0
like 'with a summary of them' "$(cat err)" \
    '4 ways: signature error 0\.0[0-9]* on average, 0\.0[0-9]* at most; total'

# -------------------------------------------------------------- sampling --
for n in 24 36 54 90; do
    "$MARGAY" generate stencil -q --blocks $((2 * n * n)) \
        --refs $((30 * (n - 2) * (n - 2))) --to u64 -o s$n.u64
done
run predict --sample -f u64 -b 8 s24.u64=576 s36.u64=1296 s54.u64=2916 s90.u64
check 'a size within a tenth of the true one' test "$(awk -F, '
    $1 == "s90.u64" && $10 != "" { print($10 > 7290 && $10 < 8910) }' out)" = 1
is 'those given stand beside' "$(awk -F, '
    $1 != "s90.u64" && $10 != "" { print $10 }' out | sort -nu | tr '\n' ' ')" \
    'size 576 1296 2916 '
like 'and what was found is said' "$(cat err)" \
    's90.u64: input size [0-9.]+, coverage 0\.[0-9]{4}'
run predict --sample -f u64 -b 8 --qualification 3000 --temporal 2000 \
    --spatial 100 --samples 5 --peaks 1 s90.u64
check 'thresholds can be given' test "$(sed 1d out | wc -l)" = 5
like 'and stay' "$(cat err)" '5 peaks, qualification 3000, temporal 2000, spatial 100'

# --------------------------------------------------------------- a picture --
if command -v gnuplot >/dev/null; then
    predicts --curve --with-runs -q -o curves.csv
    run plot curves.csv -o curves.svg
    is 'a picture of prediction, truth and runs' "$status$(cat err)" 0
    for text in 'predicted 3600' 'truth: m60.csv' 'm12.csv=144' 'miss ratio'; do
        check "it shows: $text" grep -Fq "$text" curves.svg
    done
else
    skip 'a picture of prediction, truth and runs' 'gnuplot is not installed'
fi

finish
