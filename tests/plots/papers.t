#!/bin/sh
# papers.t - pictures for a column, a page and a slide: no text touches another
. tests/sim/lib.sh

command -v gnuplot >/dev/null || {
    echo '1..0 # SKIP gnuplot is not installed'
    exit 0
}

xz -dc "$root/tests/sample/walk.lackey.xz" >walk.lackey
awk 'BEGIN { print "key,size,tenant"
    for (i = 0; i < 4000; i++) { k = int(exp(i * 7919 % 1000 / 170))
        print k "," k * 37 % 900 + 1 "," k % 3 } }' >objects.csv
sized='--column id=key,size=size'
mkdir tables
write() { # NAME COMMAND...
    table=tables/$1.csv
    shift
    "$MARGAY" "$@" -q -o "$table" || echo "# failed: $*"
}
machine='simulate --machine intel-skylake walk.lackey'
# shellcheck disable=SC2086 # they are several words
{
    write curve curve -b 32,64,128 walk.lackey
    write policies curve --policy lru,opt,fifo,arc,2q,sieve,s3fifo,lirs \
        walk.lackey
    write windows curve --window 400000 --sizes 1K,4K,16K,64K,256K walk.lackey
    write objects curve --objects $sized objects.csv
    write tenants curve --tenant tenant $sized objects.csv
    write histogram histogram --bins log2 -b 64,128 walk.lackey
    write exact histogram walk.lackey
    write assoc assoc walk.lackey
    write caches assoc walk.lackey --ways 1..16
    write compare compare --sets 1..64 --ways 1..4 walk.lackey
    write phases phases walk.lackey
    write machine $machine
    write varied $machine --vary L1D.ways=4,8
    write all $machine --vary L1D.bytes=16K..128K,L2.bytes=128K..1M \
        --pareto tables/pareto.csv
    write engines engines --run walk.lackey --limit 3000 \
        --only exact,olken,shards,scale-tree
    write sweep engines --sweep --blocks 2000 --only exact,olken
    for i in 01 02 03 04 05 06 07 08 09 10 11 12; do
        head -n $((9000 + ${i#0} * 900)) walk.lackey \
            >"a_measurement_of_the_large_cache_with_many_words_in_its_name_$i.lackey"
    done
    write long curve a_measurement*
    write share share tables/exact.csv tables/exact.csv --sizes pow2
}
rm tables/all.csv

# draws NAME OPTION...: at each size, and nothing touches.
draws() {
    name=$1
    shift
    for paper in column page slide; do
        run plot "tables/$name.csv" "$@" --paper $paper -o picture.svg
        is "$name $* for a $paper: drawn" "$status$(cat err)" 0
        is 'no text touches another, or leaves the picture' \
            "$(perl "$root/tests/plots/overlaps.pl" picture.svg)" ''
    done
}
for table in tables/*.csv; do
    draws "$(basename "$table" .csv)"
done
draws compare --map
draws caches --map
draws compare --causes
draws varied --traffic
draws policies --gain
draws policies --labels
draws windows --labels
draws long --labels
"$MARGAY" plot tables/long.csv --paper column -o long.svg
is 'of twelve long names what differs' \
    "$(grep -c '<text>\.\.[01][0-9]\.lackey<' long.svg)" 12
is 'and the axis from 0 to 0.5 has a fifth of the height' "$(perl -ne '
    push @at, $1 if /translate\(\S+?,([\d.]+)\).*text-anchor="end"/;
    END { print $at[0] - $at[-1] >= 0.2 * 264 ? "yes" : "@at" }' long.svg)" yes
awk 'BEGIN { print "trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio"
    for (i = 1; i <= 99; i++) print "t" i ",64,1,64,100," i "," i / 100 }' >many.csv
run plot many.csv --paper column -o many.svg
like 'a legend without room: a note' "$status $(cat err)" \
    '^0 margay plot: many.csv: the legend leaves the picture no room'

for paper in column,396,264 page,780,468 slide,1200,675; do
    name=${paper%%,*}
    "$MARGAY" plot tables/curve.csv --paper "$name" -o size.svg
    is "a $name has its size" \
        "$(sed -n 's/.*viewBox="0 0 \([0-9]*\) \([0-9]*\)".*/\1,\2/p' size.svg)" \
        "${paper#*,}"
done
run plot tables/curve.csv --paper column --size 800x600 -o size.svg
check '--size is another' grep -q 'viewBox="0 0 600 450"' size.svg
refuses "--paper: 'poster'" plot tables/curve.csv --paper poster -o size.svg

# Lines after the first have dashes, sizes and ways, too; TikZ has the paper's font.
for kind in assoc,3 windows,3; do
    "$MARGAY" plot "tables/${kind%,*}.csv" -o dashes.svg
    is "${kind%,*}: four kinds of lines" "$(grep -o "stroke-dasharray='[^']*'" \
        dashes.svg | sort -u | wc -l)" "${kind#*,}"
done
"$MARGAY" plot tables/curve.csv --paper column -o curve.tex
check 'the letters of a column in TikZ' grep -Fq 'fontsize{7.5}' curve.tex

# The checker finds what it is to find.
sed 's/<text>[^<]*<\/text>/<text>a text that is much too long for that place<\/text>/' \
    size.svg >long.svg
check 'texts that touch are found' \
    sh -c "! perl '$root/tests/plots/overlaps.pl' long.svg >/dev/null"
finish
