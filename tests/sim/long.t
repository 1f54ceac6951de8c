#!/bin/sh
# long.t - references that touch more blocks than are fed at once
. tests/sim/lib.sh

# touched BLOCK_UNITS: the blocks that the records of long.arc touch, as lines.
touched() {
    awk -v units="$1" '$2 > 0 {
        last = int(($1 + $2 - 1) / units)
        for (block = int($1 / units); block <= last; block++)
            print block
    }' long.arc
}

# ------------------------------------------------------------------ whole --
# Several of them to 65,536 blocks, and one to that many, to more, and to none.
awk 'BEGIN {
    print "3 65536 0 0\n5 65537 0 0\n0 0 0 0\n100 9 0 0"
    print "65530 300001 0 0\n7 1 0 0\n131072 65536 0 0\n1 150000 0 0"
}' >long.arc
for block in "512 1" "4096 8" "262144 512"; do
    touched "${block#* }" >touched.lines
    "$MARGAY" histogram -q --unit "${block% *}" touched.lines |
        sed 1d | cut -d, -f2-
done >expected
for threads in 1 2; do
    "$MARGAY" histogram -q -j $threads -b 512,4K,256K long.arc |
        sed 1d | cut -d, -f2- >got
    check "every block once for each reference, $threads threads" \
        cmp -s got expected
done
is 'windows are of whole references' "$("$MARGAY" curve -q --window 3 \
    --sizes 1 long.arc | cut -d, -f1,6 | tr '\n' ' ')" \
    'window,references 0,131073 1,300011 2,215536 '
is 'and so is the limit' "$("$MARGAY" curve -q --limit 2 --sizes 1 long.arc |
    cut -d, -f5 | tr '\n' ' ')" 'references 131073 '
"$MARGAY" curve -q --limit 5 --save state long.arc >/dev/null
"$MARGAY" curve -q --skip 5 --resume state long.arc >resumed
"$MARGAY" curve -q long.arc >whole
check 'a run that goes on' cmp -s resumed whole

# ------------------------------------------------------------- interrupts --
# A batch of some thousand references to 2^20 blocks each takes minutes.
awk 'BEGIN { for (i = 0; i < 9999; i++) print i, 1048576, 0, 0 }' >endless.arc

# interrupts COMMAND...: with SIGINT, when it has told how far it is.
interrupts() {
    "$MARGAY" "$@" >out 2>err &
    reader=$!
    analyses $reader ' [1-9][0-9]* references, ' || {
        kill -KILL $reader
        return 1
    }
    kill -INT $reader
    ends $reader
    [ $status = 130 ]
}
# covers TRACE: the output is that of the references that the note says.
covers() {
    refs=$(sed -n 's/.*covers the first \([1-9][0-9]*\) refer.*/\1/p' err)
    [ -n "$refs" ] || return 1
    "$MARGAY" curve -q --bound 9 -b 512,1K --limit "$refs" $1 | cmp -s - out
}
for threads in 1 2; do
    check "an interrupt within a batch, -j $threads" \
        interrupts curve -j $threads --bound 9 -b 512,1K endless.arc
    check "has the exact result of what is said" covers endless.arc
done
check 'where a state is saved' \
    interrupts curve --bound 9 -b 512,1K --save state endless.arc
refs=$(sed -n 's/.*covers the first \([1-9][0-9]*\) refer.*/\1/p' err)
"$MARGAY" curve -q --bound 9 -b 512,1K --skip "$refs" --limit 1 \
    --resume state endless.arc >resumed
"$MARGAY" curve -q --bound 9 -b 512,1K --limit $((refs + 1)) endless.arc >whole
check 'it holds whole references' cmp -s resumed whole
check 'where no engine is' interrupts assoc --sets 1 --ways 1 endless.arc

# ---------------------------------------------------------------- too long --
# A reference may touch 2^24 blocks and no more, of the smallest size.
refuses_long() {
    status=0
    "$MARGAY" "$@" >out 2>err || status=$?
    [ $status = 2 ] && ! [ -s out ] && grep -q \
        'over.arc: .* number 7 (0x7, extent 16777217) touches 16777217 .* 2^24' err
}
printf '3 1 0 0\n7 16777217 0 0\n' >over.arc
printf '3 1 0 0\n7 16777216 0 0\n' >most.arc
printf 'cache,holds,bytes,block_bytes,ways,next\nL1,all,32768,512,8,\n' >m.csv
for command in 'curve --bound 9' 'curve -j 2 --bound 9' 'histogram --bound 9' \
    'curve --bound 9 -b 512,4K' info 'assoc --sets 1 --ways 1' \
    'simulate --machine m.csv' 'convert -o u --to u64'; do
    check "$command refuses 2^24 + 1 blocks" refuses_long $command over.arc
done
check 'convert leaves nothing behind' absent u
is 'but 2^24 are counted' "$("$MARGAY" info -q most.arc | sed -n '3p;7p' |
    tr '\n' ' ')" 'references,16777217 distinct_blocks,16777217 '
is 'and so are larger blocks' "$("$MARGAY" info -q -b 1K over.arc |
    sed -n '3p;7p' | tr '\n' ' ')" 'references,8388610 distinct_blocks,8388610 '
is 'and first blocks' "$("$MARGAY" info -q --straddle first over.arc |
    sed -n '3p;7p' | tr '\n' ' ')" 'references,2 distinct_blocks,2 '
is 'or what comes before it' "$("$MARGAY" info -q --limit 1 over.arc |
    sed -n '3p;7p' | tr '\n' ' ')" 'references,1 distinct_blocks,1 '

# ------------------------------------------------------------------- parts --
# In a part of a file, which other threads read on.
awk 'BEGIN {
    for (i = 0; i < 600000; i++)
        print i % 7, (i > 8 && i < 9999 ? 1048576 : 1), 0, 0
}' >parts.arc
"$MARGAY" convert -q parts.arc parts.mgt --to mgt
check 'in a part of a file' \
    interrupts curve -j 2 --bound 9 -b 512,1K parts.mgt
check 'is exact, too' covers parts.mgt
awk '{ print $1, (NR == 500000 ? 16777217 : 1), 0, 0 }' parts.arc >over.arc
status=0
"$MARGAY" curve -q -j 2 over.arc >out 2>err || status=$?
is 'in a part, one too long is refused' \
    "$status $(wc -c <out) $(grep -c 'touches 16777217 ' err)" '2 0 1'

# Of convert there is no result before the end, but progress.
"$MARGAY" convert --to u64 endless.arc endless.u64 2>err &
writer=$!
check 'convert tells how far it is' \
    analyses $writer ' [1-9][0-9]* references, '
kill -TERM $writer
ended $writer
check 'and leaves nothing behind' absent endless.u64

finish
