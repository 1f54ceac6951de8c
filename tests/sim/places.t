#!/bin/sh
# places.t - whose references have which distances
. tests/sim/lib.sh

# A trace with threads, sites and counts; its first byte is the fuzzer's.
tail -c +2 "$BUILD/tests/fuzz/seeds/mgt/columns" >c.mgt
# Entry i is made by thread i / 100 % 3 at 0x400000 + 4 (i % 7), and every
# fifth one stands for i more.
entries() {
    awk 'BEGIN { for (i = 0; i < 300; i++) {
        site = sprintf("0x%x", 4194304 + i % 7 * 4)
        for (k = 0; k < 1 + (i % 5 == 0) * i; k++)
            print site, int(i / 100) % 3 } }'
}
# by_hand FIELD: place, distance and how many, from the distances one by one.
"$MARGAY" distances -q c.mgt | tail -n +2 | cut -d, -f5 >distances
entries | paste -d' ' - distances >all
by_hand() {
    awk -v field="$1" '{ n[$field " " $3]++ }
        END { for (k in n) print k, n[k] }' all | sort
}
# by PLACE: the same from the table.
by() {
    run histogram -q --by "$1" c.mgt
    awk -F, 'NR > 1 && $6 > 0 { print $1, $4, $6 }' out | sort
}
is 'there are as many references' "$(entries | wc -l)" "$(wc -l <distances)"
is 'by site' "$(by site)" "$(by_hand 1)"
is 'its columns' "$(head -n 1 out)" \
    'site,trace,block_bytes,distance_from,distance_to,references,share'
is 'sites ascend' "$(cut -d, -f1 out | tail -n +2 | uniq)" \
    "$(cut -d, -f1 out | tail -n +2 | sort -u)"
is 'by thread' "$(by thread)" "$(by_hand 2)"
is 'threads ascend' "$(cut -d, -f1 out | tail -n +2 | uniq | tr '\n' ' ')" '0 1 2 '
for by in thread site; do
    run histogram -q --by $by --every 5000 -o looked c.mgt
    run histogram -q --by $by --limit 5000 c.mgt
    check "a snapshot by $by" cmp -s looked.snapshot out
    run histogram -q --by $by c.mgt
    check 'changes nothing' cmp -s looked out
done
run histogram -q --by site -b 64,128 --bins log2 c.mgt
awk -F, 'NR > 1 { print $2 "," $3 "," $4 "," $5, $6 }' out |
    awk '{ n[$1] += $2 } END { for (k in n) print k "," n[k] }' | sort >got
"$MARGAY" histogram -q -b 64,128 --bins log2 c.mgt | tail -n +2 |
    sed 's/,[^,]*$//' | sort >want
check 'two block sizes: all sites are the whole' cmp -s got want
is 'shares are of all references' "$(awk -F, 'NR > 1 && $3 == 64 { sum += $7 }
    END { printf "%.6f", sum }' out)" '1.000000'
run histogram -q --by thread --warmup 500 c.mgt
is 'the warm-up is not counted' \
    "$(awk -F, 'NR > 1 { n += $6 } END { print n }' out)" \
    "$(($(wc -l <distances) - 500))"

# -------------------------------------------------------------- regions --
printf ' L 10,4\n S 3e,4\n L 40,4\n L 1000,4\n L 10,4\n L 3e,4\n' >r.lackey
cat >map.csv <<'END'
name,from,to
"low, first",0,0x20
high,0x20,64
"low, first",64,128
nobody,0x80,0x90
END
run histogram -q --by region=map.csv r.lackey
is 'regions, in the order of the table, the rest last' "$(cat out)" \
    'region,trace,block_bytes,distance_from,distance_to,references,share
"low, first",r.lackey,64,2,3,1,0.166666666667
"low, first",r.lackey,64,inf,inf,2,0.333333333333
high,r.lackey,64,0,1,2,0.333333333333
high,r.lackey,64,inf,inf,0,0
other,r.lackey,64,inf,inf,1,0.166666666667'
awk 'BEGIN { print "name,from,to"
    for (i = 0; i < 3000; i++) print "n" (i * 7) % 1000 "," i ",", i + 1 }' |
    tr -d ' ' >thousand.csv
awk 'BEGIN { for (i = 0; i < 3000; i++) printf " L %x,1\n", i }' >t.lackey
run histogram -q -b 1 --by region=thousand.csv t.lackey
is 'a thousand names, each of three regions, and in their order' \
    "$(awk -F, 'NR > 1 && ($6 != 3 || $1 != "n" (n++ * 7) % 1000) { bad++ }
        END { print n, bad + 0 }' out)" '1000 0'
run histogram -q --straddle split --by region=map.csv r.lackey
is 'a block belongs to where its reference begins' \
    "$(awk -F, '$1 == "high" { n += $6 } END { print n }' out)" 4
run histogram -q --bound 1 --by region=- r.lackey <map.csv
is 'with a bound, the map from standard input' "$(grep -c ',1,inf,' out)" 3
run histogram -q --by region=map.csv /dev/null
is 'nothing at all' "$status $(wc -l <out)" '0 1'

refuses '--by: .nobody. .expected site, thread, op or region=MAP' \
    histogram --by nobody r.lackey
refuses 'r.lackey: --by site: the trace does not say the sites' \
    histogram --by site r.lackey
refuses 'r.lackey: --by thread: the trace does not say the threads' \
    histogram --by thread r.lackey
letters abcabc >i.lines
refuses 'i.lines: --by region: the trace holds block ids' \
    histogram --by region=map.csv i.lines
refuses '--by does not go with --save' \
    histogram --by region=map.csv --save state r.lackey
refuses 'engine markers gives a miss curve only' \
    histogram --by region=map.csv -e markers:at=4 r.lackey
# map LINES: the table below its header.
map() {
    { echo name,from,to; printf "$1"; } >wrong.csv
}
map 'a,0,9\nb,8,10\n'
refuses "wrong.csv:3: found regions 'a' and 'b', which overlap" \
    histogram --by region=wrong.csv r.lackey
map 'a,9,9\n'
refuses "wrong.csv:2: found a region from '9' to '9', expected two addresses" \
    histogram --by region=wrong.csv r.lackey
map 'a,0x,9\n'
refuses "wrong.csv:2: found a region from '0x' to '9'" \
    histogram --by region=wrong.csv r.lackey
map 'a,1,0x10000000000000000\n'
refuses "wrong.csv:2: found a region from '1'" \
    histogram --by region=wrong.csv r.lackey
map 'a,1\n'
refuses 'wrong.csv:2: found 2 fields, expected a name' \
    histogram --by region=wrong.csv r.lackey
map ''
refuses 'wrong.csv: found no regions' histogram --by region=wrong.csv r.lackey
refuses "r.lackey:1: found columns .*, expected regions: 'name,from,to'" \
    histogram --by region=r.lackey r.lackey
finish
