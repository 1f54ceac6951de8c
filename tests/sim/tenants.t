#!/bin/sh
# tenants.t - curve --tenant: tenants of one trace, together and alone, against
# lists; pairs.t has the other measures
. tests/sim/lib.sh

# lru SIZE TENANT [WARMUP] <TABLE: rows TENANT,BLOCK.  Prints references, misses
# alone and misses in the cache of all, of a plain list.
lru() {
    perl -e '
        my ($size, $of, $warmup) = @ARGV;
        my (@own, @all);
        my ($references, $alone, $shared) = (0, 0, 0);
        sub misses {
            my ($list, $block) = @_;
            my $hit = grep { $_ eq $block } @$list;
            @$list = ($block, grep { $_ ne $block } @$list);
            pop @$list if @$list > $size;
            return !$hit;
        }
        while (<STDIN>) {
            chomp;
            my ($tenant, $block) = split /,/;
            my $missed = misses(\@all, $block);
            next if $tenant ne $of;
            my $missed_alone = misses(\@own, $block);
            next if $. <= $warmup;
            $references++;
            $shared += $missed;
            $alone += $missed_alone;
        }
        print "$references,$alone,$shared\n";' "$1" "$2" "${3:-0}"
}

perl -e '
    require shift;
    seed(5);
    my @names = ("web", "db", "batch job", "7");
    for (1 .. 600) {
        my $tenant = draw(4);
        printf "%s,%d\n", $names[$tenant], draw(30) + 10 * $tenant;
    }' "$root/tests/sim/draw.pl" >rows
{ echo who,block; cat rows; } >trace.csv

run curve -q --tenant who --column block --sizes 1,8,20,40,100 trace.csv
as_lists() { # NAME [WARMUP]
    is "$1" "$(tail -n +2 out | cut -d, -f5,6,9)" \
        "$(tail -n +2 out | cut -d, -f3,8 | while IFS=, read -r size tenant; do
            lru "$size" "$tenant" "${2:-0}" <rows; done)"
}
as_lists 'each size is a plain cache'
cp out whole
run curve -q --tenant who --column block --sizes 1,8,20,40,100 --warmup 250 \
    trace.csv
as_lists 'after a warm-up, too' 250
run curve -q --tenant who --column block --sizes 1,8,20,40,100 -e olken -j 1 trace.csv
check 'another engine' cmp -s out whole
"$MARGAY" curve -q --tenant who --column block --sizes 1,8,20,40,100 - <trace.csv >out
is 'from a pipe' "$(cut -d, -f2- out)" "$(cut -d, -f2- whole)"
finish
