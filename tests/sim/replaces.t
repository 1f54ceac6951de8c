#!/bin/sh
# replaces.t - what is written takes the place of nothing that is read
. tests/sim/lib.sh

"$MARGAY" generate zipf --refs 1000 --blocks 99 --to hex -o t.hex
"$MARGAY" generate zipf --refs 2000 --blocks 198 --to hex -o u.hex
"$MARGAY" histogram -q t.hex -o h.csv
"$MARGAY" histogram -q u.hex -o i.csv
"$MARGAY" curve -q t.hex --save s >/dev/null
"$MARGAY" predict -q h.csv=1 i.csv=2 --save-model m
printf 'name,from,to\na,0,99\n' >map.csv
mkdir sub
ln t.hex hard.hex
ln -s t.hex soft.hex
cp t.hex t.hex.snapshot
for file in t.hex h.csv i.csv s m map.csv t.hex.snapshot; do
    cp $file "kept.$file"
done
unharmed() {
    for file in t.hex h.csv i.csv s m map.csv t.hex.snapshot; do
        cmp -s $file "kept.$file" || return 1
    done
    no_leftovers
}

# ----------------------------------------------------- inputs and outputs --
for place in t.hex ./t.hex sub/../t.hex hard.hex soft.hex "$PWD/t.hex"; do
    for command in curve histogram distances info assoc compare; do
        refuses "--output: '$place' is the trace" $command t.hex -o "$place"
    done
    refuses "--histogram: '$place' is the trace" \
        curve t.hex --histogram "$place"
    refuses "--save: '$place' is the trace" curve t.hex --save "$place"
    refuses "OUT: '$place' is the trace" convert --to hex t.hex "$place"
done
for command in curve histogram distances info assoc compare; do
    refuses "--output: 't.hex' is the trace" $command -o t.hex <t.hex
    refuses "--output: 't.hex' is the trace" $command - -o t.hex <hard.hex
    refuses "--output: 't.hex' is the trace" $command /dev/stdin -o t.hex \
        <t.hex
done
refuses "OUT: 't.hex' is the trace" convert --to hex - t.hex <t.hex
refuses "--every: 't.hex.snapshot' is the trace" \
    curve --every 9 -o t.hex t.hex.snapshot
refuses "--every: '\./t.hex.snapshot' is the trace" \
    histogram --every 9 -o ./t.hex - <t.hex.snapshot
refuses "--output: 's' is what --resume reads" curve --resume s -o s t.hex
refuses "--output: 'h.csv' is what --from reads" curve --from h.csv -o h.csv
refuses "--output: 'h.csv' is what --from reads" \
    generate histogram --from h.csv --refs 9 --to hex -o h.csv
refuses "--output: 'map.csv' is what --by reads" \
    histogram --by region=map.csv -o map.csv t.hex
refuses "--output: 'h.csv' is what --prediction reads" \
    compare --prediction h.csv -o h.csv t.hex
refuses "--output: 't.hex' is what --run reads" engines --run t.hex -o t.hex
refuses "--output: 'h.csv' is a run" \
    predict h.csv=1 i.csv=2 --size 3 -o h.csv
refuses "--save-model: 'i.csv' is a run" \
    predict h.csv=1 i.csv=2 --save-model i.csv
refuses "--output: 'm' is what --load-model reads" \
    predict --load-model m --size 3 -o m
refuses "--output: 'h.csv' is what --truth reads" \
    predict i.csv=1 i.csv=2 --size 3 --truth h.csv -o h.csv
refuses "--output: 'h.csv' is a table" plot h.csv -o h.csv

status=0
cp t.hex appended.hex
"$MARGAY" curve appended.hex 2>err >>appended.hex || status=$?
is 'a table is not appended to its trace' \
    "$status $(sed 's/^margay curve: //' err)" \
    "2 standard output is the trace 'appended.hex'"
check 'which stays as it was' cmp -s appended.hex t.hex

# A program is not replaced by its own trace.
cp /bin/true program
for place in program ./program sub/../program; do
    "$MARGAY" record -o $place ./program >out 2>err
    like "a program and its trace $place" "$? $(cat err)" \
        "^125 .*--output: '$place' is the program"
done
check 'the program is still there' cmp -s program /bin/true

# --------------------------------------------------------- among outputs --
for place in o.csv ./o.csv sub/../o.csv "$PWD/o.csv"; do
    refuses "--histogram: '$place' is where the curve goes" \
        curve -o o.csv --histogram "$place" t.hex
    refuses "--save: '$place' is where a table goes" \
        curve -o o.csv --save "$place" t.hex
    refuses "--save: '$place' is where a table goes" \
        curve --histogram o.csv --save "$place" t.hex
    refuses "--histogram: '$place.snapshot' is where a snapshot goes" \
        curve --every 9 -o o.csv --histogram "$place.snapshot" t.hex
    refuses "--save: '$place.snapshot' is where a table goes" \
        curve --every 9 -o o.csv --save "$place.snapshot" t.hex
    refuses "--save-model: '$place' is where a table goes" \
        predict h.csv=1 i.csv=2 --size 3 -o o.csv --save-model "$place"
    [ "$place" != "$PWD/o.csv" ] || break
done
ln -s o.csv dangling
refuses "--save: 'dangling' is where a table goes" \
    curve -o o.csv --save dangling t.hex
refuses "--save: '-' is where a table goes" curve --save - t.hex
"$MARGAY" curve --histogram /dev/stdout t.hex 2>err | cat >out
is 'two tables on one pipe' "$(cat out; sed 's/^margay curve: //' err)" \
    "--histogram: '/dev/stdout' is where the curve goes"
check 'nothing of all that was harmed' unharmed
check 'nor made' [ ! -e o.csv ]

# ------------------------------------------------------- what is no harm --
run curve -q --resume s --save s t.hex
is 'a state may replace itself' "$status" 0
run curve -q -o /dev/null --histogram /dev/null t.hex
is 'devices take two outputs' "$status" 0
run curve -q -o o.csv --histogram sub/o.csv t.hex
is 'the same name in two directories' "$status" 0
run curve -q -o o.csv --histogram sub/o.csv t.hex
is 'and when they are there' "$status" 0
run curve -q --every 500 -o o.csv --save state u.hex
is 'a table, its snapshot and a state' "$status" 0
finish
