#!/bin/sh
# words.t - sizes, ratios and names as people write them
. tests/sim/lib.sh

letters dacbccgefafbcmtmacfbdcac >ids.lines
"$MARGAY" generate uniform --refs 3000 --blocks 400 --to hex -o a.hex -q

same() { # NAME, OPTIONS of curve, and the same in other words
    name=$1 plain=$2 words=$3
    # shellcheck disable=SC2086
    run curve -q a.hex $plain
    cp out plain
    # shellcheck disable=SC2086
    run curve -q a.hex $words
    check "$name: $words" cmp -s out plain
}
same 'decimals' '--sizes 1536' '--sizes 96KiB'
same 'decimals' '--sizes 96K' '--sizes 0.09375MiB'
same 'decimals' '--sizes 1536KiB,320B' '--sizes 1.5m,0.3125KB'
same 'T' '--sizes 2048GiB' '--sizes 2TiB'
same 'T' '--sizes 512GiB' '--sizes 0.5tb'
for size in 1.3K 0.0000001M 1. 1.5 .5K 1.5.5K 1..5K 1e3 20000000T 16777216.5T \
    1.K 1.5X; do
    run curve -q a.hex --sizes "$size"
    is "--sizes $size is none" "$status $(cat out)" '2 '
done
run curve -q a.hex --sizes 5X
like 'all suffixes are named' "$(cat err)" \
    'expected B, K, KB, KiB, M, MB, MiB, G, GB, GiB, T, TB or TiB'
run curve -q a.hex --sizes 1.25
like 'blocks are whole' "$(cat err)" "'1.25' is not a whole number$"

run curve -q a.hex --at-most 25%
sed 's/0.25/R/' err >percent
run curve -q a.hex --at-most 0.25
is 'a ratio in hundredths' "$(cat percent)" "$(sed 's/0.25/R/' err)"
for ratio in % 5%% -5% 5%5; do
    run curve -q a.hex --at-most=$ratio
    is "--at-most $ratio is none" "$status" 2
done

run curve -q ids.lines --sizes 3 --policy LRU,Fifo,S3FIFO:Small=0.2
is 'a parameter has its case' "$status" 2
run curve -q ids.lines --sizes 3 --policy lru,fifo,opt:bypass=on
sed 's/,[^,]*$//' out >expected
run curve -q ids.lines --sizes 3 --policy LRU,Fifo,OPT:bypass=on
is 'policies in any case' "$(sed 's/,[^,]*$//' out)" "$(cat expected)"
is 'named as given' "$(sed 1d out | sed 's/.*,//' | tr '\n' ' ')" \
    'LRU Fifo OPT:bypass=on '
run curve -q ids.lines --policy lru,LRU
like 'the same policy twice' "$(cat err)" 'LRU: given twice'
run curve -q ids.lines --policy S3FIF
like 'a policy that was meant' "$(cat err)" 'did you mean s3fifo'
run assoc -q --unit 64 ids.lines --policy Opt --sets 2 --ways 2
sed 's/,[^,]*$//' out >expected
run assoc -q --unit 64 ids.lines --policy opt --sets 2 --ways 2
is 'of sets, too' "$(sed 's/,[^,]*$//' out)" "$(cat expected)"
run simulate -q a.hex --machine intel-skylake
sed 's/^[^,]*//' out >expected
run simulate -q a.hex --machine Intel-SkyLake
is 'machines in any case' "$(sed 's/^[^,]*//' out)" "$(cat expected)"
run simulate -q a.hex --machine intel-haswel
like 'a machine that was meant' "$(cat err)" "did you mean 'intel-haswell'"
machines=$("$MARGAY" simulate --machine none a.hex 2>&1 |
    sed -n 's/.* one of \(.*\))$/\1/p' | sed 's/, /\n/g' | sort | paste -sd ' ')
is 'completion knows all machines' "$("$MARGAY" help --completion bash |
    sed -n 's/.*simulate,--machine) echo .FILES \(.*\). ;;/\1/p' | tr ' ' '\n' |
    sort | paste -sd ' ')" "$machines"
finish
