#!/bin/sh
# peers.t - what compares commands with other programs, with one that is made up
. tests/sim/lib.sh
${CC:-cc} -O1 -o measure "$root/tests/bench/measure.c" || exit 1
mkdir -p files sources/else/where
"$MARGAY" generate -q zipf --refs 3000 --blocks 90 --unit 16 --seed 3 --to u64 \
    -o small.u64

peers() { # OPTION...
    (cd "$root" && timeout 120 perl tests/bench/peers.pl --rounds 1 "$@" \
        "$MARGAY" "$work" "$work/files" "$work/sources") >out 2>err
}
refuses() { # TEXT OPTION...
    text=$1
    shift
    peers "$@"
    [ $? -eq 2 ] && [ ! -s out ] && grep -q -e "$text" err
}
bench_refuses() {
    (cd "$root" && timeout 60 perl tests/bench/bench.pl --only W1,nothing \
        "$MARGAY" "$work" "$work/files") >out 2>err
    [ $? -eq 2 ] && [ ! -s out ] &&
        grep -q "found 'nothing', expected one of W1 " err
}
on_small() { # OPTION...
    peers --only cheetah --on small --trace "small=$work/small.u64" "$@"
}
leaves_all_out() {
    peers --on W1 && [ "$(grep -c 'left out: no folder in' err)" -eq 7 ] &&
        grep -q 'cheetah: left out: .* has saclru.c, util.c' err &&
        ! grep -q W1 out
}
cannot_build() {
    : >sources/else/where/saclru.c
    : >sources/else/where/util.c
    on_small && grep -q 'cheetah: left out: it cannot be built' err
}

# Lists of blocks, the last used one first, in Cheetah's clothes: each way is
# tried by itself.
write_lists() { # WRONG-BY
    cat >sources/else/where/saclru.c <<END
#include <stdio.h>
#include <stdlib.h>
extern int N, B, A, L, T, SAVE_INTERVAL, P_INTERVAL;
unsigned **sac_hits;
static unsigned long *lists[32];
init_saclru() {
    int i;
    sac_hits = calloc(1 << N, sizeof *sac_hits);
    for (i = 0; i < 1 << N; i++)
        sac_hits[i] = calloc(B + 1, sizeof **sac_hits);
    for (i = 0; i <= B; i++)
        lists[i] = calloc((size_t)1 << (i + N), sizeof **lists);
}
void sacnmul_woarr(unsigned long address) {
    unsigned long block = (address >> L) + 1, moved, next;
    int i, way;
    for (i = 0; i <= B; i++) {
        unsigned long *list = lists[i] + ((block & ((1 << i) - 1)) << N);
        for (moved = block, way = 0; way < 1 << N; way++) {
            next = list[way];
            list[way] = moved;
            if (next == block) {
                sac_hits[way][i] += 1 $1;
                break;
            }
            moved = next;
        }
    }
}
void outpr_saclru(FILE *file) { fputs("printed\n", file); }
END
}
finds_all_equal() {
    write_lists '' && on_small && [ "$(sed 1q out)" = \
        peer,workload,ours,theirs,times,equal_caches ] &&
        [ "$(grep -cE '^cheetah_(240|1440),small,([0-9.]+,){3}(240|1440)$' out)" \
            -eq 2 ]
}
finds_what_differs() {
    write_lists '+ (i == 3 && way == 5)'
    on_small
    [ $? -eq 1 ] && grep -q 'cheetah_240 small: DIFFER: 11 of 240, cache 16 8' err
}
# The one that is asked for 1440 caches, of blocks of up to 512 bytes, does not
# end, or fails.
goes_on_without() { # STATEMENT OPTION...
    write_lists ''
    sed -i "s/^init_saclru() {/&if (L == 9) { $1; }/" \
        sources/else/where/saclru.c
    shift
    on_small "$@"
    [ $? -eq 1 ] && grep -q 'cheetah_1440 small: left out: it failed' err &&
        ! grep -q '^cheetah_1440' out &&
        grep -q '^cheetah_240,small,.*,240$' out
}

check 'another name is refused' refuses "found 'olken', expected one of iaf" \
    --only olken
check 'so is another workload' refuses "found 'W9', expected one of W1" --on W9
check 'and a trace that is no file of addresses' \
    refuses 'expected NAME=FILE' --trace nothing
check 'bench refuses a workload that it has not' bench_refuses
check 'what is not there is left out, with what was looked for' leaves_all_out
check 'and so is what cannot be built' cannot_build
check 'equal answers are found equal, and make a table' finds_all_equal
check 'one that differs is found' finds_what_differs
check 'a program that fails has no row, and others have' \
    goes_on_without 'exit(1)'
check 'nor has one that does not end' goes_on_without 'for (;;)' --seconds 9
finish
