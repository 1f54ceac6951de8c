#!/bin/sh
# names.t - names with any characters, in every kind of picture
. tests/sim/lib.sh
. "$root/tests/plots/texts.sh"

# Text special to formats, enhanced text, the shell, awk, CSV, XML and TeX.
# shellcheck disable=SC2016 # nothing is to be expanded
odd='50%d_a^b{c}"'\''\$&~@#<x>`w`ü%s.din'
tex='50\%d\_a\textasciicircum{}b\{c\}"'\''\textbackslash{}\$\&\textasciitilde{}@\#$<$x$>$`w`ü\%s.din'
quoted='"'$(printf '%s' "$odd" | sed 's/"/""/g')'"'
awk 'BEGIN { for (i = 0; i < 40; i++) printf "%d %x\n", i % 2, i * 7 % 13 * 16 }' >"$odd"
cp "$odd" other.din
set -- "$odd" other.din
"$MARGAY" curve -q "$@" -o curve.csv
"$MARGAY" curve -q --window 10 "$@" -o windows.csv
"$MARGAY" curve -q --policy lru,opt,fifo "$@" -o policies.csv
"$MARGAY" histogram -q "$@" -o histogram.csv
"$MARGAY" assoc -q --sets 1,2 --ways 1,2 "$@" -o assoc.csv
"$MARGAY" assoc -q --sets 1,2 --ways 1,2 "$odd" -o map.csv
"$MARGAY" compare -q --sets 1,2 --ways 1,2 "$@" -o compare.csv
"$MARGAY" compare -q --sets 1,2 --ways 1,2 "$odd" -o causes.csv
"$MARGAY" phases -q "$odd" -o phases.csv
cat >machine.csv <<'EOF'
cache,holds,bytes,block_bytes,ways,next
L1%d_a,all,128,64,1,L2%s
L2%s,all,256,64,2,
EOF
"$MARGAY" simulate -q --machine machine.csv "$@" -o machine.out.csv
mkdir runs
for run in "$@"; do
    "$MARGAY" histogram -q --bins exact "$run" -o "runs/$run"
done
"$MARGAY" share "runs/$odd" runs/other.din -o share.csv
"$MARGAY" predict -q --curve --with-runs --size 400 "runs/$odd=1" \
    runs/other.din=2 -o predict.csv 2>err
{
    echo op,key
    awk 'BEGIN { for (i = 0; i < 40; i++) print i % 2 ? "o" : "", i * 7 % 13 }' |
        while read -r tenant key; do
            [ -n "$key" ] && echo "other,$key" || echo "$quoted,$tenant"
        done
} >tenants
"$MARGAY" curve -q -f csv --column id=key --tenant op tenants -o tenants.csv
printf 'name,from,to\n%s,0,64\nrest,64,400\n' "$quoted" >regions
"$MARGAY" histogram -q --by region=regions "$odd" -o regions.csv
"$MARGAY" overlap -q regions.csv regions.csv -o overlap.csv
printf '%s\n' trace,file,line,function,cache_bytes,references,misses \
    "t,$quoted,1,f,64,40,9" "t,b.c,1,g,64,40,8" >annotate.csv
cat >cycles.csv <<'EOF'
cache,holds,bytes,block_bytes,ways,next,cycles
L1,all,128,64,1,memory,1
memory,all,,,,,9
EOF
"$MARGAY" simulate -q --machine cycles.csv --vary L1.bytes=64,128 \
    --pareto pareto.csv "$@" -o varied.csv

# named NAME TABLE OPTION...: the name stands in the picture, letter by letter.
named() {
    name=$1
    shift
    for suffix in svg png tex; do
        run plot "$@" -o "$name.$suffix"
        is "$name.$suffix: drawn, nothing said" "$status$(cat out err)" 0
    done
    read_texts "$name"
    check "$name.svg has the name" grep -Fq -e "$odd" "$name.txt"
    check "$name.tex has the name" grep -Fq -e "$tex" "$name.tex"
}
for kind in curve windows policies histogram assoc compare phases predict \
    share tenants regions overlap annotate pareto; do
    named $kind $kind.csv
done
named labels curve.csv --labels
named both assoc.csv curve.csv
named gain policies.csv --gain
named map map.csv --map
named causes causes.csv --causes
named machine machine.out.csv
named traffic machine.out.csv --traffic
is 'names of caches' "$(grep -cxF -e 'L1%d_a' -e 'L2%s' machine.txt traffic.txt |
    tr '\n' ' ')" 'machine.txt:2 traffic.txt:2 '

# A long name without its middle: a legend that is too wide would be left out.
long=$(printf '%%s_é%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
cut='%s_é%s_é%s_é%s_é%s_..s_é%s_é%s_é%s_é%s_é'
cp other.din "$long"
"$MARGAY" curve -q "$long" other.din -o long.csv
"$MARGAY" simulate -q --machine machine.csv "$long" other.din -o caches.csv
for picture in long.csv caches.csv '--traffic caches.csv'; do
    picture long "$picture" "$cut"
done

# Names that differ where they are cut: a note says so.
awk 'BEGIN { print "trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio"
    many = "abcdefghijklmnopqrstuvwxyz0123456789"
    for (i = 1; i < 4; i++)
        print substr(many, 1, 30) i many ",64,1,64,9," i "," i / 9 }' >alike.csv
run plot alike.csv -o alike.svg
is 'names that are cut alike' "$status $(cat err)" "0 margay plot: alike.csv: \
names are cut alike: they differ in a larger picture (--size)"

# Bytes that are no UTF-8, also in the table's own name.
other=$(printf 'a\351b\300\257c\377.din')
shown=$(printf 'a\357\277\275b\357\277\275\357\277\275c\357\277\275.din')
is_utf8() {
    perl -MEncode -0777 -ne 'decode("UTF-8", $_, Encode::FB_CROAK)' "$1"
}
cp other.din "$other"
"$MARGAY" curve -q "$other" -o "$other.csv"
cp "$other.csv" bytes.csv
for from in bytes.csv "$other.csv"; do
    run plot "$from" -o bytes.svg
    is 'bytes: drawn' "$status$(cat err)" 0
    check 'a picture is UTF-8' is_utf8 bytes.svg
    check 'with a mark for each' grep -Fq -e "$shown" bytes.svg
done
run report -q "$other" -o bytes.html
check 'a report is UTF-8' is_utf8 bytes.html
check 'with a mark for each' grep -Fq -e "$shown" bytes.html
finish
