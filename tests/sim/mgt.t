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

printf 'I  1000,3\n L 2000,8\n S 2ffe,4\n M 4000,16\n L ffffffffffffffff,1\n L 0,1\n' \
    >k.lackey
"$MARGAY" convert -q k.lackey - --to lackey >again.lackey
"$MARGAY" convert -q - - --to mgt <k.lackey | "$MARGAY" convert -q - - --to lackey |
    cmp -s - again.lackey
check 'through two pipes' test $? = 0
"$MARGAY" convert -q k.lackey k.mgt.gz --to mgt
"$MARGAY" convert -q k.mgt.gz back.lackey --to lackey
check 'compressed a second time' cmp -s back.lackey again.lackey
"$MARGAY" generate uniform --refs 1000 --blocks 100 --to mgt -o u.mgt
"$MARGAY" generate uniform --refs 1000 --blocks 100 --to lines -o u.lines
check 'generated ids need no --ids' same u.lines u.mgt

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
finish
