#!/bin/sh
# measure.t - curve, histogram, distances and info on traces small enough to
# have been worked out by hand
. tests/sim/lib.sh

# Table III of the PARDA paper (Niu et al. 2012), whose distances are known.
letters dacbccgefafbcmtmacfbdcac >parda

run curve -q --sizes all parda
is 'curve: exit status' "$status" 0
is 'curve: nothing on stderr with -q' "$(cat err)" ''
is 'curve: every step' "$(cat out)" \
'trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio
parda,,1,,24,23,0.958333333333
parda,,2,,24,19,0.791666666667
parda,,4,,24,17,0.708333333333
parda,,5,,24,16,0.666666666667
parda,,6,,24,10,0.416666666667
parda,,9,,24,9,0.375'

run curve --sizes pow2 parda
is 'curve: powers of two' "$(cut -d, -f3,6 out | tr '\n' ' ')" \
    'cache_blocks,misses 1,23 2,19 4,17 8,10 16,9 '
like 'curve: the summary' "$(cat err)" \
    '^margay curve: parda: 24 references, 9 distinct blocks, 9 cold misses, '

letters a >single
run curve single
like 'curve: the summary of a single reference' "$(cat err)" \
    ': 1 reference, 1 distinct block, 1 cold miss, '
run curve --bound 1 -b 1 --unit 1 parda
like 'curve: and of a bound of one, in blocks of a byte' "$(cat err)" \
    ' references in blocks of 1 byte, distinct > 1 block, 23 infinite, '
run assoc --sets 1 --ways 1 --best 1 single
like 'assoc: the best of a single one' "$(cat err)" \
    ': best 1: 1 block, 1 set, 1 way: 1 miss, ratio 1$'
run convert --to lines single other
like 'convert: of a single reference' "$(cat err)" ': 1 reference to other as'

run curve -q --sizes 6,1,6,100 parda
is 'curve: a list is sorted, and has no repetitions' \
    "$(cut -d, -f3,6 out | tr '\n' ' ')" 'cache_blocks,misses 1,23 6,10 100,9 '

run curve --bound 4 parda
is 'curve: nothing beyond an exceeded bound' \
    "$(cut -d, -f3,6 out | tr '\n' ' ')" \
    'cache_blocks,misses 1,23 2,19 3,19 4,17 '
like 'curve: the summary of an exceeded bound' "$(cat err)" \
    ': 24 references, distinct > 4 blocks, 17 infinite, '

run histogram -q parda
is 'histogram: exact, unless told otherwise' "$(cat out)" \
'trace,block_bytes,distance_from,distance_to,references,share
parda,,0,1,1,0.0416666666667
parda,,1,2,4,0.166666666667
parda,,3,4,2,0.0833333333333
parda,,4,5,1,0.0416666666667
parda,,5,6,6,0.25
parda,,8,9,1,0.0416666666667
parda,,inf,inf,9,0.375'

run histogram -q --bins exact --bound 4 parda
is 'histogram: bounded' "$(cut -d, -f3-5 out | tr '\n' ' ')" \
    'distance_from,distance_to,references 0,1,1 1,2,4 3,4,2 4,inf,17 '
run histogram -q --bound 9 parda
is 'histogram: a bound that is not exceeded changes nothing' \
    "$(tail -n 1 out)" 'parda,,inf,inf,9,0.375'

run curve -q --histogram both.csv parda
run histogram -q --bins exact parda
check 'curve --histogram writes the same histogram' cmp -s out both.csv

run histogram -q --warmup 6 --bins exact parda
is 'histogram: nothing of the warm-up is counted' \
    "$(cut -d, -f3-5 out | tr '\n' ' ')" \
    'distance_from,distance_to,references 1,2,3 3,4,2 4,5,1 5,6,6 8,9,1 inf,inf,5 '
letters aaaa >all_hits
run histogram -q --warmup 1 --bins exact all_hits
is 'histogram: the infinite row is there when it counts 0' \
    "$(cut -d, -f3- out | tr '\n' ' ')" \
    'distance_from,distance_to,references,share 0,1,3,1 inf,inf,0,0 '

expected='inf inf inf inf 1 0 inf inf inf 5 1 5 5 inf inf 1 5 3 5 5 8 3 4 1 '
run distances parda
is 'distances: header' "$(head -n 1 out)" \
    'trace,block_bytes,index,block,distance'
is 'distances: one each' "$(tail -n +2 out | cut -d, -f5 | tr '\n' ' ')" \
    "$expected"
is 'distances: block and index' "$(sed -n 3p out)" 'parda,,1,97,inf'
run distances --warmup 22 parda
is 'distances: the warm-up is numbered, not printed' \
    "$(tail -n +2 out | tr '\n' ' ')" 'parda,,22,97,4 parda,,23,99,1 '
run distances --bound 4 parda
is 'distances: bounded' "$(tail -n +2 out | cut -d, -f5 | sort | uniq -c |
    tr -s ' \n' ' ')" ' 1 0 4 1 2 3 17 inf '
for engine in exact exact:filter=on exact:filter=off \
    exact:target=portable naive olken; do
    run distances -e $engine parda
    is "distances: engine $engine" \
        "$(tail -n +2 out | cut -d, -f5 | tr '\n' ' ')" "$expected"
done

# ------------------------------------------------------------- addresses --
cat >program.din <<'EOF'
0 1000
1 1038
2 2000
0 1040
1 103f
2 2000
EOF
run info program.din
is 'info: in blocks of 64 bytes unless told otherwise' "$(cat out)" \
'key,value
format,din
references,6
reads,2
writes,2
fetches,2
distinct_blocks,3
lowest,0x1000
highest,0x2000
block_bytes,64'
run info --kind write,read -b 16 program.din
is 'info: some kinds, other blocks' "$(tr '\n' ' ' <out)" \
    'key,value format,din references,4 reads,2 writes,2 fetches,0 distinct_blocks,3 lowest,0x1000 highest,0x1040 block_bytes,16 '
run info --ids program.din
is 'info: ids are decimal, and their blocks of no known size' \
    "$(tail -n 4 out | tr '\n' ' ')" \
    'distinct_blocks,5 lowest,4096 highest,8192 block_bytes, '
run info --skip 1 --limit 3 program.din
is 'info: --skip and --limit' "$(sed -n '3,7p' out | tr '\n' ' ')" \
    'references,3 reads,1 writes,1 fetches,1 distinct_blocks,3 '
run info --ids --unit 4K -b 8K program.din
is 'info: a unit, and blocks larger than it' \
    "$(tail -n 4 out | tr '\n' ' ')" \
    'distinct_blocks,5 lowest,4096 highest,8192 block_bytes,8192 '

run curve -q -b 128,64,64 --sizes 1,2 program.din parda2.din program.din
check 'a missing trace among others is an error' test "$status" = 2
letters aab >ids.lines
run curve -q --sizes 1,2 ids.lines - <program.din
is 'several traces, one of them on standard input' "$(cat out)" \
'trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio
ids.lines,,1,,3,2,0.666666666667
ids.lines,,2,,3,2,0.666666666667
-,64,1,64,6,5,0.833333333333
-,64,2,128,6,5,0.833333333333'
run curve -q -b 128,64,64 --sizes 128,1 program.din
is 'several block sizes, in order and once each' \
    "$(cut -d, -f2-4,6 out | tail -n +2 | tr '\n' ' ')" \
    '64,1,64,5 64,128,8192,3 128,1,128,4 128,128,16384,2 '
run curve -q -b 64,128 --sizes 1KiB,128b program.din
is 'sizes in bytes' "$(cut -d, -f2-4 out | tail -n +2 | tr '\n' ' ')" \
    '64,2,128 64,16,1024 128,1,128 128,8,1024 '
run distances -b 64,128 program.din
is 'distances: the rows of a block size stand together' \
    "$(cut -d, -f2,3,5 out | tail -n +2 | tr '\n' ' ')" \
    '64,0,inf 64,1,0 64,2,inf 64,3,inf 64,4,2 64,5,2 128,0,inf 128,1,0 128,2,inf 128,3,1 128,4,0 128,5,1 '
for block in 16 32 4096; do
    run curve -q -b $block program.din
    tail -n +2 out >>separate
done
run curve -q -b 16,32,4096 program.din
tail -n +2 out >together
check 'block sizes in one pass are as in several' cmp -s together separate

printf '10 3 0 1\n12 2 0 2\n' >blocks.arc
run info -f arc blocks.arc
is 'info: extents, whose last number is the highest' \
    "$(tail -n +3 out | tr '\n' ' ')" \
    'references,5 reads,5 writes,0 fetches,0 distinct_blocks,4 lowest,10 highest,13 block_bytes,512 '
run info -f arc -b 1024 blocks.arc
is 'info: extents in larger blocks' "$(sed -n 3p out)" references,3
printf ' L 3e,4\n' >straddle.lackey
run distances -f lackey straddle.lackey
is 'a reference counts at its first block' \
    "$(tail -n +2 out | tr '\n' ' ')" 'straddle.lackey,64,0,0,inf '
run distances -f lackey --straddle split straddle.lackey
is 'and at each that it touches with --straddle split' \
    "$(tail -n +2 out | tr '\n' ' ')" \
    'straddle.lackey,64,0,0,inf straddle.lackey,64,1,1,inf '

# --------------------------------------------------------- empty and edges --
: >empty.din
for command in curve histogram distances; do
    run $command -q empty.din
    is "$command: an empty trace: the header" "$status $(wc -l <out)" '0 1'
done
run info empty.din
is 'info: an empty trace' "$(tail -n +3 out | tr '\n' ' ')" \
    'references,0 reads,0 writes,0 fetches,0 distinct_blocks,0 lowest, highest, block_bytes,64 '
run curve -q --skip 100 program.din
is 'nothing selected: the header' "$status $(wc -l <out)" '0 1'
run curve -q --warmup 100 program.din
is 'all of it warm-up: the header' "$status $(wc -l <out)" '0 1'
printf '0\n18446744073709551615\n0\n' >edges.lines
run distances edges.lines
is 'ids 0 and 2^64 - 1' "$(tail -n +2 out | cut -d, -f4,5 | tr '\n' ' ')" \
    '0,inf 18446744073709551615,inf 0,1 '
run info -f hex - <<'EOF'
0x0
0xffffffffffffffff
EOF
is 'the highest address' "$(sed -n '7,9p' out | tr '\n' ' ')" \
    'distinct_blocks,2 lowest,0x0 highest,0xffffffffffffffff '

cp parda 'a, "b".lines'
run curve -q --sizes 1 'a, "b".lines'
is 'a name that needs quotes gets them' "$(tail -n 1 out)" \
    '"a, ""b"".lines",,1,,24,23,0.958333333333'
gzip -k program.din
run info program.din.gz
is 'compressed' "$(sed -n 3p out)" references,6
"$MARGAY" curve -q <program.din.gz >piped
run curve -q program.din
is 'compressed, from a pipe' "$(tail -n +2 piped | cut -d, -f2-)" \
    "$(tail -n +2 out | cut -d, -f2-)"
for threads in 1 2 7; do
    run curve -q -b 16,64 -j $threads program.din
    cp out threads.$threads
done
check 'the number of threads changes nothing' \
    sh -c 'cmp -s threads.1 threads.2 && cmp -s threads.1 threads.7'

# -------------------------------------------------------- larger, by twins --
"$MARGAY" generate zipf --refs 500000 --blocks 20000 --to u64 -o zipf.u64
run curve -q --ids -e exact zipf.u64
cp out exact.csv
run curve -q --ids -e olken zipf.u64
check 'exact and olken agree on a larger trace' cmp -s out exact.csv
run distances -b 64,128 zipf.u64
cp out exact.csv
is 'distances of more than fits in memory: all rows' "$(wc -l <out)" 1000001
run distances -b 64,128 -e olken zipf.u64
check 'distances of exact and olken agree' cmp -s out exact.csv
run distances -b 64 zipf.u64
cp out first.csv
run distances -b 128 zipf.u64
tail -n +2 out | cat first.csv - >separate.csv
check 'distances at two block sizes are those of each' \
    cmp -s exact.csv separate.csv

run engines
is 'engines: the columns' "$(head -n 1 out)" \
    'name,exact,guarantee,parameters,time,space,source'
for engine in exact naive olken bounded; do
    check "engines: $engine" grep -q "^$engine,yes," out
done
finish
