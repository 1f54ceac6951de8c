#!/bin/sh
# policies.t - curves of several policies, against margay assoc and each other;
# tests/assoc/test_policies.c holds each policy against lists
. tests/sim/lib.sh

all=lru,opt,opt:bypass=on,fifo,clock

# What the command knows; those for sets it refuses.
simulated=
for policy in $("$MARGAY" curve --policy x /dev/null 2>&1 |
    sed 's/.*the policies are //; s/,//g'); do
    run curve --policy "$policy" /dev/null
    grep -q 'is defined for' err || [ "$policy" = opt ] ||
        simulated=$simulated,$policy
done
simulated=${simulated#,}

# Numbered in the order of their first use, as the curve numbers blocks, whose
# hashes tinylfu looks at.
perl -e '
    srand 12;
    my %seen;
    for (1 .. 260) {
        my $block = int rand 40;
        $block = int rand($block + 1) if rand() < 0.6;
        $seen{$block} = scalar keys %seen unless exists $seen{$block};
        print "$seen{$block}\n";
    }' >random.lines

# in_one_set POLICY SIZES OPTION... TRACE: as many misses as margay assoc finds.
in_one_set() {
    policy=$1 sizes=$2
    shift 2
    run curve -q --policy "$policy" --sizes "$sizes" "$@"
    misses=$(cut -d, -f5,6 out)
    run assoc -q --policy "$policy" --sets 1 --ways "$sizes" "$@"
    is "$policy of $sizes: misses of margay assoc in one set, $*" "$misses" \
        "$(cut -d, -f6,7 out)"
}

# ------------------------------------------------------------- the table --
letters dacbccgefafbcmtmacfbdcac >ids.lines
run curve -q --policy fifo,lru ids.lines random.lines
is 'the policy is the last column' "$(head -1 out)" \
    'trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio,policy'
is 'rows by trace, policy, size' "$(cut -d, -f1,8 out | uniq | tr '\n' ' ')" \
    'trace,policy ids.lines,fifo ids.lines,lru random.lines,fifo random.lines,lru '
is 'the grid: two sizes an octave up to the largest LRU distance and 1' \
    "$(grep '^ids.*fifo' out | cut -d, -f3 | tr '\n' ' ')" '1 2 3 4 6 8 9 '
run curve -q --policy opt,lru -j 1 ids.lines random.lines
cp out alone
run curve -q --policy opt,lru -j 2 ids.lines random.lines
check 'two traces at the same time, in their order' cmp out alone
run curve -q --policy opt,lru random.lines
cp out exact
run curve -q random.lines
is 'without a simulation it is the usual one' \
    "$(grep ',lru$' exact | sed 's/,lru$//')" "$(tail -n +2 out)"
run curve -q --policy fifo --sizes pow2 random.lines
cp out fifo
run curve -q --sizes pow2 random.lines
is 'powers of two are those of LRU' "$(cut -d, -f3 fifo)" "$(cut -d, -f3 out)"
run curve -q --policy lru,opt --sizes all random.lines
cp out all
steps=$(grep ',opt$' all | cut -d, -f3 | tr '\n' ,)
is 'all sizes: those at which any of the exact curves steps' \
    "$(sed -n 's/,lru$//p' all)" "$("$MARGAY" curve -q --sizes "${steps%,}" \
        random.lines | sed 1d)"
run assoc -q --policy opt --sets 1 \
    --ways "1..$(echo "${steps%,}" | sed 's/.*,//')" random.lines
is 'and no step is left out' "$(sed 1d out | cut -d, -f7 | uniq)" \
    "$(grep ',opt$' all | cut -d, -f6 | uniq)"
run curve -q --policy fifo,opt --sizes all random.lines
is 'all are the same, whether LRU is among them or not' \
    "$(grep ',opt$' out)" "$(grep ',opt$' all)"
run curve -q --policy clock --sizes all random.lines
cut -d, -f3 out >clock
run curve -q --sizes all random.lines
is 'a simulation alone has the steps of LRU' "$(cat clock)" \
    "$(cut -d, -f3 out)"
"$MARGAY" generate zipf --refs 5000 --blocks 700 --to hex -o z.hex
run curve -q -b 64,256 --policy clock,lru z.hex
is 'rows by block size, then policy' \
    "$(cut -d, -f2,8 out | uniq | tr '\n' ' ')" \
    'block_bytes,policy 64,clock 64,lru 256,clock 256,lru '
is 'bytes of caches' "$(sed -n 3p out | cut -d, -f2-4)" '64,2,128'
run curve -q -b 64,256 --policy fifo --sizes 4KiB,16KiB z.hex
is 'sizes in bytes' "$(cut -d, -f2-4 out | tr '\n' ' ')" \
    'block_bytes,cache_blocks,cache_bytes 64,64,4096 64,256,16384 256,16,4096 256,64,16384 '
less=2q:in=0.29,s3fifo:small=0.58,lirs:hir=0.29,tinylfu:window=0.29
more=2q:in=0.290001,s3fifo:small=0.580001,lirs:hir=0.290001,tinylfu:window=0.290001
run curve -q --ids --policy "$less,$more" --sizes 100 z.hex
is '0.29 of 100 blocks are 29, though 0.29 is less in binary' \
    "$(sed -n 2,5p out | cut -d, -f6)" "$(sed -n 6,9p out | cut -d, -f6)"
run curve --policy fifo,lru /dev/null
is 'an empty trace has no rows' "$status $(wc -l <out)" '0 1'
run curve -q --policy fifo,lru --warmup 1000 ids.lines
is 'nor one that is all warm-up' "$status $(wc -l <out)" '0 1'
run curve --policy clock ids.lines
like 'the summary' "$(cat err)" \
    'ids.lines: 24 references, 9 distinct blocks, 9 cold misses,'
run curve --policy clock --sizes 3 --warmup 4 ids.lines
like 'without an engine, too' "$(cat err)" \
    'ids.lines: 20 references, 9 distinct blocks, 5 cold misses,'

# ------------------------------------------ which references, and how read --
"$MARGAY" generate zipf --refs 40000 --blocks 3000 --to u64 -o z.u64
like 'the policies' "$simulated" '^lru,fifo,clock,.*random'
run curve -q --ids --policy "opt,$simulated" --sizes pow2 z.u64
cp out z.csv
is 'as many rows for each' "$(cut -d, -f8 out | uniq -c | awk '{ print $1 }' |
    sort -u | tr '\n' ' ')" '1 13 '
is 'one thread, and four' "$(run curve -q --ids --policy "opt,$simulated" -j1 \
    --sizes pow2 z.u64 && cmp out z.csv; run curve -q --ids -j4 \
    --policy "opt,$simulated" --sizes pow2 z.u64 && cmp out z.csv)" ''
run curve -q -f u64 --ids --policy "opt,$simulated" --sizes pow2 <z.u64
is 'a pipe' "$(sed 's/^-/z.u64/' out)" "$(cat z.csv)"
tail -c +80001 z.u64 | head -c 80000 >part.u64
run curve -q --ids --policy $all,random part.u64
cp out part.csv
run curve -q --ids --policy $all,random --skip 10000 --limit 10000 z.u64
is 'skip and limit' "$(sed 's/^z/part/' out)" "$(cat part.csv)"
perl -ne 'print rand() < 0.5 ? "0 $_" : "1 $_"' z.hex >z.din
grep '^1' z.din >writes.din
run curve -q --policy $all,random writes.din
cp out writes.csv
run curve -q --policy $all,random --kind write z.din
is 'kinds' "$(sed 's/^z/writes/' out)" "$(cat writes.csv)"
for policy in opt opt:bypass=on $(echo "$simulated" | tr , ' '); do
    in_one_set "$policy" 9,200 z.hex
    in_one_set "$policy" 1,2,3,5,8,16,17,40 --warmup 34 random.lines
done

# ------------------------------------------------------------------ bound --
run curve -q --ids --policy lru,fifo,opt --bound 100 z.u64
is 'a bound: no size is above it' \
    "$(cut -d, -f3,8 out | sort -u | sort -n | tail -3 | tr '\n' ' ')" \
    '100,fifo 100,lru 100,opt '
sed -n 's/^\(z.u64,,64,.*\)/\1/p' out >bound
run curve -q --ids --policy lru,fifo,opt --sizes 64 z.u64
is 'and counts are the same' "$(cat bound)" "$(tail -n +2 out)"
run curve --ids --policy fifo --bound 100 z.u64
like 'the summary says it was exceeded' "$(cat err)" 'distinct > 100 blocks'
refuses 'a cache of 101 blocks is above the bound of 100' \
    curve --ids --policy fifo --bound 100 --sizes 101 z.u64

# ----------------------------------------------------------------- sample --
"$MARGAY" generate zipf --refs 400000 --blocks 20000 --exponent 0.7 --to u64 \
    -o large.u64
run curve -q --ids --policy $all --sizes 1000,4000 large.u64
cp out full.csv
run curve -q --ids --policy $all --sizes 1000,4000 --sample 1 large.u64
check 'a sample of all blocks is no sample' cmp -s out full.csv
run curve -q --ids --policy $all --sizes 1000,4000 --sample 0.2 large.u64
is 'a sample: within 0.03' "$(paste -d, full.csv out | tail -n +2 |
    awk -F, '{ d = $7 - $15; if (d * d > 0.0009 || $5 != $13) print }')" ''
check 'yet not the same' test "$(cat out)" != "$(cat full.csv)"
cp out sampled.csv
run curve -q --ids --policy $all --sizes 1000,4000 --sample 0.2 -j1 large.u64
check 'a sample, by one thread' cmp -s out sampled.csv
run curve -q --ids --policy $all --sizes 1000,4000 --sample 0.2 --seed 2 \
    large.u64
check 'another seed, another sample' test "$(cat out)" != "$(cat sampled.csv)"
run curve -q --ids --policy lru --sample 0.2 --sizes 100000 large.u64
tail -1 out | cut -d, -f6 >cold
run curve -q --ids --policy fifo,lru --sample 0.2 large.u64
is 'the grid of a sample ends where LRU misses first uses only' \
    "$(tail -1 out | cut -d, -f6)" "$(cat cold)"
run curve -q --ids --policy fifo --sample 0.000001 --sizes 10 ids.lines
is 'a sample may be empty' "$status $(tail -n +2 out)" \
    '0 ids.lines,,10,,24,0,0,fifo'

# --------------------------------------------------------------- refusals --
refuses "unknown policy 'x'; the policies are lru, fifo" \
    curve --policy fifo,x ids.lines
refuses "unknown policy ''" curve --policy fifo,,lru ids.lines
refuses "policy opt: .*bypass=maybe" \
    curve --policy opt:bypass=maybe,lru ids.lines
refuses "unknown policy 'bypass=on'" curve --policy fifo,bypass=on ids.lines
refuses "policy fifo takes no parameters, not 'a'" \
    curve --policy fifo:a=1,b=2 ids.lines
refuses '--policy fifo: given twice' curve --policy fifo,lru,fifo ids.lines
refuses '--policy plru: it is defined for sets of some ways only' \
    curve --policy lru,plru ids.lines
refuses "--sample: '0' .expected a share of the blocks from 0.000001 to 1" \
    curve --policy lru --sample 0 ids.lines
refuses "--sample: '1.5'" curve --policy lru --sample 1.5 ids.lines
refuses '--sample goes with --policy' curve --sample 0.5 ids.lines
refuses '--save does not go' curve --save s --policy lru ids.lines
refuses '--histogram does not go' curve --histogram h --policy lru ids.lines
check 'and nothing is left behind' test ! -e s -a ! -e h
TMPDIR=/nonexistent
export TMPDIR
run curve -q --policy fifo ids.lines
is 'no temporary file is made where none is needed' "$status" 0
finish
