#!/bin/sh
# objects.t - caches and distances in bytes, against a plain LRU cache in Perl
. tests/sim/lib.sh

# make NAME OBJECTS REQUESTS SEED: a trace whose objects differ in size by
# powers of two, some of size 0 or 1.
make() {
    perl -e '
        require shift;
        my ($objects, $requests, $seed) = @ARGV;
        seed($seed);
        my @sizes = map { draw(9) == 0 ? draw(2) : 1 + draw(2 << draw(16)) }
            1 .. $objects;
        my $time = 1000;
        for (1 .. $requests) {
            my $id = draw(1 + draw($objects));
            $time += draw(3);
            print pack "V Q< V q<", $time, $id, $sizes[$id], -1;
        }' "$root/tests/sim/draw.pl" "$2" "$3" "$4" >"$1"
}

# plain NAME TTL: what plain caches of the sizes in `out` have.
plain() {
    perl "$root/tests/sim/lru.pl" "$(sed 1d out | cut -d, -f4 | paste -sd, -)" \
        "$2" "$1"
}
# differing NAME TTL: the rows of `out` that a plain cache does not have.
differing() {
    plain "$1" "$2" >plain.rows
    sed 1d out | cut -d, -f4-6,8-9 | comm -3 --nocheck-order - plain.rows
}

make a.oracle 300 4000 1
make b.oracle 40 1500 7

for grid in pow2 octave:2 1,17,500B,3KiB,100000; do
    run curve --objects --sizes $grid -f oracle a.oracle
    is "curve --sizes $grid works" "$status" 0
    is "  at each size it is a plain cache" "$(differing a.oracle -)" ""
done
like "its header" "$(head -1 out)" \
    '^trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio,reference_bytes,missed_bytes,byte_miss_ratio$'
is "sizes with and without suffix are bytes" \
    "$(cut -d, -f4 out | tr '\n' ' ')" "cache_bytes 1 17 500 3072 100000 "
like "blocks are no matter" "$(sed -n 2p out)" '^a.oracle,,,1,4000,'

run curve --objects --sizes all -f oracle b.oracle
is "curve --sizes all works" "$status" 0
is "  and is a plain cache at each" "$(differing b.oracle -)" ""
# The first size of these whose ratio is low enough.
cp out every
first() { # COLUMN RATIO
    awk -F, -v column="$1" -v most="$2" \
        'NR > 1 && $column <= most { print $4; exit }' every
}
for most in 0.9 0.5 0.2; do
    run curve --objects --at-most $most --sizes 1K -f oracle b.oracle
    like "--at-most $most names the smallest of all sizes" "$(cat err)" \
        " miss ratio of at most $most has $(first 7 $most) bytes?: "
    run curve --objects --at-most-bytes $most --sizes 1K -f oracle b.oracle
    like "--at-most-bytes $most, too" "$(cat err)" \
        "byte miss ratio of at most $most has $(first 10 $most) bytes?: "
done
run curve --objects --at-most-bytes 0 --sizes 1K -f oracle b.oracle
is "no cache misses nothing" "$status" 1
like "  and why" "$(cat err)" 'byte miss ratio of at most 0: the cold misses alone'
run curve --objects --knees 2 --sizes 1K -f oracle b.oracle
is "knees of objects" "$status $(grep -c 'knee [12] at [0-9]* bytes' err)" '0 2'
is "  are falls" "$(sed -n 's/.* falls from \(.*\) at half of that to /\1 /p' err |
    awk '$1 <= $2')" ''
cp out words
run curve --objects --sizes 1K -f oracle b.oracle
check "words do not change the table" cmp -s out words
refuses '--at-most-bytes is for objects' curve --at-most-bytes 0.5 -f oracle b.oracle

perl -e 'print pack "V Q< V q<", 1, 7, 3, -1' >once.oracle
run curve -q --objects --sizes all -f oracle once.oracle
is "  and has a row where nothing hits" "$(sed 1d out)" \
    'once.oracle,,,1,1,1,1,3,3,1'
run curve --objects --sizes pow2 --ttl 60 -f oracle a.oracle
like "--ttl counts what expired" "$(cat err)" ', [1-9][0-9]* expired,'
like "  and what is approximate" "$(cat err)" ', [1-9][0-9]* with an approximate'
# off NAME TTL: the rows of `out` whose misses are wrong by more than 1% of the
# references.
off() {
    plain "$1" "$2" | paste -d, - out.rows |
        awk -F, '($3 - $7) ^ 2 > ($2 / 100) ^ 2 { print $1 }'
}
sed 1d out | cut -d, -f5-6 >out.rows
is "  and is near a plain cache that forgets" "$(off a.oracle 60)" ""

# Sizes that change, for so many objects that the engine's tables grow.
perl -e '
    require shift;
    seed(5);
    for my $time (1 .. 60_000) {
        print pack "V Q< V q<", $time, draw(1 + draw(30_000)), 1 + draw(900), -1;
    }' "$root/tests/sim/draw.pl" >changing.oracle
run curve -q --objects --sizes 900,30000,400000,5000000 -f oracle changing.oracle
is "many objects whose sizes change: each is a plain cache" \
    "$(differing changing.oracle -)" ""

run curve --objects -f oracle a.oracle b.oracle -j 1
cp out one
run curve --objects -f oracle a.oracle b.oracle -j 4
check "threads change nothing" cmp -s one out
run curve --objects -f oracle - <a.oracle
sed 's/^-,/a.oracle,/' out >piped
check "  nor does a pipe" cmp -s piped <<EOT
$(grep -v '^b.oracle' one)
EOT

# A histogram of distances, which say what large caches hit.
run distances --objects -f oracle a.oracle
cp out distances
is "distances has a row for each request" "$(wc -l <distances)" 4001
run histogram --objects --bins exact -f oracle a.oracle
is "histogram --objects works" "$status" 0
is "  and counts these distances" \
    "$(tail -n +2 out | awk -F, '{ for (i = 0; i < $5; i++) print $3 }' |
        sort -n | cksum)" \
    "$(tail -n +2 distances | cut -d, -f5 | sort -n | cksum)"
is "hits of a large cache have that distance at most" \
    "$(awk -F, 'NR > 1 && $5 != "inf" && $5 <= 200000' distances | wc -l)" \
    "$("$MARGAY" curve -q --objects --sizes 200000 -f oracle a.oracle |
        awk -F, 'NR > 1 { print $5 - $6 }')"
run curve --objects --sizes 1K --histogram h.csv -f oracle a.oracle
run histogram --objects -f oracle a.oracle
check "curve --histogram writes the same" cmp -s out h.csv
run curve --objects --warmup 4000 -f oracle a.oracle
is "a warm-up of everything leaves no row" "$(wc -l <out)" 1

# A picture, of which the first size is the last at which everything misses.
if command -v gnuplot >/dev/null; then
    "$MARGAY" curve -q --objects -f oracle -o c.csv a.oracle b.oracle
    run plot c.csv -o c.svg
    is "plot draws it" "$status $(head -c 5 c.svg)" "0 <?xml"
    is "  with a line for requests and one for bytes, each" \
        "$(grep -o '>[ab].oracle, [a-z]*<' c.svg | sort -u | wc -l)" 4
else
    skip "plot draws it" "no gnuplot"
fi

# A sample.
run curve --objects -e shards:rate=1 -f oracle a.oracle
cp out all
run curve --objects -f oracle a.oracle
is "a sample of all is all, at no less than the largest object" \
    "$(tail -3 all)" "$(tail -3 out)"
run histogram -q --objects -e shards:rate=0.3 -f oracle a.oracle
is 'a histogram of a sample counts all references' \
    "$(awk -F, 'NR > 1 { sum += $5 } END { print sum }' out)" \
    "$("$MARGAY" histogram -q --objects -f oracle a.oracle |
        awk -F, 'NR > 1 { sum += $5 } END { print sum }')"
run curve -q --objects --every 10 --prometheus live.prom -f oracle a.oracle
check 'with --every the file for Prometheus is there from the beginning on' \
    grep -q 'margay_byte_miss_ratio{' live.prom
run curve --objects -e shards:rate=0.3 -f oracle a.oracle
is "a sample works" "$status" 0
is "  each time" "$(for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    "$MARGAY" curve -q --objects -e shards:rate=0.3 -f oracle a.oracle 2>&1 |
        cksum
done | sort -u | wc -l | tr -d ' ')" 1
like "  and says that it is one" "$(cat err)" 'about [0-9]+ objects'

# Totals.
perl -e 'print pack "V Q< V q<", 1, $_, 0xffffffff, -1 for 1 .. 3' >big.oracle
run curve --objects --sizes pow2 -f oracle big.oracle
like "sizes are 64 bits together" "$(tail -1 out)" ',17179869184,3,3,1,12884901885,12884901885,1$'
: >empty
run curve --objects -f oracle empty
is "nothing gives no rows" "$status $(wc -l <out)" "0 1"

# Looks before the end: as if the trace ended there.
"$MARGAY" curve -q --objects --sizes pow2 --prometheus x.prom -f oracle \
    -o x.csv a.oracle
"$MARGAY" curve -q --objects --sizes pow2 --every 2500 -f oracle \
    -o y.csv a.oracle
head -c 60000 a.oracle >first.oracle
run curve -q --objects --sizes pow2 -f oracle first.oracle
sed 's/first/a/' out >expected
check 'a snapshot is as if the trace ended there' \
    cmp y.csv.snapshot expected
{
    sed 1d x.csv | awk -F, '{ print "margay_miss_ratio", $4, $7 }'
    sed 1d x.csv | awk -F, '{ print "margay_byte_miss_ratio", $4, $10 }'
    echo margay_references 4000
} >expected
sed -e '/^#/d' -e 's/{.*cache_bytes="\([0-9]*\)"}/ \1/' -e 's/{.*}//' \
    x.prom >samples
check 'Prometheus is told both ratios' cmp samples expected
run histogram -q --objects --every 2500 -f oracle -o h.csv a.oracle
is 'a histogram can be looked into, too' "$status $(wc -l <h.csv.snapshot)" \
    "0 $("$MARGAY" histogram -q --objects -f oracle first.oracle | wc -l)"
refuses 'for one trace at a time' \
    curve --objects --prometheus p -f oracle a.oracle b.oracle

# Windows: the misses of the first ones together are those of a cache that has
# seen no more.
run curve -q --objects --window 900 --sizes 77,3000,70K -f oracle a.oracle
is 'windows of objects' "$status $(cut -d, -f1 out | uniq | tr '\n' ' ')" \
    '0 window 0 1 2 3 4 '
cp out windows
for last in 0 1 2 3; do
    head -c $((24 * 900 * (last + 1))) a.oracle >first.oracle
    awk -F, -v last=$last 'NR > 1 && $1 <= last {
        for (i = 6; i <= 10; i++) sum[$5, i] += $i; size[$5] = 1
    }
    END {
        for (b in size)
            print "a,,," b "," sum[b, 6] "," sum[b, 7] ",," sum[b, 9] "," sum[b, 10]
    }' windows | sort >out
    is "  up to window $last they are those of plain caches" \
        "$(wc -l <out) $(differing first.oracle -)" '3 '
done

# Objects of one byte are blocks, and fade like these.
perl -ne 'BEGIN { $/ = \24 } print pack "V Q< V q<", (unpack "V Q<"), 1, -1' \
    a.oracle >bytes.oracle
"$MARGAY" curve -q --half-life 500 --sizes pow2 -f oracle bytes.oracle |
    cut -d, -f3,5-7 >expected
run curve -q --objects --half-life 500 --sizes pow2 -f oracle bytes.oracle
cut -d, -f4-7 out | paste -d, - expected |
    awk -F, 'NR > 1 && ($1 != $5 || $2 != $6 || $3 != $7 ||
        ($4 - $8) ^ 2 > 1e-22)' >differences
is 'objects fade as blocks do' "$status $(wc -l <out) $(cat differences)" \
    "0 $(wc -l <expected) "
run histogram -q --objects --half-life 500 -f oracle a.oracle
is 'their histogram, too' "$status $(sed 1d out |
    awk -F, '{ sum += $6 } END { printf "%.9f", sum }')" '0 1.000000000'

make c.oracle 1000 12000 5
run curve -q --objects --sizes octave:4 -f oracle c.oracle
awk -F, 'NR == 1 || $4 < 200000' out >expected
run curve -q --objects --bound 200000 --sizes octave:4 -f oracle c.oracle
sed '$d' out >bounded
is 'a bound ends the curve' "$status $(cmp bounded expected)" '0 '
is '  with a row of its own' "$(sed '$d' out | wc -l) $(differing c.oracle - |
    wc -l) $(tail -n 1 out | cut -d, -f4)" "$(wc -l <expected) 0 200000"
run distances -q --objects -f oracle c.oracle
awk -F, -v OFS=, 'NR > 1 && $5 > 200000 { $5 = "inf" } 1' out >expected
run distances -q --objects --bound 200000 -f oracle c.oracle
is 'distances above it are infinite' "$status $(cmp out expected)" '0 '
run histogram -q --objects --bins log2 --bound 200000 -f oracle c.oracle
is 'and the last row of a histogram' "$status $(tail -n 1 out |
    cut -d, -f3-5)" "0 200001,inf,$(grep -c ',inf$' expected)"
run curve --objects --bound 200000 -f oracle c.oracle -o /dev/null
like 'the summary says so' "$(cat err)" \
    'objects of more than 200000 bytes in all, [0-9]+ hit in no cache up to'

printf '0 1000\n1 1040\n' >t.din
refuses '--objects: the trace does not say the sizes' curve --objects t.din
refuses '--op: the trace does not say the operations' curve --op get t.din
refuses '--ttl is for objects' curve --ttl 5 t.din
refuses '--ttl is for objects' histogram --ttl 5 t.din
refuses '--op: .put. .expected get, set or delete' curve --op put t.din
for option in '-b 64' '--bound 4K --policy lru' '--writebacks' '--from x.csv' \
    '--straddle first' '--model footprint' '--save s' '--resume t.din' \
    '--chunk 64' '--phase 64' '--unit 512' '--ids'; do
    # shellcheck disable=SC2086 # two words
    refuses '--objects does not go with --' curve --objects $option a.oracle
done
refuses 'a bound is for exact curves' curve --objects -e shards --bound 4K \
    a.oracle
refuses 'a cache of 8192 bytes is above the bound of 4096' \
    curve --objects --bound 4K --sizes 8K a.oracle
refuses 'for exact curves' curve --objects -e shards --half-life 9 a.oracle
printf 'id,size\n%s\n%s\n%s\n' a,4611686018427387904 a,4611686018427387904 \
    a,4611686018427387904 >large.csv
refuses '2\^63 bytes or more, as they fade' \
    curve --objects --half-life 16 large.csv
refuses 'does not go with --window' \
    curve --objects --half-life 9 --window 3 a.oracle
refuses 'does not go with --of time' histogram --objects --of time a.oracle
refuses 'does not go with --by, which counts distances of blocks' \
    histogram --objects --by thread a.oracle
refuses 'olken knows nothing of sizes' curve --objects -e olken a.oracle
refuses 'does not tell the distance' distances --objects -e shards a.oracle

finish
