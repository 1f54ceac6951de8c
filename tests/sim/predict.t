#!/bin/sh
# predict.t - the distances of sizes that were never run
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
is 'the columns of a histogram' "$(head -n 1 out)" \
    trace,block_bytes,distance_from,distance_to,references,share
is 'a million references, shares of 1' "$(awk -F, '
    NR > 1 { n += $5; s += $6 } END { printf "%d %.6f", n, s }' out)" \
    '1000000 1.000000'
like 'cold references end it' "$(tail -n 1 out)" '^predicted 3600,8,inf,inf,'
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
# Small cubes are mostly borders: no method is to be worse than no change.
for n in 6 8 10 12 16 20 28; do
    "$MARGAY" generate stencil3d -q --blocks $((2 * n * n * n)) \
        --refs $((32 * (n - 2) * (n - 2) * (n - 2))) --to u64 -o cube.u64
    "$MARGAY" histogram -q -f u64 -b 8 cube.u64 -o cube$n.csv
done
for cubes in '6 8' '8 10' '10 12' '12 16' '6 8 10' '8 10 12' '10 12 16' '12 16 20'; do
    small=
    for n in $cubes; do
        small="$small cube$n.csv=$((n * n * n))"
    done
    for method in '--method single' '--bins log2' '--bins loglinear' '--method multi'; do
        # shellcheck disable=SC2086 # words
        run predict $method --size 21952 $small --truth cube28.csv
        like "cubes of $cubes, $method: trust is told" "$(cat err)" \
            'patterns: (trusted|not trusted, the prediction is no change)$'
        check "cubes of $cubes, $method: not worse than no change" test "$(
            sed -n 's/.*: accuracy \(.*\) no_change \(.*\)/\1 \2/p' err |
                awk '{ print ($1 >= $2 - 0.0001) }')" = 1
    done
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
run predict --size 3600 m27.csv=729 m12.csv=144.0 m18.csv=324
check 'the runs come in any order' cmp -s out single.csv
cp m12.csv 'a=1.csv'
run predict --size 3600 'a=1.csv=144' m18.csv=324 m27.csv=729
check 'the last = counts' cmp -s out single.csv
predicts --references 1000
is 'as many references as asked for' \
    "$(awk -F, 'NR > 1 { n += $5 } END { print n }' out)" 1000

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
"$MARGAY" generate histogram --from single.csv --refs 30000 --to lines -q |
    "$MARGAY" histogram -q -f lines >regenerated.csv 2>err
check 'a trace can be made of it' test "$(wc -l <regenerated.csv)" -gt 5
predicts --curve --with-runs --sizes 64,256
is 'with runs, by role' "$(cut -d, -f1-4 out | tr '\n' ' ')" \
    'role,trace,block_bytes,cache_blocks training,m12.csv=144,8,64 training,m12.csv=144,8,256 training,m18.csv=324,8,64 training,m18.csv=324,8,256 training,m27.csv=729,8,64 training,m27.csv=729,8,256 truth,m60.csv,8,64 truth,m60.csv,8,256 prediction,predicted 3600,8,64 prediction,predicted 3600,8,256 '

# --------------------------------------------------------------- models --
run predict m12.csv=144 m18.csv=324 m27.csv=729 --save-model model
is 'a model alone writes nothing else' "$status $(cat out)" '0 '
predicts
cp err said
run predict --size 3600 --load-model model --truth m60.csv
check 'it predicts the same' cmp -s out single.csv
check 'and says the same' cmp -s err said
head -c 200 model >"cut"
refuses 'cut: the model is damaged or cut short: byte [0-9]*: found the end' \
    predict --size 9 --load-model cut
refuses '/dev/zero: not a model' predict --load-model /dev/zero --size 16
refuses 'm12.csv: not a model that --save-model wrote' \
    predict --size 9 --load-model m12.csv
{ head -c 8 model; printf '\002'; tail -c +10 model; } >other
refuses 'other: a model of version 2, expected version 1' \
    predict --size 9 --load-model other
refuses 'no.model: No such file' predict --size 9 --load-model no.model
refuses 'm12.csv=144' predict --size 9 --load-model model m12.csv=144
refuses 'would be the same' predict --load-model model --save-model m2

# ------------------------------------------------------ all three steps --
"$MARGAY" generate matmul -q --blocks 10800 --refs 435600 --to u64 -o m60.u64
run compare -f u64 -b 8 --sets 1..64 --ways 1,4 --prediction single.csv m60.u64
is 'compare goes on with the signature' "$(head -n 1 out | cut -d, -f16-)" \
    signature_fully_associative,signature_binomial,error_signature,error_total
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
refuses 'blocks of 8 bytes, expected blocks of 64 bytes as in m60.u64' \
    compare -f u64 --prediction single.csv m60.u64
refuses 'one trace at one block size' \
    compare -f u64 -b 8,16 --prediction single.csv m60.u64

# -------------------------------------------------------------- sampling --
for n in 24 36 54 90; do
    "$MARGAY" generate stencil -q --blocks $((2 * n * n)) \
        --refs $((30 * (n - 2) * (n - 2))) --to u64 -o s$n.u64
done
run predict --sample -f u64 -b 8 s24.u64=576 s36.u64=1296 s54.u64=2916 s90.u64
is 'the columns of peaks' "$(head -n 1 out)" \
    trace,block_bytes,sample,block,peak,index,known_index,coverage,distance,size
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
refuses 'expected 2 or more' predict --sample -f u64 -b 8 s24.u64=576 s90.u64
refuses 'no peak' predict --sample -f u64 -b 8 s24.u64=576 s24.u64=577
for needless in '--load-model m' '--save-model m' '--truth t.csv' '--size 9' \
    '--method single' '--bins log2' '--pattern 1d' --curve --with-runs --plain; do
    # shellcheck disable=SC2086 # one word or two
    refuses "\\${needless%% *} is for predictions" \
        predict --sample -f u64 -b 8 $needless s90.u64
done
refuses 'one block size' predict --sample -f u64 -b 8,64 s90.u64
refuses 'data samples' predict --sample -f u64 --samples 9999 s90.u64
refuses 'no.u64' predict --sample -f u64 no.u64

# --------------------------------------------------------------- a picture --
if command -v gnuplot >/dev/null; then
    predicts --curve --with-runs -q -o curves.csv
    run plot curves.csv -o curves.svg
    is 'a picture of prediction, truth and runs' "$status$(cat err)" 0
    for text in 'predicted 3600' 'truth: m60.csv' 'm12.csv=144' 'miss ratio'; do
        check "it shows: $text" grep -Fq "$text" curves.svg
    done
    refuses 'of another kind' plot curves.csv curve.csv -o both.svg
else
    skip 'a picture of prediction, truth and runs' 'gnuplot is not installed'
fi

# ------------------------------------------------------------- bad input --
multiply 13 -b64
refuses '0 runs to learn from, expected 2' predict --size 9
refuses '1 run to learn from, expected 2' predict --size 9 m12.csv=144
refuses 'two runs of size 5' predict --size 9 m12.csv=5 m18.csv=5.0
refuses '--size' predict m12.csv=1 m18.csv=2
for reading in '--block 64' '--format din' '--kind read' '--delimiter ;' \
    '--quote none' '--skip 1' '--limit 5' '--ids' '--unit 8'; do
    # shellcheck disable=SC2086
    refuses "${reading%% *} is for traces" \
        predict --size 9 m12.csv=144 m18.csv=324 $reading
done
for size in 0 -4 x '' inf 1e400; do
    refuses "above 0" predict --size 9 m12.csv=144 "m18.csv=$size"
done
refuses 'above 0' predict --size 0 m12.csv=144 m18.csv=324
refuses 'expected RUN.csv=SIZE' predict --size 9 m12.csv m18.csv=324
refuses 'm13.csv: found blocks of 64 bytes, expected blocks of 8 bytes as in' \
    predict --size 9 m12.csv=144 m13.csv=169
refuses 'm13.csv: found blocks of 64 bytes' \
    predict --size 9 m12.csv=144 m18.csv=324 --truth m13.csv
"$MARGAY" generate scan -q --blocks 500 --refs 500 --to lines |
    "$MARGAY" histogram -q -f lines >cold.csv
refuses 'cold.csv: no finite distance' predict --size 9 cold.csv=1 cold.csv=2
"$MARGAY" histogram -q -f lines /dev/null >empty.csv
refuses 'empty.csv: found no rows' predict --size 9 m12.csv=1 empty.csv=2
"$MARGAY" generate uniform -q --blocks 500 --refs 9000 --to lines -o u.lines
"$MARGAY" histogram -q u.lines --bins log2 >binned.csv
refuses 'binned.csv:4: found a bin from 2 to 4, expected one distance' \
    predict --size 9 binned.csv=1 m12.csv=2
"$MARGAY" histogram -q u.lines --bound 100 >bound.csv
refuses 'bound.csv:.*exceeded the bound of 100 blocks' \
    predict --size 9 bound.csv=1 m12.csv=2
{ cat m12.csv; sed 1d m18.csv; } >two.csv
refuses 'two.csv: a second histogram' predict --size 9 two.csv=1 m12.csv=2
refuses 'single method learns from reference bins' \
    predict --size 9 --method single --bins log2 m12.csv=1 m18.csv=2
refuses "multy.*did you mean 'multi'" predict --method multy --size 9
refuses 'exact' predict --bins exact --size 9
refuses '4d' predict --pattern 4d --size 9
refuses 'too large' predict --size 99999999999999999999999 m12.csv=144 m18.csv=324
refuses '--curve' predict --size 9 --with-runs m12.csv=144 m18.csv=324
refuses '--block is for traces' predict --size 9 -b 8 m12.csv=144 m18.csv=324
finish
