#!/bin/sh
# sample.t - a recording of a sample of the blocks says what the whole one says
. tests/sim/lib.sh
compiler=${CC:-cc}
# shellcheck disable=SC2046 # words
check 'a program is built' $compiler -O2 $("$MARGAY" record --cflags) \
    -o sampled "$root/tests/capture/sampled.c" $("$MARGAY" record --libs)
check 'and as it is' $compiler -O2 -o sampled.plain \
    "$root/tests/capture/sampled.c" -pthread

# The same table, of all references and of the sample.
same_curve() { # RATE BLOCK-OPTIONS METHOD PROGRAM [HOW]
    engine=shards:rate=$1 rate=$1 block=$2 method=$3
    shift 3
    "$MARGAY" record -q --method "$method" --to words -o - "$@" 2>/dev/null |
        "$MARGAY" curve -q $block -e $engine - >whole
    "$MARGAY" record -q --method "$method" --sample "$rate" $block -o - "$@" \
        2>/dev/null | "$MARGAY" curve -q $block -e $engine - >sample
    [ "$(wc -l <sample)" -gt 5 ] && cmp -s whole sample
}
for rate in 0.5 0.1 0.01; do
    check "method runtime: a share of $rate of the blocks" \
        same_curve $rate '' runtime ./sampled
done
check 'of blocks of 4096 bytes' same_curve 0.1 '-b 4096' runtime ./sampled
check 'of a program that is killed' same_curve 0.1 '' runtime ./sampled kill
export MARGAY_BUFFER=mmu
# shellcheck disable=SC2046 # words
check 'buffers that end with a fault' $compiler -O2 \
    $("$MARGAY" record --cflags) -o sampled.mmu \
    "$root/tests/capture/sampled.c" $("$MARGAY" record --libs)
check 'have the same' same_curve 0.1 '' runtime ./sampled.mmu
unset MARGAY_BUFFER
name='method valgrind: the same'
if "$MARGAY" record -q --method valgrind -o /dev/null --to words \
    ./sampled.plain 2>err; then
    check "$name" same_curve 0.1 '' valgrind ./sampled.plain
else
    skip "$name" "$(tail -n 1 err)"
fi
name='a pass of the compiler: the same'
if CC=clang "$MARGAY" record --cflags | grep -q fpass-plugin; then
    # shellcheck disable=SC2046 # words
    check 'a pass of the compiler' clang -O2 \
        $(CC=clang "$MARGAY" record --cflags) -o sampled.pass \
        "$root/tests/capture/sampled.c" $(CC=clang "$MARGAY" record --libs)
    check "$name" same_curve 0.1 '' runtime ./sampled.pass
else
    skip "$name" 'no plugin for clang'
fi

# ----------------------------------------------------- what the sample is --
refs_of() { "$MARGAY" curve -q -e shards:rate=0.01 "$1" | tail -n 1 | cut -d, -f5; }
"$MARGAY" record -q -o threads.words --to words ./sampled threads
"$MARGAY" record -q -o threads.sample.words --sample 0.01 ./sampled threads
is 'threads and processes: all references are counted' \
    "$(refs_of threads.sample.words)" "$(refs_of threads.words)"
whole=$(wc -c <threads.words)
sample=$(wc -c <threads.sample.words)
check "$sample bytes in the place of $whole" test $((sample * 20)) -lt "$whole"
run curve -q -e shards:rate=0.002 threads.sample.words
is 'a smaller share of the same blocks' "$status" 0

# ------------------------------------------------------ what takes no sample --
t=threads.sample.words
refuses 'engine exact takes whole traces.*shards:rate=0.01' curve $t
refuses 'other blocks than' curve -e shards:rate=0.02 $t
refuses 'other blocks than' curve -e shards:blocks=1000 $t
refuses 'other blocks than' curve -e shards:rate=0.01 --seed 2 $t
refuses 'say -b 64' curve -e shards:rate=0.01 -b 128 $t
refuses 'say -b 64' curve -e shards:rate=0.01 -b 64,128 $t
for choice in '--skip 5' '--limit 5' '--warmup 5' '--kind write' \
    '--straddle split'; do
    # shellcheck disable=SC2086 # words
    refuses 'options that choose or split' curve -e shards:rate=0.01 $choice $t
done
for command in info 'assoc --sets 1 --ways 4' 'curve --policy fifo' \
    'filter --sets 1 --ways 4 --to din' 'simulate --machine intel-skylake'; do
    # shellcheck disable=SC2086 # words
    refuses 'recorded with --sample.*margay curve -b 64 -e shards:rate=0.01' \
        $command $t
done
refuses 'recorded with --sample' convert --to din $t x.din
head -c 30 $t >cut.words
refuses 'found no sample' curve -e shards:rate=0.01 cut.words
for other in '--collapse 64' --sites --data '--start 5' '--stop 5' \
    '--max-trace 1M'; do
    # shellcheck disable=SC2086 # words
    run record --sample 0.1 $other -o x.words ./sampled
    is "not with $other" "$status" 125
    like 'which is said' "$(cat err)" '^margay record: --sample: .* needs all'
done
run record --sample 0.1 -o x.mgt ./sampled
like 'not as mgt' "$status $(tail -n 1 err)" '^125 .*no place for it, words has'
run record -b 64 -o x.words ./sampled
like 'no blocks without a sample' "$status $(cat err)" '^125 .* no --sample$'
run record --sample 0.1 -b 96 -o x.words ./sampled
like 'no strange blocks' "$status $(cat err)" '^125 .*96 is not a power of two'
run record --method lackey --sample 0.1 -o x.words ./sampled.plain
like 'not by lackey' "$status $(cat err)" '^125 .*does not know --sample$'
finish
