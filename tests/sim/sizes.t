#!/bin/sh
# sizes.t - objects whose requests say other sizes, or none
. tests/sim/lib.sh

# A get that missed has no value; later ones have the object's size.
cat >t.twitter <<'END'
1,abc,3,0,1,get,0
2,abc,3,97,1,set,9
3,abc,3,0,1,get,0
4,big,3,997,1,get,0
5,abc,3,0,1,delete,0
6,abc,3,47,1,set,9
7,abc,3,47,1,get,0
8,none,4,0,1,get,0
END
rows() {
    sed 1d out | cut -d, -f4- | tr '\n' ' '
}
run curve --objects -f twitter --sizes 60,100,2000 t.twitter
is 'twitter: a get that missed has the size of its object' "$(rows)" \
    '60,7,6,0.857142857143,1400,1350,0.964285714286 100,7,4,0.571428571429,1400,1150,0.821428571429 2000,7,4,0.571428571429,1400,1150,0.821428571429 '
like 'they are counted' "$(cat err)" ', 3 without a size of their own,'
like 'and one without any is said' "$(cat err)" \
    't.twitter: 1 request counts 0 bytes, as the size of their object is never said'
run curve -q --objects -f twitter --sizes 2000 t.twitter
like 'even when quiet' "$(cat err)" 'request counts 0 bytes'

# Without a response body, or with a part of it.
line() { # METHOD PATH STATUS BYTES
    echo "h - - [10/Oct/2000:13:55:36 -0700] \"$1 $2 HTTP/1.0\" $3 $4"
}
{
    line GET /a 200 800
    line GET /a 304 0
    line HEAD /a 200 0
    line GET /a 206 10
    line GET /a 200 -
    line GET /b 304 0
    line GET /b 200 50
} >t.clf
run curve -q --objects -f clf --sizes 700,900 t.clf
is 'clf: 304, HEAD, 206 and a hyphen say no size' "$(rows)" \
    '700,7,6,0.857142857143,4100,4050,0.987804878049 900,7,2,0.285714285714,4100,850,0.207317073171 '

# Sizes that change: each counts from its request on.
printf 'id,size\nx,100\ny,10\nx,300\nx,300\ny,10\nx,20\n' >t.csv
columns='--column id=id,size=size'
for way in 'request 740' 'first 420' 'last 100' 'max 1220'; do
    # shellcheck disable=SC2086
    run curve -q --objects $columns --sizes-from "${way% *}" --sizes 1K t.csv
    is "--sizes-from ${way% *}: the bytes of all requests" \
        "$(sed 1d out | cut -d, -f8)" "${way#* }"
done
# shellcheck disable=SC2086
run curve -q --objects $columns --sizes 1K t.csv
like 'sizes that change are said even when quiet' "$(cat err)" \
    't.csv: 2 requests \(33.3%\) have another size than their object had before'
# shellcheck disable=SC2086
run curve -q --objects $columns --sizes-from first --sizes 1K t.csv
is 'but not where one is taken for all' "$(cat err)" ''

# shellcheck disable=SC2086
"$MARGAY" curve -q --objects $columns --sizes-from max - <t.csv >out 2>err
is 'standard input that is a file is read twice' \
    "$(sed 1d out | tail -n 1 | cut -d, -f8)" 1220
# shellcheck disable=SC2086
cat t.csv | "$MARGAY" curve -q --objects $columns --sizes-from max - >out 2>err
is 'a pipe is refused' "$? $(wc -c <out)" '2 0'
like 'by what it is, and what to do is said' "$(cat err)" \
    'found by reading the trace twice: expected a file, not a pipe; keep what comes in one first'
# shellcheck disable=SC2086
printf 'id,size\n1,\n1,7\n2,\n1,\n' | "$MARGAY" curve --objects $columns - >out 2>err
like 'a pipe counts sizes that are not known yet' "$(cat err)" \
    ', 3 without a size of their own, 2 of these 0 bytes, as no size was known,'
printf 'id,size\n1,5\n2,5\n1,3\n' >shrunk.csv
# shellcheck disable=SC2086
run curve --objects $columns shrunk.csv
like 'sizes that shrink leave nothing in doubt, and that is said' "$(cat err)" \
    ', in caches smaller than the largest object at most 0 misses \(0% of references\) more,'
# shellcheck disable=SC2086
run curve --objects $columns --ttl 9 shrunk.csv
check 'but nothing is where objects expire' test "$(grep -c 'at most 0' err)" = 0
refuses '--sizes-from is for objects' curve --sizes-from max t.csv
refuses "'big' .expected request, first, last or max" \
    curve --objects --sizes-from big t.csv
run histogram -q --objects -f twitter --sizes-from last t.twitter
is 'histograms take it, too' "$(sed 1d out | tr '\n' ' ')" \
    't.twitter,,50,51,3,0.428571428571 t.twitter,,inf,inf,4,0.571428571429 '
finish
