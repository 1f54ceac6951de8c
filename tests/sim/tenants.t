#!/bin/sh
# tenants.t - curve --tenant: tenants of one trace, together and alone
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
is 'its columns' "$(head -1 out)" \
    trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio,tenant,shared_misses
is 'tenants in the order of their first references, and sizes in theirs' \
    "$(tail -n +2 out | cut -d, -f3,8)" \
    "$(cut -d, -f1 rows | awk '!seen[$0]++' | while read -r tenant; do
        for size in 1 8 20 40 100; do echo "$size,$tenant"; done; done)"
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
run curve -q --tenant 1 --column 2 --sizes 1,8,20,40,100 -e olken -j 1 trace.csv
check 'columns by number, another engine' cmp -s out whole
"$MARGAY" curve -q --tenant who --column block --sizes 1,8,20,40,100 - <trace.csv >out
is 'from a pipe' "$(cut -d, -f2- out)" "$(cut -d, -f2- whole)"
run curve -q --tenant who --column block --sizes 8,16 --bound 16 trace.csv
is 'a bound' "$(tail -n +2 out | grep -c .)" 8
is 'is exact below it' "$(sed -n 2p out | cut -d, -f5,6,9)" \
    "$(lru 8 "$(sed -n 2p out | cut -d, -f8)" <rows)"
run curve -q --tenant who --column block --sizes pow2 --histogram alone.csv trace.csv
grep '^web,' rows | cut -d, -f2 >web.csv
"$MARGAY" histogram -q --column 1 -f csv web.csv | tail -n +2 | cut -d, -f3- >expected
is '--histogram has each tenant alone' \
    "$(grep '^web,' alone.csv | cut -d, -f4-)" "$(cat expected)"
run curve -q --tenant who --column block --sizes all --limit 0 trace.csv
is 'nothing read' "$(wc -l <out)" 1

cat >requests.msr <<'END'
128166372003061629,hm,0,Read,0,4096,1331
128166372016382155,hm,1,Write,4096,8192,1331
128166372026382245,hm,0,Read,0,4096,1331
END
run curve -q -f msr --tenant device --sizes 2 requests.msr
is 'devices of a layout, of two columns' "$(tail -n +2 out | cut -d, -f5,6,8,9)" \
    "2,1,hm/0,2
2,2,hm/1,2"
run curve -q -f msr --tenant 4 --sizes 2 requests.msr
is 'any column of a layout' "$(tail -n +2 out | cut -d, -f5,8)" "2,Read
2,Write"

refuses 'does not say the tenants of its references \(it is read as msr' \
    curve -f msr --tenant host --sizes 2 requests.msr
refuses "a column named 'whom' among who, block" \
    curve --tenant whom --column block trace.csv
refuses 'a tenant, of 255 bytes at most, in column 3' \
    curve --tenant 3 --column 2 trace.csv
refuses 'does not say the threads' curve --tenant thread --column block trace.csv
refuses 'engine shards is not exact' \
    curve --tenant who --column block -e shards trace.csv
# What is asked of a trace is asked of each tenant's references alone.
run curve -q --tenant who --column block --policy lru,fifo,opt --sizes 1,8,20 \
    --warmup 50 trace.csv
is 'policies: their columns' "$(head -1 out | cut -d, -f8-)" policy,tenant
tail -n +2 out | cut -d, -f3,5- >together
head -50 rows | cut -d, -f1 | sort | uniq -c >warm
cut -d, -f1 rows | awk '!seen[$0]++' | while read -r tenant; do
    { echo block; grep "^$tenant," rows | cut -d, -f2; } >alone.csv
    warm=$(awk -v t="$tenant" '{ n = $1; sub(/^ *[0-9]+ /, "") } $0 == t { print n }' warm)
    "$MARGAY" curve -q --column block --policy lru,fifo,opt --sizes 1,8,20 \
        --warmup "${warm:-0}" alone.csv | tail -n +2 | cut -d, -f3,5- |
        sed "s/\$/,$tenant/"
done >expected
check 'policies: each tenant as if its references were all' cmp -s together expected
awk -F, '{ print $1 "," int(NR / 3) "," $2 }' rows >asked
{ echo who,request,block; cat asked; } >asked.csv
run curve -q --tenant who --column id=block,request=request --requests \
    --sizes 4,30 asked.csv
is 'requests: their columns' "$(head -1 out | cut -d, -f8-)" \
    requests,missed_requests,request_tokens,hit_tokens,token_hit_ratio,tenant
tail -n +2 out | cut -d, -f3,5- >together
cut -d, -f1 asked | awk '!seen[$0]++' | while read -r tenant; do
    { echo request,block; grep "^$tenant," asked | cut -d, -f2-; } >alone.csv
    "$MARGAY" curve -q --column id=block,request=request --requests --sizes 4,30 \
        alone.csv | tail -n +2 | cut -d, -f3,5- | sed "s/\$/,$tenant/"
done >expected
check 'requests: likewise' cmp -s together expected
finish
