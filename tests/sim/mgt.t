#!/bin/sh
# mgt.t - the compact format, by the command
. tests/sim/lib.sh

# same A B [OPTION...]: both traces give the same distances, block by block.
same() {
    one=$1 other=$2
    shift 2
    "$MARGAY" distances -q -e naive "$@" "$other" >got 2>&1
    "$MARGAY" distances -q -e naive "$@" "$one" |
        sed "s/^$one,/$other,/" >want
    cmp -s got want
}

# ------------------------------------------------------- there and back --
printf 'I  1000,3\n L 2000,8\n S 2ffe,4\n M 4000,16\n L ffffffffffffffff,1\n L 0,1\n' \
    >k.lackey
run convert k.lackey k.mgt --to mgt
is 'references are counted' "$(cat err)" \
    'margay convert: k.lackey: 7 references to k.mgt as mgt'
"$MARGAY" convert -q k.mgt back.lackey --to lackey
"$MARGAY" convert -q k.lackey again.lackey --to lackey
check 'numbers, kinds and sizes' cmp -s back.lackey again.lackey
run info -q k.mgt
is 'info' "$(sed -n '2,6p' out | tr '\n' ' ')" \
    'format,mgt references,7 reads,4 writes,2 fetches,1 '
run info -q - <k.mgt
is 'from standard input' "$(sed -n 2,3p out | tr '\n' ' ')" \
    'format,mgt references,7 '
"$MARGAY" convert -q - - --to mgt <k.lackey | "$MARGAY" convert -q - - --to lackey |
    cmp -s - again.lackey
check 'through two pipes' test $? = 0
"$MARGAY" convert -q k.lackey k.mgt.gz --to mgt
"$MARGAY" convert -q k.mgt.gz back.lackey --to lackey
check 'compressed a second time' cmp -s back.lackey again.lackey
run curve -q -b 16,64 --straddle split k.mgt
cp out mgt.csv
run curve -q -b 16,64 --straddle split k.lackey
sed -i 's/^k.lackey/k.mgt/' out
check 'the same curves' cmp -s out mgt.csv

printf '10 3 0 0\n7 0 0 1\n20 1 0 2\n11 2 0 3\n' >r.arc
"$MARGAY" convert -q r.arc r.mgt --to mgt
check 'arc: requests touch all their blocks' same r.arc r.mgt -b 512
"$MARGAY" convert -q r.mgt r2.arc --to arc
is 'and come back' "$(cut -d' ' -f1,2 r2.arc | tr '\n' ' ')" \
    '10 3 7 0 20 1 11 2 '
printf '5\n5\n18446744073709551615\n0\n5\n' >i.lines
"$MARGAY" convert -q i.lines i.mgt --to mgt
check 'ids that stand for nothing known' same i.lines i.mgt
refuses 'i.mgt: ids become addresses only where it is known' \
    convert i.mgt x.hex --to hex
"$MARGAY" convert -q i.mgt i.hex --unit 1 --to hex
is 'unless they are told' "$(sed 's/0x0*//' i.hex | tr '\n' ' ')" \
    '5 5 ffffffffffffffff  5 '
"$MARGAY" convert -q k.lackey blocks.mgt --unit 64 --to mgt
run info -q blocks.mgt
like 'addresses to ids of 64 bytes' "$(cat out)" '^block_bytes,64$'
run curve -q -b 32 blocks.mgt
like 'which cannot be cut smaller' "$(cat err)" 'smaller than what an id stands for'
"$MARGAY" generate uniform --refs 1000 --blocks 100 --to mgt -o u.mgt
"$MARGAY" generate uniform --refs 1000 --blocks 100 --to lines -o u.lines
check 'generated ids need no --ids' same u.lines u.mgt
"$MARGAY" generate fft --refs 1000 --blocks 100 --to mgt -o f.mgt
run info -q f.mgt
like 'generated addresses are addresses' "$(cat out)" '^highest,0x'
printf '' | "$MARGAY" convert -q -f din - e.mgt --to mgt
run info -q e.mgt
like 'nothing at all' "$(cat out)" '^references,0$'

# -------------------------------------------------------- cut and damaged --
"$MARGAY" generate zipf --refs 200000 --blocks 5000 --to mgt -o z.mgt
"$MARGAY" generate zipf --refs 200000 --blocks 5000 --to lines -o z.lines
head -c 250000 z.mgt >cut.mgt
refuses 'cut.mgt: byte [0-9]*: found the end of the file, which is cut, expected a block; the first 131072 references' \
    curve cut.mgt
run curve -q --limit 131072 cut.mgt
sed -i 's/cut.mgt/z.mgt/' out
cp out got
run curve -q --limit 131072 z.mgt
check '--limit analyses what is whole' cmp -s out got
run convert cut.mgt rest.lines --to lines
is 'convert fails' "$status" 2
like 'and tells what it has written' "$(cat err)" \
    'the first 131072 references to rest.lines as lines'
head -n 131072 z.lines | cmp -s - rest.lines
check 'which is all before the damage' test $? = 0
run convert cut.mgt - --to lines
is 'to standard output it writes nothing' "$status $(wc -c <out)" '2 0'
run convert -q cut.mgt rest.mgt --to mgt
run info -q rest.mgt
like 'what is saved is whole' "$(cat out)" '^references,131072$'
printf x | dd of=z.mgt bs=1 seek=150000 conv=notrunc 2>/dev/null
refuses 'z.mgt: byte [0-9]*: found a damaged block, expected its check sum; the first 65536' \
    curve z.mgt
run curve -q --skip 131072 z.mgt
is 'what lies behind it can be had' "$status $(sed -n '2s/.*,\([0-9]*\),[0-9]*,[0-9.]*$/\1/p' out)" \
    '0 68928'
"$MARGAY" generate -q uniform --refs 600000 --blocks 3000 --to mgt -o long.mgt
"$MARGAY" curve -q -j 1 long.mgt >one
"$MARGAY" curve -q -j 2 long.mgt >two
check 'on two threads the same' cmp one two
printf 'nothing of the kind' >no.mgt
refuses 'no.mgt: byte 0: found .*, expected' info no.mgt
cat k.mgt k.mgt >two.mgt
refuses 'two.mgt: byte [0-9]*: found more bytes, expected the end' info two.mgt
finish
