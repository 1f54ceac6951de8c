#!/bin/sh
# policies_objects.t - curves of policies for objects with sizes: which policies,
# threads, blocks as objects of a byte, and samples; tests/assoc/test_objects.c
# holds all of them against lists
. tests/sim/lib.sh
columns='--column id=id,size=size'
all=lru,fifo,clock,sieve,lfu,s3fifo,arc,2q,lirs,slru,lfuda,gdsf,random
objects() { # OPTION...
    # shellcheck disable=SC2086 # words
    run curve -q --objects $columns "$@"
}

run help policies
printf 'id,size\n1,1\n' >objects.csv
for policy in $(sed -n 's/^  \([a-z0-9-]*\) .*/\1/p' out); do
    # shellcheck disable=SC2086 # words
    "$MARGAY" curve -q --objects --policy "$policy" --sizes 1 $columns \
        objects.csv >unused 2>&1 && echo "$policy"
done >takes
is 'help names the policies that objects have' \
    "$(sed -n 's/^With --objects: //p' out)" "$(paste -sd ' ' takes)"

# Objects of one byte are blocks, and results do not depend on threads.
"$MARGAY" generate zipf --refs 20000 --blocks 900 --to lines -o z.lines
awk 'BEGIN { print "id,size" } { print $1 ",1" }' z.lines >z.csv
run curve -q --policy $all --sizes 1,10,77,500,900 z.lines
cut -d, -f3,6,8 out >blocks
objects --policy $all --sizes 1,10,77,500,900 -j1 z.csv
is 'objects of a byte are as blocks' "$(tail -n +2 out | cut -d, -f4,6,11)" \
    "$(tail -n +2 blocks)"
cp out one
objects --policy $all --sizes 1,10,77,500,900 -j4 z.csv
check 'one thread, and four' cmp -s one out

perl -e '
    require shift;
    seed(5);
    print "id,size\n";
    for (1 .. 60000) {
        my $id = draw(1 + draw(8000));
        printf "%d,%d\n", $id, 1 + $id * 7919 % 997;
    }' "$root/tests/sim/draw.pl" >large.csv
# Where sizes stay and nothing goes, the engine has the curve of lru.
objects --sizes octave:2 large.csv
sed -n '2,$s/$/,lru/p' out >octaves
objects --policy lru,fifo large.csv
is 'lru is the exact curve, at two sizes an octave' "$(grep ',lru$' out)" \
    "$(cat octaves)"
is 'fifo has the same sizes' "$(grep ',fifo$' out | cut -d, -f4)" \
    "$(cut -d, -f4 octaves)"
objects --policy $all --sizes 1,10 z.csv large.csv
is 'several traces' "$(cut -d, -f1 out | uniq | tr '\n' ' ')" \
    'trace z.csv large.csv '

objects --policy lru,fifo,sieve --sizes 400000,1000000 large.csv
cp out full
objects --policy lru,fifo,sieve --sizes 400000,1000000 --sample 0.2 large.csv
is 'a sample: within 0.04, and counted whole' "$(paste -d, full out |
    tail -n +2 | awk -F, '{ d = $7 - $18; e = $10 - $21
        if (d * d > 0.0016 || e * e > 0.0016 || $5 != $16) print }')" ''
check 'yet not the same' test "$(cat out)" != "$(cat full)"
objects --policy lru,fifo,sieve --sizes 400000,1000000 --sample 1 large.csv
check 'a sample of all is no sample' cmp -s full out
finish
