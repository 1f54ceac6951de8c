#!/bin/sh
# objects.t - objects of traces that are piped, of several, sampled, told and
# drawn; tests/stackdist/test_objects.c holds the curves against lists, and
# tests/frozen has their tables
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
# differing TTL|- NAME [vscsi]: the rows of `out` that a plain cache does not have.
differing() {
    perl "$root/tests/sim/lru.pl" "$(sed 1d out | cut -d, -f4 | paste -sd, -)" \
        "$@" >plain.rows
    sed 1d out | cut -d, -f4-6,8-9 | comm -3 --nocheck-order - plain.rows
}

make a.oracle 300 4000 1
make b.oracle 40 1500 7
# Sizes that change, for so many objects that the engine's tables grow.
perl -e '
    require shift;
    seed(5);
    for my $time (1 .. 60_000) {
        print pack "V Q< V q<", $time, draw(1 + draw(30_000)), 1 + draw(900), -1;
    }' "$root/tests/sim/draw.pl" >changing.oracle
run curve -q --objects --sizes 900,30000,400000,5000000 -f oracle changing.oracle
is "many objects whose sizes change: each is a plain cache" \
    "$(differing - changing.oracle)" ""
# Times between seconds, at which copies expire, are told apart.
perl -e 'require shift; seed(2);
    for (1 .. 4000) { $time += (0, 1, 499_999, 1_000_000)[draw(4)];
    print pack "V V V v v Q< Q<", $_, 512 + $_ % 7, 1, 40, 256, draw(90), $time
    }' "$root/tests/sim/draw.pl" >fine.vscsi
for policy in '' '--policy lru'; do
    # shellcheck disable=SC2086 # nothing, or two words
    run curve -q --objects --ttl 25 --sizes 1000,9000,99000 $policy fine.vscsi
    is "  and expire to the microsecond $policy" "$(differing 25 fine.vscsi vscsi)" ""
done

run curve --objects -f oracle a.oracle b.oracle -j 1
cp out one
run curve --objects -f oracle a.oracle b.oracle -j 4
check "threads change nothing" cmp -s one out
run curve --objects -f oracle - <a.oracle
sed 's/^-,/a.oracle,/' out >piped
check "  nor does a pipe" cmp -s piped <<EOT
$(grep -v '^b.oracle' one)
EOT
refuses 'for one trace at a time' \
    curve --objects --prometheus p -f oracle a.oracle b.oracle

# A histogram of distances, which say what large caches hit.
run distances --objects -f oracle a.oracle
cp out distances
run histogram --objects --bins exact -f oracle a.oracle
is "a histogram counts the distances" \
    "$(tail -n +2 out | awk -F, '{ for (i = 0; i < $5; i++) print $3 }' |
        sort -n | cksum)" \
    "$(tail -n +2 distances | cut -d, -f5 | sort -n | cksum)"
is "hits of a large cache have that distance at most" \
    "$(awk -F, 'NR > 1 && $5 != "inf" && $5 <= 200000' distances | wc -l)" \
    "$("$MARGAY" curve -q --objects --sizes 200000 -f oracle a.oracle |
        awk -F, 'NR > 1 { print $5 - $6 }')"

# Those of each operation are those of its requests, of sizes beyond 2^39, too.
awk 'BEGIN { srand(3); print "id,size,op"; for (i = 0; i < 400; i++) {
    id = int(30 * rand()); r = rand()
    printf "%d,%.0f,%s\n", id, 5 + id * (id % 2 ? 1 : 274877906944), \
        (r < 0.6 ? "get" : r < 0.9 ? "set" : "delete") } }' >ops.csv
run distances --objects --column id=id,size=size,op=op ops.csv
sed 1d out | cut -d, -f5 >distances
sed '1d; /delete/d; s/.*,//' ops.csv | paste -d, - distances |
    sort | uniq -c | awk '{ print $2 "," $1 }' | sort >expected
run histogram --objects --by op --column id=id,size=size,op=op ops.csv
sed 1d out | cut -d, -f1,4,6 | sort >got
check "a histogram of each operation" cmp got expected

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
run curve --objects -e shards:rate=0.3 -f oracle a.oracle
is "a sample is the same each time" "$status $(for _ in 1 2 3 4 5 6 7 8; do
    "$MARGAY" curve -q --objects -e shards:rate=0.3 -f oracle a.oracle 2>&1 |
        cksum
done | sort -u | wc -l | tr -d ' ')" '0 1'
like "  and says that it is one" "$(cat err)" 'about [0-9]+ objects'
like "  and where it is no guide" "$(cat err)" \
    'caches smaller than [0-9,]+ bytes are no guide'
run curve --objects -e shards:rate=0.3 --sizes 1GiB -f oracle a.oracle
is "  unless all caches are larger" "$(grep -c 'no guide' err)" 0
perl -e 'for (1 .. 300000) { $s = ($s * 1103515245 + 12345) & 0x7fffffff;
    my $id = int exp(12 * $s / 0x7fffffff);
    my $bytes = ($id * 2654435761 >> 9) % (1 << $id % 23);
    print pack "V Q< V q<", 0, $id, $bytes, -1 }' >long.oracle
for rate in 1 0.01; do
    run curve -q --objects -e shards:rate=$rate --sizes 8M,64M,512M,4G long.oracle
    cut -d, -f7,10 out >rate.$rate
done
is "a hundredth errs by less than 0.03" \
    "$(paste -d, rate.1 rate.0.01 | awk -F, 'NR > 1 { for (i = 1; i < 3; i++)
        bad += ($i - $(i + 2)) ^ 2 > 0.03 ^ 2 } END { print NR, bad + 0 }')" "5 0"
perl -e 'print pack "V Q< V q<", $_, $_ % 999, 9, -1 for 1 .. 29970' >loop.oracle
is "copies expire in a sample as often as they do" \
    "$(for rate in 1 0.1; do "$MARGAY" curve -q --objects -f oracle --ttl 1500 \
        -e shards:rate=$rate --sizes 1MiB loop.oracle; done |
        awk -F, 'NR % 2 == 0 { print ($7 - 0.5) ^ 2 < 0.01 }' | tr -d '\n')" 11
perl -e 'print "id,size\n"; for (1 .. 3000) {
    $s = ($s * 1103515245 + 12345) & 0x7fffffff; my $id = int exp(5 * $s / 0x7fffffff);
    print "$id,", (10, 1, 0, 5000, 100)[$id % 5], "\n" }' >few.csv
run curve -q --objects -e shards:rate=0.1 --seed 4 few.csv
is "  and where bytes miss, a reference does" \
    "$(awk -F, '$6 == 0 && $9 > 0' out | wc -l)" 0
finish
