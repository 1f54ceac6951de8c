#!/bin/sh
# stream_of_level.t - what caches of a machine send on, written as a trace: the
# command around what tests/assoc/test_hierarchy.c holds against machines
. tests/sim/lib.sh

perl -e 'srand 5; my @at = (0) x 4; for (1 .. 3000) {
    my $s = int rand 4; $at[$s] = ($at[$s] + 24 * $s + 8) % 40000;
    my $a = rand() < 0.3 ? int rand 60000 : $at[$s];
    printf "0x%x: %s 0x%x\n", 4096 + 8 * $s, rand() < 0.3 ? "W" : "R", $a
}' >random.pinatrace

columns=4,5,7-13
machine() { # POLICY OF THE SECOND LEVEL, ITS BLOCK
    cat >whole.csv <<END
cache,holds,bytes,block_bytes,ways,next,policy,prefetch,victim_blocks
L1I,fetch,1K,32,2,L2,lru,none,0
L1D,data,1K,32,4,L2,fifo,stride,3
L2,all,16K,$2,4,L3,$1,none,0
L3,all,32K,64,8,,lru,none,0
END
    sed -e '/^L1/d' whole.csv >rest.csv
}

for policy in lru fifo clock sieve s3fifo lfu arc 2q lirs tinylfu slru lfuda gdsf \
    hyperbolic lhd qlru random plru \
    nru srrip brrip drrip ship; do
    machine $policy 64
    run simulate -q --machine whole.csv random.pinatrace
    grep '^[^,]*,[^,]*,L[23]' out | cut -d, -f$columns >expected
    run simulate -q --machine whole.csv --misses L1I,L1D -o below.mgt \
        random.pinatrace
    run simulate -q --machine rest.csv below.mgt
    sed 1d out | cut -d, -f$columns >got
    check "$policy after two first levels counts what it does in the machine" \
        cmp -s got expected
    # A filter before one level, of sites, too.
    run filter -q --sets 8 --ways 4 -b 64 --to mgt -o filtered.mgt \
        random.pinatrace
    printf 'cache,holds,bytes,block_bytes,ways,next,policy\n%s\n%s\n' \
        'L1,all,2K,64,4,L2,lru' "L2,all,16K,64,4,,$policy" >two.csv
    run simulate -q --machine two.csv random.pinatrace
    sed -n 3p out | cut -d, -f$columns >expected
    sed 2d two.csv >one.csv
    run simulate -q --machine one.csv filtered.mgt
    sed 1d out | cut -d, -f$columns >got
    check "$policy after a filter, too" cmp -s got expected
done

machine lru 16
run simulate -q --machine whole.csv random.pinatrace
grep ',L2,' out | cut -d, -f$columns >expected
run simulate -q --machine whole.csv --misses L1I,L1D -o below.xdin \
    random.pinatrace
run simulate -q --machine rest.csv --straddle split below.xdin
grep ',L2,' out | cut -d, -f$columns >got
check 'larger blocks have their length' cmp -s got expected

# The purposes of what a level sends on, against the columns of the table: those
# of a first level are its own, and a later one also fetches for those above.
machine lru 64
sed 's/^L2,.*/L2,all,4K,64,4,L3,srrip,stream,0/' whole.csv >purposes.csv
run simulate -q --machine purposes.csv random.pinatrace
cp out table.csv
for level in L1D L2; do
    run simulate -q --machine purposes.csv --misses $level \
        --to csv:kind,purpose random.pinatrace
    perl -e 'my ($level, %sent, @names, %row, %want) = shift;
        for (<>) {
            chomp(my @f = split /,/);
            $sent{"@f"}++ if @f == 2;
            @names = @f if $f[0] eq "machine";
            @row{@names} = @f;
            %want = %row if @f > 2 && $row{cache} eq $level;
        }
        my ($back, $filled) = @sent{"write writeback", "read writeback"};
        my ($demand, $ahead) = @sent{"read demand", "read prefetch"};
        my $own = $level eq "L1D";
        exit !($demand && $demand == $want{demand_misses} && $want{prefetches} > 9
            && $back == $want{writebacks} && $own == !$filled && ($own
                ? $ahead == $want{prefetches} : $ahead > $want{prefetches})
            && $demand + $ahead + $filled == $want{misses} + $want{prefetches})' \
        $level table.csv out
    is "$level: purposes add up to the table" $? 0
done

run simulate --machine whole.csv --misses L2 --to din random.pinatrace
is 'to standard output' "$status" 0
like 'what came and went is said' "$(cat err)" 'L2: [0-9]* references, [0-9]* m'
run simulate --machine whole.csv --misses L2,L4 --to din random.pinatrace
like 'an unknown cache' "$(cat err)" "found 'L4', expected a cache of whole.csv"
run simulate --machine whole.csv --misses L2 --to din random.pinatrace below.mgt
like 'two traces' "$(cat err)" 'found 2 traces, expected one'
run simulate --machine whole.csv --misses L2 random.pinatrace
like 'no format' "$(cat err)" '--to FORMAT is needed'
finish
