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
# Pieces of 65,536 blocks: beside them, within them, and several of them.
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
echo '0 4294967295 0 0' >endless.arc

# interrupts COMMAND...: with SIGINT, when it has told how far it is.
interrupts() {
    "$MARGAY" "$@" >out 2>err &
    reader=$!
    analyses $reader ' [1-9][0-9]* references, ' || {
        kill -KILL $reader
        return 1
    }
    kill -INT $reader
    status=0
    ended $reader || status=$?
    [ $status = 130 ]
}
note='first 0 references and a part of the next only'
for threads in 1 2; do
    check "an interrupt within a reference, -j $threads" \
        interrupts curve -j $threads --bound 9 -b 512,1K endless.arc
    check 'is said' grep -q "$note" err
    refs=$(awk -F, '$2 == 512 { n = $5 } END { print n }' out)
    echo "0 $refs 0 0" >part.arc
    "$MARGAY" curve -q --bound 9 -b 512,1K part.arc |
        sed 's/part.arc/endless.arc/' >expected
    check "the result of the $refs blocks before it is exact" \
        cmp -s out expected
done
check 'where no engine is' interrupts assoc --sets 1 --ways 1 endless.arc

# ------------------------------------------------------------------- info --
# Intervals do for it, and counts of repeats: neither takes time or memory.
timeout 60 "$MARGAY" info -q endless.arc >out
is 'info of a reference to 2^32 - 1 blocks' "$(sed -n '3p;7p' out |
    tr '\n' ' ')" 'references,4294967295 distinct_blocks,4294967295 '
for block in "512 1" "4096 8" "262144 512"; do
    touched "${block#* }" >touched.lines
    "$MARGAY" info -q -b "${block% *}" long.arc | sed -n '3p;7p' >got
    {
        echo "references,$(wc -l <touched.lines)"
        echo "distinct_blocks,$(sort -u touched.lines | wc -l)"
    } >expected
    check "info of long references, in blocks of ${block% *}" \
        cmp -s got expected
done
tail -c +2 "$root/tests/fuzz/seeds/mgt/columns" >counts.mgt
"$MARGAY" distances -q -b 4096 counts.mgt | sed 1d >each
{
    echo "references,$(wc -l <each)"
    echo "distinct_blocks,$(cut -d, -f4 each | sort -u | wc -l)"
} >expected
"$MARGAY" info -q -b 4096 counts.mgt | sed -n '3p;7p' >got
check 'info of counted repeats' cmp -s got expected

# In a part of a file, which other threads read on.
awk 'BEGIN {
    for (i = 0; i < 600000; i++)
        print i % 7, i == 9 ? "4294967295" : 1, 0, 0
}' >parts.arc
"$MARGAY" convert -q parts.arc parts.mgt --to mgt
check 'in a part of a file' interrupts curve -j 2 --bound 9 parts.mgt
check 'is said, too' \
    grep -q 'first 9 references and a part of the next only' err
refs=$(tail -n 1 out | cut -d, -f5)
{
    head -n 9 parts.arc
    echo "2 $((refs - 9)) 0 0"
} >part.arc
"$MARGAY" curve -q --bound 9 part.arc | sed 's/part.arc/parts.mgt/' >expected
check "the result of the $refs blocks before it is exact" cmp -s out expected

# Of convert there is no result before the end, but progress.
"$MARGAY" convert --to u64 endless.arc endless.u64 2>err &
writer=$!
check 'convert tells how far it is' \
    analyses $writer ' [1-9][0-9]* references, '
kill -TERM $writer
ended $writer
check 'and leaves nothing behind' absent endless.u64

finish
