#!/bin/sh
# demand.t - what the program itself asks of each cache of a machine
. tests/sim/lib.sh

first=cache,holds,bytes,block_bytes,ways,next,inclusion,write,victim_blocks
field() { # CACHE COLUMN FILE: a field of the result
    awk -F, -v cache="$1" -v column="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) place[$i] = i; next }
        $3 == cache { print $place[column] }' "$3"
}
demand() { # CACHE FILE: what it was asked for, and what it lacked
    echo "$(field "$1" demand_references "$2") $(field "$1" demand_misses "$2")"
}

# --------------------------------------------- as victim caches are described --
# Caches one behind another, each of which holds what left the one before: a
# block is looked for in all of them, taken out where it is, and becomes the
# first of the first cache; what that pushes out becomes the first of the next.
cat >victims.pl <<'E2'
use strict;
use warnings;
my ($trace, @shapes) = @ARGV; # SETSxWAYS
my @levels = map { my ($sets, $ways) = split /x/; { sets => $sets,
    ways => $ways, asked => 0, lacked => 0, fills => 0, of => [] } } @shapes;
open my $file, '<', $trace or die $trace;
while (<$file>) {
    my $block = hex((split)[1]) >> 6;
    for my $level (@levels) {
        my $set = $level->{of}[$block % $level->{sets}] //= [];
        my @rest = grep { $_ != $block } @$set;
        $level->{asked}++;
        my $found = @rest < @$set;
        @$set = @rest;
        last if $found;
        $level->{lacked}++;
    }
    my $moving = $block;
    for my $level (@levels) {
        my $set = $level->{of}[$moving % $level->{sets}];
        $set = $level->{of}[$moving % $level->{sets}] = [] if !$set;
        unshift @$set, $moving;
        $level->{fills}++;
        last if @$set <= $level->{ways};
        $moving = pop @$set;
    }
}
print join(' ', map { "$_->{asked} $_->{lacked}" } @levels), ' ',
    join(' ', map { $_->{fills} } @levels[1 .. $#levels]), "\n";
E2
wrong=0 rounds=$((100 * ${MARGAY_TEST_ROUNDS:-100} / 100))
for seed in $(seq 1 $((rounds > 0 ? rounds : 1))); do
    eval "$(perl -e 'srand shift;
        my @shapes = map { [1 + int rand 4, 1 + int rand 4] } 1 .. 3;
        my $range = 8 + int rand 60;
        open my $out, ">", "r.din" or die;
        printf $out "%d %x\n", rand 3, 64 * int rand $range for 1 .. 300;
        my @bytes = map { 64 * $_->[0] * $_->[1] } @shapes;
        print "shapes=\"@{[map { join q(x), @$_ } @shapes]}\" ";
        print "b$_=$bytes[$_ - 1] w$_=$shapes[$_ - 1][1] " for 1 .. 3' "$seed")"
    # shellcheck disable=SC2154
    printf '%s\n' "$first" "L1,all,$b1,64,$w1,L2,,," \
        "L2,all,$b2,64,$w2,L3,exclusive,," "L3,all,$b3,64,$w3,,exclusive,," >r.csv
    "$MARGAY" simulate -q --machine r.csv r.din >r.out
    # shellcheck disable=SC2154,SC2086
    [ "$(demand L1 r.out) $(demand L2 r.out) $(demand L3 r.out) $(
        field L2 victim_fills r.out) $(field L3 victim_fills r.out)" = \
        "$(perl victims.pl r.din $shapes)" ] || wrong=$((wrong + 1))
done
is 'exclusive levels are asked and filled as a chain of victim caches' "$wrong" 0

# Where all blocks are one set, the chain is one LRU cache.
perl -e 'srand 9; printf "%d %x\n", rand 3, 64 * int(rand(40) * rand)
    for 1 .. 4000' >t.din
printf '%s\n' "$first" L1,all,256,64,0,L2,,, L2,all,512,64,0,L3,exclusive,, \
    L3,all,640,64,0,,exclusive,, >chain.csv
run simulate -q --machine chain.csv t.din
mv out chain
"$MARGAY" curve -q --sizes 4,12,22 t.din | awk -F, 'NR > 1 { print $6 }' >misses
is 'together they miss as one cache of all blocks does' \
    "$(for cache in L1 L2 L3; do field $cache demand_misses chain; done)" \
    "$(cat misses)"
check 'and the references that are no demand are more' \
    [ "$(field L3 misses chain)" -gt "$(field L3 demand_misses chain)" ]
is 'references are those of the program and dirty blocks from above' \
    "$(field L2 references chain) $(field L3 references chain)" \
    "$(($(field L2 demand_references chain) + \
        $(field L2 writebacks_received chain))) $((\
        $(field L3 demand_references chain) + \
        $(field L3 writebacks_received chain)))"
is 'each level is asked for what the one before lacks' \
    "$(field L2 demand_references chain) $(field L3 demand_references chain)" \
    "$(head -n 2 misses | xargs)"

# ------------------------------------------------------------ the columns --
is 'the columns follow those that were there' \
    "$(head -n 1 chain | cut -d, -f16-)" \
    mpki,demand_references,demand_misses,demand_miss_ratio,demand_mpki,writebacks_received,victim_fills
is 'the ratio is of the demand' "$(field L3 demand_miss_ratio chain)" \
    "$(demand L3 chain | awk '{ printf "%.12g", $2 / $1 }')"
fetches=$(grep -c '^2' t.din)
is 'misses per 1000 instructions, too' "$(field L3 demand_mpki chain)" \
    "$(awk -v n="$fetches" -v m="$(field L3 demand_misses chain)" \
        'BEGIN { printf "%.12g", m * 1000 / n }')"
run simulate -q --machine chain.csv --vary L3.bytes=640,1280 --json t.din
is 'varied, as JSON' "$(grep -c '"demand_mpki":[0-9.]*,"writebacks_received":[0-9]*,"victim_fills":[0-9]*,"L3.bytes":' out)" 6
like 'a ratio of nothing is empty' "$("$MARGAY" simulate -q --machine chain.csv \
    --kind fetch --limit 1 -f din - <<END | tail -n 1
2 0
END
)" ',1,1,1,1000,0,0$'

# What is handed on is the program's own; what is written back is not.
printf '0 0\n1 0\n1 40\n0 80\n' >w.din
printf '%s\n' "$first" L1,data,64,64,1,L2,,through, L2,data,64K,64,4,,,, >w.csv
run simulate -q --machine w.csv w.din
is 'writes that are handed on' \
    "$(demand L2 out) $(field L2 writebacks_received out)" '5 3 0'
printf '%s\n' "$first" L1,data,64,64,1,L2,,back, L2,data,64K,64,4,,,, >w.csv
run simulate -q --machine w.csv w.din
is 'writes of blocks that leave' \
    "$(demand L2 out) $(field L2 writebacks_received out)" '3 3 2'
printf '%s\n' cache,holds,bytes,block_bytes,ways,next,prefetch \
    L1,data,64,64,1,L2,next-line L2,data,64K,64,4,, >w.csv
run simulate -q --machine w.csv w.din
is 'prefetches are no demand' "$(demand L2 out)" '3 2'

# ------------------------------------- the order at an exclusive level --
order() { # TRACE LINE...: with one block in each level
    trace=$1
    shift
    printf '%s\n' "$@" >"$trace"
    printf '%s\n' "$first" L1,all,64,64,1,L2,,, L2,all,64,64,1,L3,exclusive,, \
        L3,all,64,64,1,,,, >order.csv
    run simulate -q --machine order.csv "$trace"
}
order x.din '0 0' '0 40' '0 0'
is 'a block is looked for before what left above comes in' \
    "$(demand L2 out) $(field L2 victim_fills out)" '3 2 2'
order y.din '1 0' '0 40' '0 80' '0 0'
is 'what that pushes out is written back before the block is asked for' \
    "$(field L3 reads out) $(field L3 read_misses out) $(field L3 writes out)" \
    '4 4 1'
finish
