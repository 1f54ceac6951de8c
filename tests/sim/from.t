#!/bin/sh
# from.t - curves of histograms that were written before
. tests/sim/lib.sh

"$MARGAY" generate zipf --refs 20000 --blocks 3000 --to hex -o 'a, "b".hex'
letters dacbccgefafbcmtmacfbdcac >ids.lines
run curve -q -b 64,256,4096 --sizes all --histogram h.csv 'a, "b".hex'
cp out c.csv
run curve -q --sizes all --from h.csv
check 'three block sizes, all cache sizes: the same bytes' cmp -s out c.csv
run curve -q --sizes all --from - --histogram again.csv <h.csv
check 'from standard input' cmp -s out c.csv
check 'the histogram comes out as it went in' cmp -s again.csv h.csv
run curve -q 'a, "b".hex' ids.lines --histogram two.csv
cp out c.csv
run curve --from two.csv -o from.csv
check 'two traces, one without a block size' cmp -s from.csv c.csv
is 'nothing on stderr' "$(cat err)" ''
run histogram -q ids.lines
cp out h.csv
run curve -q --sizes 1,5,100 --from h.csv
is 'histogram --bins exact does, too' "$(cut -d, -f3,6 out | tr '\n' ' ')" \
    'cache_blocks,misses 1,23 5,16 100,9 '
run curve -q --from h.csv --histogram - --bins log2 -o c.csv
is 'it can be binned anew' "$(cut -d, -f3-5 out | tr '\n' ' ')" \
    'distance_from,distance_to,references 0,1,1 1,2,4 2,4,2 4,8,7 8,16,1 inf,inf,9 '
run histogram -q /dev/null
cp out empty.csv
run curve -q --from empty.csv
is 'an empty one has an empty curve' "$status $(wc -l <out)" '0 1'
sed 's/$/\r/; s/^ids.lines/"ids.lines"/' h.csv >crlf.csv
run curve -q --from crlf.csv
check 'line ends and quotes of other programs' test "$status" = 0

# --------------------------------------------------------- other tables --
"$MARGAY" curve -q ids.lines >curve.csv
refuses "curve.csv:1: found columns 'trace,.*,miss_ratio', expected a hist" \
    curve --from curve.csv
"$MARGAY" histogram -q --bins log2 ids.lines >log2.csv
refuses 'log2.csv:4: found a bin from 2 to 4, expected one distance in each' \
    curve --from log2.csv
"$MARGAY" histogram -q --bins reference:20 ids.lines >reference.csv
refuses 'reference.csv:[0-9]*: found distance 1 behind a larger or the same' \
    curve --from reference.csv
"$MARGAY" histogram -q --bins exact --bound 4 ids.lines >bound.csv
refuses 'bound.csv:5: the trace exceeded the bound of 4 blocks, beyond which' \
    curve --from bound.csv
# Reuse times have the same columns.  Distances of less than the cold misses
# could be either; after a warm-up there may be larger ones, too.
run histogram -q --of time ids.lines
cp out times.csv
refuses 'times.csv: found 20 and no 0 in the histogram of ids.lines, which has '\
'only 9 cold misses: reuse times, expected reuse distances' \
    curve --from times.csv
run curve -q --from times.csv --of distance
is 'unless it is said to be of distances' "$status" 0
run curve -q --from h.csv --of distance
is 'as this one is anyway' "$status" 0
refuses "--of: 'time' .expected distance" \
    curve --from times.csv --of time
letters abcabcabc >loop.lines
run histogram -q --warmup 3 loop.lines
cp out loop.csv
run curve -q --sizes 2,3 --from loop.csv
is 'a warm loop has no cold misses' "$(cut -d, -f3,6 out | tr '\n' ' ')" \
    'cache_blocks,misses 2,6 3,0 '
letters bacbbbacd >zero.lines
run histogram -q --warmup 3 zero.lines
cp out zero.csv
run curve -q --from zero.csv
is 'with an immediate repeat, it is one of distances' "$status" 0
edited() {
    sed "$1" h.csv >edited.csv
    refuses "edited.csv:$2" curve --from edited.csv
}
edited '3s/,4,/,5,/' '2: found a share of 0.0416666666667, expected 0.04 for 1 of 25'
edited '3s/0.1666/0.1665/' '3: found a share of .*, expected 0.1666.*edited'
edited '3d' '2: found a share of 0.0416'
edited '$d' '7: the histogram of ids.lines ends without its row inf,inf'
edited '3s/,1,2,/,1,1,/' '3: found a bin from 1 to 1'
edited '3s/,1,2,/,-1,2,/' "3: found distances from '-1' to '2'"
edited '3s/,1,2,/,1,x,/' "3: found distances from '1' to 'x'"
edited '3s/,4,0/,four,0/' "3: found 'four' references"
edited '3s/0.166666666667/high/' "3: found a share of 'high'"
edited '3s/0.166666666667/nan/' '3: found a share of nan'
edited '3s/0.166666666667//' "3: found a share of ''"
edited '3s/^ids.lines,,/ids.lines,48,/' '3: the histogram of ids.lines ends'
edited '2,$s/^ids.lines,,/ids.lines,48,/' "2: found block_bytes '48'"
edited '3s/,/;/g' '3: found 1 field, expected 6'
edited '3s/,4,/,18446744073709551615,/' '3: more than 2'
edited '3s/,1,2,/,72057594037927936,72057594037927937,/' '3: '
edited '1s/^/x/' "1: found columns 'xtrace"
edited '3s/^/"/' '3: found a quote within a field or never closed, expected CSV'
: >nothing.csv
refuses 'nothing.csv:1: found nothing, expected a histogram' \
    curve --from nothing.csv
refuses 'absent.csv: No such file' curve --from absent.csv
head -c 100000 /dev/zero >zeros.csv
refuses 'zeros.csv:1: found a NUL byte' curve --from zeros.csv
tr '\0' x <zeros.csv >long.csv
refuses 'long.csv:1: found a row of more than 65536 bytes' \
    curve --from long.csv
tr '\0' , <zeros.csv >wide.csv
refuses 'wide.csv:1: found more than 64 columns' curve --from wide.csv
refuses 'no use for a trace' curve --from h.csv ids.lines
refuses 'no use for --block' curve --from h.csv -b 64
refuses 'no use for --kind' curve --from h.csv --kind write
refuses 'no use for --engine' curve --from h.csv -e shards
refuses 'no use for --bound' curve --from h.csv --bound 64
finish
