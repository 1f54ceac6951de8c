#!/bin/sh
# caches.t - pictures of set-associative caches, by the texts in an SVG
. tests/sim/lib.sh
. "$root/tests/plots/texts.sh"

LC_ALL=C.UTF-8
export LC_ALL
"$MARGAY" generate zipf --refs 20000 --blocks 500 --unit 64 --to u64 -o z.u64
"$MARGAY" convert -q z.u64 - --to hex | awk '{ print NR % 3, $1 }' >z.din
"$MARGAY" assoc -q --sets 1..256 --ways 1,2,3 z.u64 -o assoc.csv
"$MARGAY" assoc -q --by kind -b 64,128 --sets 1..256 z.din -o two.csv
"$MARGAY" compare -q --sets 1..256 --ways 1,2,3 z.u64 -o compare.csv
"$MARGAY" curve -q z.u64 -o curve.csv
"$MARGAY" curve -q --writebacks z.din -o writebacks.csv

drawn assoc assoc.csv
shows assoc 'Misses of set-associative caches' 'z.u64, 64-byte blocks' '1 way' \
    '3 ways'

# A table without a policy, one with a spec that has a comma, and several.
cut -d, -f1-8 assoc.csv >assoc-old.csv
drawn assoc-old assoc-old.csv
check 'old: the same picture' cmp -s assoc.svg assoc-old.svg
sed 's/,lru$/,"2q:in=0.5,out=1"/' assoc.csv >assoc-spec.csv
drawn assoc-spec assoc-spec.csv
shows assoc-spec 'z.u64, 64-byte blocks, 2q:in=0.5,out=1'
"$MARGAY" assoc -q --policy fifo,2q:in=0.5,out=1,lru --sets 1..256 --ways 1,2,3 \
    z.u64 -o three.csv
drawn three three.csv
shows three '1 way, fifo' '3 ways, 2q:in=0.5,out=1' '2 ways, lru'
is 'a line for each policy and number of ways, one where some coincide' \
    "$(grep -c '<title>.*ways\{0,1\}, ' three.svg) $(grep -c ' way.*, ' three.txt)" \
    '8 9'
refuses '3 traces, block sizes or policies, expected one for a map' \
    plot --map three.csv -o map3.svg
awk 'BEGIN { print "id,size"
    for (i = 0; i < 5000; i++) { id = i * i % 97; print id "," 100 + id } }' \
    >objects.csv
"$MARGAY" curve -q --objects --policy lru,s3fifo --column id=id,size=size \
    -f csv objects.csv -o sized.csv
drawn sized sized.csv
shows sized 'Misses of caches of objects, by policy' 'lru, requests' \
    's3fifo, bytes'
# slanted NAME: the pieces of lines with a colour that go neither straight on nor
# straight down.
slanted() {
    perl -ne 'while (/<path stroke=.rgb\([^>]*? d=.([^\x27]*)/g) {
        for (split / /, $1) {
            ($move, $to_x, $to_y) = /(\w)([\d.]+),([\d.]+)/ or next;
            $count++ if $move eq "L" && $to_x != $x && $to_y != $y;
            ($x, $y) = ($to_x, $to_y) } }
        END { print $count + 0 }' "$1.svg"
}
check 'straight lines join policies' test "$(slanted sized)" -gt 4
"$MARGAY" curve -q --objects --column id=id,size=size -f csv objects.csv \
    -o unsized.csv
drawn unsized unsized.csv
is 'and others are steps' "$(slanted unsized)" 0
shows assoc 'cache size'
drawn two two.csv
shows two '16 ways, 128-byte blocks'
drawn both assoc.csv curve.csv
shows both 'fully associative' 'cache size in blocks'
drawn other curve.csv assoc.csv
check 'the order of tables does not matter' cmp -s both.svg other.svg
drawn compare compare.csv
shows compare 'predicted miss ratio' 'binomial'
drawn causes --causes compare.csv
shows causes 'Misses by cause' cold capacity conflict
refuses '--causes needs a table of' plot --causes assoc.csv -o x.svg
refuses '--causes: found --map too' plot --causes --map compare.csv -o x.svg
drawn map --map assoc.csv
shows map 'Miss ratio by sets and ways' '256'
"$MARGAY" assoc -q -b 64 --sets 3,4,8,48 --ways 1..4 z.din -o odd.csv
drawn odd --map odd.csv
shows odd 3 48 '512 B' '1 KiB'
printf '%s\n' cache,holds,bytes,block_bytes,ways,next L1,all,1K,64,2,L2 \
    L2,all,8K,64,4, >m.csv
"$MARGAY" simulate -q --machine m.csv z.din -o machine.csv
drawn traffic --traffic machine.csv
shows traffic 'Traffic below each cache'
refuses '--traffic needs a table of' plot --traffic assoc.csv -o x.svg
refuses 'machine.csv: a picture of this kind shows one table' plot --traffic \
    machine.csv machine.csv -o x.svg
refuses '--traffic: found --map too' plot --map --traffic assoc.csv -o x.svg
refuses '--yrange: there is no such choice' plot --traffic --yrange 0..1 \
    machine.csv -o x.svg
drawn writebacks writebacks.csv
shows writebacks 'z.din, 64-byte blocks'

refuses 'another kind' plot compare.csv curve.csv -o x.svg
refuses '--map needs a table of' plot --map curve.csv -o x.svg
run plot --map two.csv -o x.svg
is 'a map is of one trace and block size' "$status" 2
finish
