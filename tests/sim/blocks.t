#!/bin/sh
# blocks.t - a trace whose reader divides its addresses gives the same tables
. tests/sim/lib.sh

# References of all sizes, many over the end of a block, some at the ends of
# the addresses, and enough of them for several batches.
awk 'BEGIN {
    split("L S", kind, " ")
    for (i = 0; i < 60000; i++) {
        at = i * i % 997 * 64 + i * 7 % 64
        printf " %s %x,%d\n", kind[i % 3 % 2 + 1], at + 4096, i % 64 + 1
        if (i % 1000 == 0) {
            print "I  ffffffffffffffff,1"
            print " L 0,8"
            printf " L ffff80000000%04x,64\n", i % 65536
        }
    }
}' >k.lackey
"$MARGAY" convert -q k.lackey k.words --to words

# tables COMMAND OPTION... TRACE: its table, under a name that all have.
tables() {
    "$MARGAY" "$@" -q 2>&1 | sed 's/k\.[a-z]*/k/'
}

# same COMMAND OPTION...: both traces give the same.
same() {
    tables "$@" k.lackey >want
    tables "$@" k.words >got
    check "$*" cmp -s want got
    check "$*: a table" test "$(wc -l <got)" -gt 1
}

for blocks in 1 64 1099511627776 1,64,65536; do
    for options in '' '--straddle split' '--kind write' '-j 3' '--warmup 777' \
        '--skip 12345 --limit 23456' '--window 9999' '-e shards:rate=0.5'; do
        # shellcheck disable=SC2086 # none, or several
        same curve --sizes pow2 -b $blocks $options
    done
done
for options in '' '--ids' '--ids --unit 64' '--ids --unit 64 -b 256' \
    '--bound 100' '-e olken' '-e naive --limit 3000'; do
    # shellcheck disable=SC2086 # none, or several
    same curve --sizes all $options
    # shellcheck disable=SC2086 # none, or several
    same histogram $options
done
same histogram -b 64 --kind read
same distances --limit 5000 -b 16
same assoc -b 64,256 --sets 1,16 --ways 1,2

# What has been saved of one goes on with the other, block by block.
for first in lackey words; do
    for then in lackey words; do
        "$MARGAY" curve -q -b 64,256 --limit 30000 --save half k.$first \
            >/dev/null
        "$MARGAY" curve -q -b 64,256 --resume half k.$then |
            sed 's/^k\.[a-z]*/k/' >resumed.$first.$then
        check "$then goes on after $first" \
            cmp -s resumed.lackey.lackey resumed.$first.$then
    done
done
finish
