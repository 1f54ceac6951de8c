#!/bin/sh
# filter.t - the trace of what a cache lets through: the command around what
# tests/sim/test_filter.c holds against lists
. tests/sim/lib.sh

perl -e 'srand 18; for (1 .. 4000) {
    printf "%d %x\n", rand 3, 64 * int(rand(rand() < 0.7 ? 40 : 700)) + rand 64
}' >random.din

# ------------------------------------------------------ it fits the others --
run filter -q --bytes 4K --ways 4 --to din -o small.din random.din
run filter -q --sets 16 --ways 4 --to din -o same.din random.din
check 'bytes and ways say the sets' cmp -s small.din same.din
run filter -q --bytes 6400 --to din -o full.din random.din
run filter -q --sets 1 --ways 100 --to din -o same.din random.din
check 'bytes alone are fully associative' cmp -s full.din same.din
for write in back through; do
    "$MARGAY" assoc -q --sets 16 --ways 4 --write $write random.din >table
    run filter -q --sets 16 --ways 4 --write $write --to din random.din
    is "write-$write: reads and fetches are the misses that assoc counts" \
        "$(grep -c '^[02]' out)" "$(awk -F, 'NR == 2 { print $7 }' table)"
    is "write-$write: writes are what it writes" "$(grep -c '^1' out)" \
        "$(awk -F, 'NR == 2 { print $11 / 64 }' table)"
done

# Behind the filter stands anything.
"$MARGAY" filter -q --sets 16 --ways 4 --to mgt -o small.mgt random.din
"$MARGAY" curve -q --sizes all small.mgt | cut -d, -f3- >from_mgt
"$MARGAY" curve -q --sizes all small.din | cut -d, -f3- >from_din
check 'a compact trace of it is the same' cmp -s from_mgt from_din
"$MARGAY" filter -q --sets 16 --ways 4 --to din random.din |
    "$MARGAY" curve -q -f din --sizes all - | cut -d, -f3- >from_pipe
check 'through a pipe, too' cmp -s from_pipe from_din
"$MARGAY" filter -q -b 128 --sets 16 --ways 4 --to u64 -o wide.u64 random.din
is 'the first byte of each block' \
    "$("$MARGAY" distances -q --ids wide.u64 | awk -F, \
        'NR > 1 && $4 % 128 != 0' | wc -l)" 0

# Ids stay ids; with a unit they can be addresses.
printf '%s\n' 5 6 5 7 5 >ids.lines
run filter -q --sets 1 --ways 1 --to lines ids.lines
is 'ids' "$(tr '\n' ' ' <out)" '5 6 5 7 5 '
run filter -q --sets 1 --ways 1 --unit 512 --to arc ids.lines
is 'units of a format' "$(cut -d' ' -f1,2 out | tr '\n' ';')" \
    '5 1;6 1;5 1;7 1;5 1;'
run filter -q --sets 1 --ways 1 --unit 4096 --to arc ids.lines
is 'and more of them' "$(cut -d' ' -f1,2 out | head -n 1)" '40 8'

# A block of 128 bytes is asked for as a whole.
printf '0 1000\n0 1080\n' >two.din
run filter -q --sets 1 --ways 1 -b 128 --to mgt -o two.mgt two.din
is 'blocks of another size are split' "$("$MARGAY" curve -q -b 64 --sizes 1 \
    two.mgt | cut -d, -f5 | tail -n 1)" 4

run filter --policy fifo --sets 2 --ways 2 --to din -o /dev/null random.din
like 'what came and went is said' "$(cat err)" \
    'random.din: 4000 references, [0-9]* misses .*, [0-9]* blocks written'
refuses_filter() { # PATTERN ARGUMENT...
    pattern=$1
    shift
    run filter "$@"
    is "filter $*: status, output" "$status $(wc -c <out)" '2 0'
    like 'why' "$(cat err)" "$pattern"
}
refuses_filter '--to FORMAT is needed' --sets 1 --ways 1 random.din
refuses_filter 'which cache' --to din random.din
refuses_filter '--sets: 16777217' --sets 16777217 --ways 1 --to din random.din
refuses_filter '3 sets' --sets 3 --index xor --ways 1 --to din random.din
refuses_filter '--bytes and --sets' --bytes 64 --sets 1 --ways 1 --to din \
    random.din
refuses_filter '100 bytes' --bytes 100 --to din random.din
refuses_filter 'one block size' -b 64,128 --sets 1 --ways 1 --to din random.din
refuses_filter 'opt' --policy opt --sets 1 --ways 1 --to din random.din
refuses_filter 'what an id stands for' --sets 1 --ways 1 --to din ids.lines
refuses_filter 'kinds' --write back --sets 1 --ways 1 --to lines ids.lines
finish
