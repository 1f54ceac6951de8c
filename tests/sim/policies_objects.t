#!/bin/sh
# policies_objects.t - curves of policies for objects with sizes: lru and fifo
# against lists here, all of them in tests/assoc/test_objects.c
. tests/sim/lib.sh

# oracle.pl FILE TTL|- WARMUP SIZES POLICIES: the rows of a table of id, size,
# time, op and ttl, from caches that are lists, searched and added up.
cat >oracle.pl <<'PERL'
use strict;
use warnings;
use List::Util 'sum0';
my ($file, $ttl, $warmup, $sizes, $policies) = @ARGV;
open my $in, '<', $file or die;
<$in>;
my @refs = map { chomp; [split /,/] } <$in>;

# The requests, [object, size, time, time to live, set?], and the deletes,
# [object], of which each comes back as another object.
my (%name, $objects, @requests);
for (@refs) {
    my ($id, $size, $time, $op, $own) = @$_;
    if ($op eq 'delete') {
        push @requests, [$name{$id}] if exists $name{$id};
        delete $name{$id};
        next;
    }
    $name{$id} //= $objects++;
    push @requests, [$name{$id}, $size, $time, $ttl eq '-' ? $own : $ttl,
        $op eq 'set'];
}

# The objects that are held, the oldest first.  One that has grown is not evicted
# to make room for itself: where it would go, the next one is looked at.
my ($size, @list, @bytes, @valid);
sub used { sum0 map { $bytes[$_] } @list }
sub place { my ($object) = @_;
    for (0 .. $#list) { return $_ if $list[$_] == $object }
    return -1;
}
for my $policy (split /,/, $policies) {
    for (split /,/, $sizes) {
        $size = $_;
        @list = ();
        @bytes = (0) x ($objects // 0);
        @valid = ();
        my ($refs, $misses, $all, $missed) = (0, 0, 0, 0);
        for my $i (0 .. $#requests) {
            my ($object, $bytes, $time, $ttl, $set) = @{ $requests[$i] };
            my $at = place($object);
            if (!defined $bytes) {
                splice @list, $at, 1 if $at >= 0;
                next;
            }
            my $miss = $at < 0 || $time > $valid[$object];
            my $changed = $bytes[$object] != $bytes;
            $valid[$object] = $time + $ttl if $miss || $set;
            $bytes[$object] = $bytes;
            if ($i >= $warmup) {
                $refs++;
                $all += $bytes;
                if ($miss) { $misses++; $missed += $bytes }
            }
            push @list, splice @list, $at, 1 if $at >= 0 && $policy eq 'lru';
            $at = place($object);
            if ($bytes > $size) {
                splice @list, $at, 1 if $at >= 0;
                next;
            }
            next if $at >= 0 && !$changed;
            while (used() + ($at < 0 ? $bytes : 0) > $size) {
                splice @list, $list[0] == $object, 1;
            }
            push @list, $object if $at < 0;
        }
        printf "%s,,,%d,%d,%d,%.12g,%d,%d,%s,%s\n", $file, $size, $refs, $misses,
            $misses / $refs, $all, $missed,
            $all == 0 ? '' : sprintf('%.12g', $missed / $all), $policy;
    }
}
PERL
columns=id=id,size=size,time=time,op=op,ttl=ttl
fixed=id=id,size=size,op=op
all=lru,fifo,clock,sieve,lfu,s3fifo,arc,2q,lirs,slru,lfuda,gdsf

# make SEED: a trace of objects, some large, some of no bytes, in random.csv.
make() {
    perl -e '
        srand shift;
        my $objects = 2 + int rand 40;
        my @sizes = map { int rand(8) ? int rand 2 ** (1 + int rand 10) : 0 }
            0 .. $objects;
        my $time = 0;
        my $change = (0.5, 0.05, 0)[rand 3];
        print "id,size,time,op,ttl\n";
        for (1 .. 60 + int rand 200) {
            my $id = int rand(1 + int rand $objects);
            $sizes[$id] = int rand 2 ** (1 + int rand 10)
                if rand() < $change;
            my $op = rand() < 0.1 ? "delete" : rand() < 0.1 ? "set" : "get";
            $time += int rand 3;
            printf "o%d,%d,%d,%s,%d\n", $id, $sizes[$id], $time, $op,
                1 + int rand 60;
        }' "$1" >random.csv
}

# rows FILE: of a table or the oracle, without the bytes of all references.
rows() {
    grep -v ^trace, "$1" | cut -d, -f1-7,9,11
}

# ---------------------------------------------------- against the oracle --
seed=0
same=0
while [ $seed -lt 12 ]; do
    seed=$((seed + 1))
    make $seed
    sizes=1,2,7,30,100,101,333,1000,2500,100000
    ttl=-
    [ $((seed % 2)) = 0 ] || ttl=25
    # shellcheck disable=SC2046 # two words, or none
    run curve -q --objects --column $columns --policy lru,fifo --sizes $sizes \
        $([ $ttl = - ] || echo --ttl $ttl) random.csv
    rows out >got
    perl oracle.pl random.csv $ttl 0 $sizes lru,fifo | rows - >expected
    if cmp -s got expected; then
        same=$((same + 1))
    else
        diff got expected | sed 's/^/#   /' | head -5
    fi
done
is 'random traces that expire and delete: rows of the oracle' $same 12
grep -v delete random.csv >kept.csv
run curve -q --objects --column $columns --policy lru,fifo --sizes 30,333 \
    --warmup 40 kept.csv
is 'a warm-up' "$(rows out)" \
    "$(perl oracle.pl kept.csv - 40 30,333 lru,fifo | rows -)"
run curve -q --objects --column $columns --policy fifo --sizes 30,333 \
    --op get,set random.csv
is 'operations' "$(rows out | sed 's/^random/kept/')" \
    "$(perl oracle.pl kept.csv - 0 30,333 fifo | rows -)"

# ------------------------------------------------------------- the table --
is 'the policy is the last column' "$(head -1 out)" \
    'trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio,reference_bytes,missed_bytes,byte_miss_ratio,policy'
# Where sizes stay and nothing goes, the engine has the curve of lru.
grep -v delete random.csv | awk -F, '!($1 in size) { size[$1] = $2 } { print $1 "," size[$1] "," $4 }' \
    >fixed.csv
run curve -q --objects --column $fixed --sizes octave:2 fixed.csv
sed -n '2,$s/$/,lru/p' out >octaves
run curve -q --objects --column $fixed --policy lru,fifo fixed.csv
is 'lru is the exact curve, at two sizes an octave' "$(grep ',lru$' out)" \
    "$(cat octaves)"
is 'rows by policy, then size' "$(cut -d, -f11 out | uniq | tr '\n' ' ')" \
    'policy lru fifo '
is 'of the same sizes' "$(grep ',fifo$' out | cut -d, -f4)" \
    "$(cut -d, -f4 octaves)"
run curve -q --objects --column $fixed fixed.csv
sed -n '2,$s/$/,lru/p' out >usual
run curve -q --objects --column $fixed --policy lru fixed.csv
is 'lru alone has the usual sizes' "$(tail -n +2 out)" "$(cat usual)"
run curve -q --objects --column $columns --policy fifo --sizes all random.csv
cut -d, -f4 out >all
run curve -q --objects --column $columns --sizes all random.csv
is 'all: every size at which the curve of LRU steps' "$(cat all)" \
    "$(cut -d, -f4 out)"
run curve -q --objects --column $columns --policy s3fifo:small=0.3 \
    --sizes 1KiB,5B random.csv
is 'sizes are bytes' "$(cut -d, -f4 out | tr '\n' ' ')" 'cache_bytes 5 1024 '
run curve --objects --column $columns --policy clock random.csv
like 'the summary is that of objects' "$(cat err)" \
    ' objects of [0-9]* bytes in all, .* expired, .* deleted'

# Objects of one byte are blocks, and results do not depend on threads.
"$MARGAY" generate zipf --refs 20000 --blocks 900 --to lines -o z.lines
awk 'BEGIN { print "id,size" } { print $1 ",1" }' z.lines >z.csv
run curve -q --policy $all,random --sizes 1,10,77,500,900 z.lines
cut -d, -f3,6,8 out >blocks
run curve -q --objects --column id=id,size=size --policy $all,random \
    --sizes 1,10,77,500,900 -j1 z.csv
is 'objects of a byte are as blocks' "$(tail -n +2 out | cut -d, -f4,6,11)" \
    "$(tail -n +2 blocks)"
cp out one
run curve -q --objects --column id=id,size=size --policy $all,random \
    --sizes 1,10,77,500,900 -j4 z.csv
check 'one thread, and four' cmp -s one out
run curve -q --objects --column id=id,size=size --policy $all --sizes 1,10 \
    z.csv random.csv
is 'several traces' "$(cut -d, -f1 out | uniq | tr '\n' ' ')" \
    'trace z.csv random.csv '
head -1 z.csv >none.csv
run curve -q --objects --column id=id,size=size -f csv --policy $all none.csv
is 'an empty trace has no rows' "$status $(wc -l <out)" '0 1'

# ----------------------------------------------------------------- sample --
perl -e '
    require shift;
    seed(5);
    print "id,size\n";
    for (1 .. 60000) {
        my $id = draw(1 + draw(8000));
        printf "%d,%d\n", $id, 1 + $id * 7919 % 997;
    }' "$root/tests/sim/draw.pl" >large.csv
run curve -q --objects --column id=id,size=size --policy lru,fifo,sieve \
    --sizes 400000,1000000 large.csv
cp out full
run curve -q --objects --column id=id,size=size --policy lru,fifo,sieve \
    --sizes 400000,1000000 --sample 0.2 large.csv
is 'a sample: within 0.04, and counted whole' "$(paste -d, full out |
    tail -n +2 | awk -F, '{ d = $7 - $18; e = $10 - $21
        if (d * d > 0.0016 || e * e > 0.0016 || $5 != $16) print }')" ''
check 'yet not the same' test "$(cat out)" != "$(cat full)"
run curve -q --objects --column id=id,size=size --policy lru,fifo,sieve \
    --sizes 400000,1000000 --sample 1 large.csv
check 'a sample of all is no sample' cmp -s full out

# --------------------------------------------------------------- refusals --
refuses '--policy opt: it is not defined for objects with sizes' \
    curve --objects --policy lru,opt kept.csv
refuses '--policy plru: it is defined for sets of some ways only' \
    curve --objects --policy plru kept.csv
refuses '--policy fifo: given twice' \
    curve --objects --policy fifo,fifo kept.csv
refuses '--ttl is for objects' curve --ttl 5 --policy lru z.lines
refuses '--objects: the trace does not say the sizes' \
    curve --objects --policy fifo z.lines
refuses '--block' curve --objects --policy fifo -b 64 kept.csv
for option in '-e shards' '--histogram h'; do
    # shellcheck disable=SC2086 # two words
    refuses 'does not go with --policy' \
        curve --objects --policy fifo $option kept.csv
done
printf 't,id,size,time\na,1,3,1\na,0,2,1\na,1,3,9\n' >expires.csv
run curve --objects --column id=id,size=size,time=time --ttl 8 --tenant t \
    expires.csv
like 'what may be approximate is said' "$(cat err)" '--policy lru counts them exactly'
# What is asked is answered from the sizes of the table.
printf 'id,size\n1,2\n0,3\n1,2\n2,1\n1,2\n' >few.csv
run curve -q --objects --column id=id,size=size --policy fifo --sizes 5,6 \
    --at-most 60% few.csv
is 'a size of the table is found' "$status $(sed 's/.*: //' err) $(sed 1d out |
    cut -d, -f4 | paste -sd ' ')" '0 0.6 5 6'
like 'and named' "$(cat err)" 'has 6 bytes'
finish
