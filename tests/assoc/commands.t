#!/bin/sh
# commands.t - margay assoc, compare and curve --writebacks, on traces worked
# out by hand and against each other
. tests/sim/lib.sh

# Blocks 0 2 0 1 3 1 of one byte, addresses: two sets, 0 and 2 against 1 and 3.
printf '0 0\n1 2\n0 0\n2 1\n0 3\n1 1\n' >six.din
run assoc -q -b 1 --sets 1,2 --ways 1,2 six.din
is 'assoc: every combination' "$status$(cat err out)" \
'0trace,block_bytes,sets,ways,cache_bytes,references,misses,miss_ratio,policy
six.din,1,1,1,1,6,6,1,lru
six.din,1,1,2,2,6,4,0.666666666667,lru
six.din,1,2,1,2,6,6,1,lru
six.din,1,2,2,4,6,4,0.666666666667,lru'

run assoc -q -b 1 --sets 2 --ways 1 --by kind six.din
is 'assoc: misses by kind' "$(tail -n 1 out)" 'six.din,1,2,1,2,6,6,1,3,2,1,lru'
run assoc -q -b 1 --sets 2 --ways 1 --write back six.din
is 'assoc: write-backs' "$(tail -n 1 out)" 'six.din,1,2,1,2,6,6,1,1,6,1,lru'
run assoc -q -b 1 --sets 2 --ways 1 --write through --allocate off six.din
is 'assoc: around' "$(tail -n 1 out)" 'six.din,1,2,1,2,6,5,0.833333333333,0,3,2,lru'
run assoc -q -b 1 --sets 2 --ways 1 --warmup 3 six.din
is 'assoc: a warm-up' "$(tail -n 1 out)" 'six.din,1,2,1,2,3,3,1,lru'
run assoc -q -f din /dev/null
is 'assoc: an empty trace has no rows' "$status$(sed 1d out)" 0
printf '0 5\n0 5\n0 7\n' >ids.din
run assoc -q --ids --sets 1 --ways 1 --write back ids.din
is 'assoc: ids of no known size' "$(tail -n 1 out)" \
    'ids.din,,1,1,,3,2,0.666666666667,0,,,lru'

policies='lru opt fifo clock nru plru random sieve s3fifo lfu arc 2q lirs
tinylfu srrip brrip drrip'

# A trace that ends within its warm-up leaves nothing in the caches of the next:
# 1 2 3 are new to that one, in a cache that has room for all.
printf '%s\n' 1 2 3 >within.lines
printf '%s\n' 9 9 9 1 2 3 >behind.lines
# fresh COMMAND...: three misses of three references in the second trace.
fresh() {
    run "$@" -q -j 1 --warmup 3 within.lines behind.lines
    is "$*: a warm-up leaves nothing for the next trace" \
        "$status$(sed 1d out | cut -d, -f1,3-4,6-7)" '0behind.lines,1,4,3,3'
}
for policy in $policies; do
    fresh assoc --sets 1 --ways 4 --policy $policy
done
fresh compare --sets 1 --ways 4
for engine in exact olken parda; do
    run curve -q -j 1 --warmup 3 -e $engine --sizes 4 within.lines behind.lines
    is "curve -e $engine: a warm-up leaves nothing for the next trace" \
        "$status$(sed 1d out)" '0behind.lines,,4,,3,3,1'
done

# OPT holds what it has to: 1 2 3 1 2 3 with two ways, five or four misses.
printf '%s\n' 1 2 3 1 2 3 >round.lines
run assoc -q --sets 1 --ways 2 --policy opt round.lines
is 'opt' "$(tail -n 1 out)" 'round.lines,,1,2,,6,4,0.666666666667,opt'
run assoc -q --sets 1 --ways 1 --policy opt:bypass=on round.lines
is 'opt with bypass' "$(tail -n 1 out)" \
    'round.lines,,1,1,,6,5,0.833333333333,opt:bypass=on'
run assoc -q --sets 1 --ways 2 --policy opt --warmup 3 round.lines
is 'opt with a warm-up' "$(tail -n 1 out)" \
    'round.lines,,1,2,,3,1,0.333333333333,opt'
run assoc -q --sets 1 --ways 1 --policy opt:bypass=off round.lines
is 'opt without' "$(tail -n 1 out)" 'round.lines,,1,1,,6,6,1,opt:bypass=off'

# ------------------------------------------------- against each other --

"$MARGAY" generate zipf --refs 20000 --blocks 3000 --unit 64 --to u64 -o z.u64
cp z.u64 z.copy
"$MARGAY" convert -q z.u64 - --to hex | awk '
    { sub("0x", ""); label = " " substr("LS", 1 + NR % 2, 1) " " }
    { print (NR % 7 == 0 ? "I  " : label) $1 ",1" }' >z.lackey
for threads in 1 2 5; do
    for policy in $policies; do
        run assoc -q -j $threads -b 64,128,4096 --sets 1..64 --ways 1,2,4,8 \
            --policy $policy --by kind z.lackey
        cp out "$policy.$threads"
    done
    run compare -q -j $threads -b 64,128 --sets 1..64 --ways 1..9 z.u64
    cp out "compare.$threads"
done
for name in $policies compare; do
    check "$name: the same with any number of threads" \
        sh -c "cmp -s $name.1 $name.2 && cmp -s $name.1 $name.5"
done

run assoc -q -j 1 -b 64,128,4096 --sets 1..64 --ways 1,2,4,8 --by kind \
    --straddle split z.lackey
check 'assoc: splitting what covers one block each changes nothing' cmp -s out lru.1
run assoc -q -j 1 -b 64,128,4096 --sets 1..64 --ways 1,2,4,8 --by kind \
    --write back z.lackey
cut -d, -f1-11 out >lru.direct
cut -d, -f1-11 lru.1 >lru.grid
check 'assoc: every cache by itself gives the same' cmp -s lru.direct lru.grid

paste -d, lru.1 opt.1 | sed 1d | awk -F, '$7 < $19 { worse++ }
    END { exit worse > 0 || NR != 84 }'
check 'opt never misses more than lru' test $? = 0
cut -d, -f1-8 compare.1 >compare.head
run assoc -q -b 64,128 --sets 1..64 --ways 1..9 z.u64
cut -d, -f1-8 out >assoc.head
check 'compare begins as assoc' cmp -s compare.head assoc.head

sed 1d compare.1 | awk -F, '
    $7 != $13 + $14 + $15 || $14 < 0 { wrong++ }
    { fully = ($13 + $14) / $6 }
    (fully - $9) ^ 2 > 1e-20 || ($9 - $8 - $11) ^ 2 > 1e-20 { wrong++ }
    ($10 - $8 - $12) ^ 2 > 1e-20 { wrong++ }
    $3 == 1 && $15 != 0 { wrong++ }
    END { exit wrong > 0 || NR != 126 }'
check 'compare: the three Cs sum to the misses, errors are differences' \
    test $? = 0
run curve -q -b 64,128 --sizes 1,2,3,4,5,6,7,8,9 z.u64
cut -d, -f2,3,6 out | sed 1d >curve.misses
awk -F, '$3 == 1 { print $2 "," $4 "," $7 }' compare.1 >compare.misses
check 'compare: one set is the curve' cmp -s curve.misses compare.misses

run compare -b 64 --sets 64 --ways 1,4 z.u64
is 'compare: a line for each number of ways' \
    "$(grep -c 'ways\{0,1\}: binomial error .* on average' err)" 2
run compare -q --sets 64 --ways 1 --tolerance 1 z.u64
is 'compare: within the tolerance' "$status" 0
run compare -q --sets 64 --ways 1 --tolerance 0 z.u64
is 'compare: beyond it' "$status$(sed 1d out | wc -l)" 11

awk 'BEGIN { srand(3); for (i = 0; i < 5000; i++)
    printf "%d %x\n", rand() < 0.3, int(rand() ^ 3 * 90) * 64 }' >w.din
run curve -q --writebacks --sizes 1,2,3,8,21,64 -b 64,128 --warmup 500 w.din
cut -d, -f2,3,6,8 out | sed 1d >curve.rows
run assoc -q --write back --sets 1 --ways 1,2,3,8,21,64 -b 64,128 \
    --warmup 500 w.din
cut -d, -f2,4,7,9 out | sed 1d >assoc.rows
check 'curve --writebacks: as caches of one set' cmp -s curve.rows assoc.rows

# ------------------------------------------------------------- a recipe --

if command -v gnuplot >/dev/null; then
    MARGAY=$MARGAY "$root/docs/recipes/associativity.sh" pictures z.u64 w.din \
        >table 2>err
    is 'associativity.sh: two tables' "$?$(grep -c 'full' table)" 02
    check 'associativity.sh: two pictures' \
        test -s pictures/z.u64.png -a -s pictures/w.din.png
    awk '/^ *[0-9]/ && $2 != $6 && $1 == 8 { wrong++ }
        END { exit wrong > 0 || NR != 34 }' table
    check 'associativity.sh: 8 ways of 8 blocks are fully associative' \
        test $? = 0
else
    skip 'associativity.sh' 'no gnuplot'
fi

# ------------------------------------------------------ any sets, any ways --

run assoc -q -b 1 --sets 3 --ways 1 six.din
is 'assoc: three sets' "$(tail -n 1 out)" 'six.din,1,3,1,3,6,4,0.666666666667,lru'
run assoc -q -b 1 --sets 2 --ways 1 --index xor six.din
is 'assoc: sets by parity' "$(tail -n 1 out)" \
    'six.din,1,2,1,2,6,4,0.666666666667,lru'
run assoc -q -b 1 --sets 1 --ways 2 --policy 2q:in=0.5,out=1 six.din
is 'assoc: a spec with a comma is one field' "$(tail -n 1 out)" \
    'six.din,1,1,2,2,6,4,0.666666666667,"2q:in=0.5,out=1"'

# The caches of 7 sets are those of the seven traces that come to one set each.
"$MARGAY" generate zipf --refs 30000 --blocks 3000 --to lines -o zipf.lines
for set in 0 1 2 3 4 5 6; do
    awk -v set=$set '$1 % 7 == set' zipf.lines >part.lines
    "$MARGAY" curve -q --sizes 1,5,70 part.lines | sed 1d
done | awk -F, '{ misses[$3] += $6 }
    END { print misses[1], misses[5], misses[70] }' >parts
run assoc -q --sets 7 --ways 1,5,70 zipf.lines
is 'assoc: seven sets are seven caches' \
    "$(sed 1d out | cut -d, -f7 | xargs)" "$(cat parts)"
run assoc -q --sets 1,8 --ways 1..64 --policy opt zipf.lines
cp out one.pass
run assoc -q --sets 1,8 --ways 1..70 --policy opt zipf.lines
check 'assoc: opt of many ways as in one pass' \
    sh -c 'awk -F, "NR > 1 && \$4 <= 64" out >few; sed 1d one.pass | cmp -s few -'
run assoc -q --sets 1,7 --ways 1,5,70 --policy opt:bypass=on --warmup 9 zipf.lines
cut -d, -f3,4,6,7 out | sed 1d >bypass
run assoc -q --sets 1,7 --ways 1,5,70 --policy opt --warmup 9 zipf.lines
check 'assoc: bypass of seven sets misses no more' sh -c \
    'cut -d, -f7 out | sed 1d | paste -d, bypass - |
        awk -F, "\$4 > \$5 || \$3 != 29991 { exit 1 }"'

# ------------------------------------------------------ lists of policies --

# apart OPTION...: the rows of `out`, each from a run of one policy and cache.
apart() {
    sed 1d out | while IFS=, read -r _ block sets ways _ _ _ _ rest; do
        policy=$(printf '%s\n' "$rest" | tr -d '"' | sed 's/^\([0-9]*,\)*//')
        "$MARGAY" assoc -q -b "$block" --sets "$sets" --ways "$ways" \
            --policy "$policy" "$@" z.lackey | sed 1d
    done
}
list=sieve,lru,2q:in=0.5,out=1,opt,lirs
for options in '--limit 9000' '--limit 9000 --warmup 999 --by kind -j 1' \
    '--limit 5000 --index xor'; do
    sets=1,7,8
    [ "$options" = "${options%xor}" ] || sets=4,8
    # shellcheck disable=SC2086 # several words
    run assoc -q -b 64,256 --sets $sets --ways 2,5,70 --policy $list \
        $options z.lackey
    # shellcheck disable=SC2086 # several words
    is "several policies in sets, $options: as each by itself" \
        "$(sed 1d out)" "$(apart $options)"
done
run assoc -q --sets 1,2 --ways 1,2 --policy fifo,lru six.din
is 'rows by sets, ways, then policy' \
    "$(sed 1d out | cut -d, -f3,4,9 | tr '\n' ' ')" \
    '1,1,fifo 1,1,lru 1,2,fifo 1,2,lru 2,1,fifo 2,1,lru 2,2,fifo 2,2,lru '
run assoc -q --policy lru,plru six.din
is 'with plru, ways are powers of two' "$(sed 1d out | cut -d, -f4 | sort -nu |
    tr '\n' ' ')" '1 2 4 8 16 '
run assoc -q --sets 1 --ways 2 --policy fifo,opt --best 2 six.din
like 'the best name their policies' "$(cat err)" ' 2 ways, (opt|fifo): '
refuses '--policy lru: given twice' assoc --policy lru,fifo,lru six.din
refuses '--policy opt: .*writes' assoc --policy lru,opt --write back six.din
refuses '--policy ship: the trace does not say the sites' \
    assoc --policy lru,ship six.din

# --------------------------------------------------------------- best --

run assoc -q -b 1 --sets 1,2 --ways 1,2 --best 2 --max-bytes 3 six.din
is 'assoc: the best of those small enough' "$(cat err)" \
'margay assoc: six.din: best 1: 2 bytes in blocks of 1, 1 set, 2 ways: '\
'4 misses, ratio 0.666667
margay assoc: six.din: best 2: 1 byte in blocks of 1, 1 set, 1 way: '\
'6 misses, ratio 1'

run assoc -q -b 1 --sets 1 --ways 1 --best 2 --max-bytes 1 -b 2 six.din
is 'assoc: none is small enough' "$(cat err)" \
    'margay assoc: six.din: there is no cache to name'
echo 7 >one.lines
run assoc -q --sets 1,2,4 --ways 1,2 --best 4 one.lines
is 'assoc: the smallest first, in blocks of no known size' \
    "$(sed 's/.*best \(.*\): 1 miss.*/\1/' err)" \
    '1: 1 block, 1 set, 1 way
2: 2 blocks, 2 sets, 1 way
3: 2 blocks, 1 set, 2 ways
4: 4 blocks, 4 sets, 1 way'

# ----------------------------------------------------------- bad input --

refuses "--sets: '3' \(expected powers of two" compare --sets 3 six.din
refuses "--sets: '1..3' \(expected .*powers of two" assoc --sets 1..3 six.din
refuses '--index xor: 3 sets' assoc --sets 3 --index xor six.din
refuses "--index: 'fold' \(expected modulo or xor" assoc --index fold six.din
refuses "--sets: '0'" assoc --sets 0 six.din
refuses "--sets: '8..2'" assoc --sets 8..2 six.din
refuses "--sets: '33554432'" compare --sets 33554432 six.din
refuses "--ways: '0' \(expected .*from 1 on" assoc --ways 0 six.din
refuses "--ways: '1..257' \(expected up to 256" assoc --ways 1..257 six.din
refuses "--ways: '65'" compare --ways 1,65 six.din
refuses "--ways: '9..2'" compare --ways 9..2 six.din
refuses "--ways: '2,,4'" assoc --ways 2,,4 six.din
refuses "--policy: unknown policy 'mru'" assoc --policy mru six.din
refuses '--ways: 3 with --policy plru' assoc --policy plru --ways 3 six.din
refuses '--policy ship: the trace does not say the sites' \
    assoc --policy ship six.din
refuses '--policy ship: the trace does not say the sites' \
    filter --sets 1 --ways 1 --policy ship --to din six.din
refuses '--policy opt: .*writes' assoc --policy opt --write back six.din
refuses '--max-bytes says which caches --best' assoc --max-bytes 5 six.din
refuses 'nothing says what a block id' assoc --best 1 --ids --max-bytes 9 ids.din
refuses "unknown option '--bound'" compare --bound 4 six.din
refuses '--writebacks has to know all' curve --writebacks --bound 4 six.din
refuses 'does not know the distance' curve --writebacks -e markers six.din
refuses 'would take .* of memory.*up to [0-9]+ sets would fit' \
    assoc -b 1,2,4,8,16,32,64,128,256,512,1024,2048,4096 \
    --sets 1..16777216 --ways 64 six.din
# Memory for the caches, but not for keeping what is read.  Sanitizers cannot do
# with so little.
# shellcheck disable=SC3045 # the shells that lack it skip
limited() {
    (ulimit -v 200000 && "$@")
}
if limited "$MARGAY" version >/dev/null 2>&1; then
    "$MARGAY" generate uniform --refs 7000000 --blocks 9000 --unit 64 \
        --to u64 -o big.u64
    status=0
    limited "$MARGAY" assoc -f u64 --sets 1 --ways 1 -j 1 -b 64,128 \
        --policy opt <big.u64 >out 2>err || status=$?
    is 'opt on a pipe, and no room for the past' \
        "$status $(cut -d, -f2,3,4,6 out | tail -n +2 | xargs)" \
        '0 64,1,1,7000000 128,1,1,7000000'
else
    skip 'opt on a pipe, and no room for the past' 'memory has no limit'
fi
finish
