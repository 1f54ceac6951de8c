#!/bin/sh
# sample.t - a recording of a sample of the blocks says what the whole one says
. tests/sim/lib.sh
compiler=${CC:-cc}
# shellcheck disable=SC2046 # words
check 'a program is built' $compiler -O2 $("$MARGAY" record --cflags) \
    -o sampled "$root/tests/capture/sampled.c" $("$MARGAY" record --libs)
check 'and as it is' $compiler -O2 -o sampled.plain \
    "$root/tests/capture/sampled.c" -pthread

# The same table, of all references and of the sample.
same_curve() { # RATE BLOCK-OPTIONS METHOD PROGRAM [HOW]
    engine=shards:rate=$1 rate=$1 block=$2 method=$3
    shift 3
    "$MARGAY" record -q --method "$method" --to words -o - "$@" 2>/dev/null |
        "$MARGAY" curve -q $block -e $engine - >whole
    "$MARGAY" record -q --method "$method" --sample "$rate" $block -o - "$@" \
        2>/dev/null | "$MARGAY" curve -q $block -e $engine - >sample
    [ "$(wc -l <sample)" -gt 5 ] && cmp -s whole sample
}
for rate in 0.5 0.1 0.01; do
    check "method runtime: a share of $rate of the blocks" \
        same_curve $rate '' runtime ./sampled
done
check 'of blocks of 4096 bytes' same_curve 0.1 '-b 4096' runtime ./sampled
check 'of a program that is killed' same_curve 0.1 '' runtime ./sampled kill
export MARGAY_BUFFER=mmu
# shellcheck disable=SC2046 # words
check 'buffers that end with a fault' $compiler -O2 \
    $("$MARGAY" record --cflags) -o sampled.mmu \
    "$root/tests/capture/sampled.c" $("$MARGAY" record --libs)
check 'have the same' same_curve 0.1 '' runtime ./sampled.mmu
unset MARGAY_BUFFER
name='method valgrind: the same'
if "$MARGAY" record -q --method valgrind -o /dev/null --to words \
    ./sampled.plain 2>err; then
    check "$name" same_curve 0.1 '' valgrind ./sampled.plain
else
    skip "$name" "$(tail -n 1 err)"
fi
name='a pass of the compiler: the same'
if CC=clang "$MARGAY" record --cflags | grep -q fpass-plugin; then
    # shellcheck disable=SC2046 # words
    check 'a pass of the compiler' clang -O2 \
        $(CC=clang "$MARGAY" record --cflags) -o sampled.pass \
        "$root/tests/capture/sampled.c" $(CC=clang "$MARGAY" record --libs)
    check "$name" same_curve 0.1 '' runtime ./sampled.pass
else
    skip "$name" 'no plugin for clang'
fi

# --------------------------------------------------------- samples of sets --
# rest.pl SAMPLE WHOLE: the references of the whole trace to the 64 sets that
# the sample has none of.
cat >rest.pl <<'END'
my ($sample, $whole) = @ARGV;
open my $words, '<:raw', $sample or die "$sample: $!\n";
my $all = do { local $/; <$words> };
my %in;
for (my ($at, $count) = 48; $at < length $all; $at += 8 + 8 * $count) {
    $count = unpack 'V', substr $all, $at, 4;
    for (unpack "Q<$count", substr $all, $at + 8, 8 * $count) {
        $in{($_ & 0xffffffffffff) >> 6 & 63} = 1 if $_ >> 62 != 3;
    }
}
open my $lines, '<', $whole or die "$whole: $!\n";
while (<$lines>) {
    print if /^ . ([0-9a-f]+),/ && !$in{hex($1) >> 6 & 63};
}
print STDERR scalar keys %in, "\n";
END
# sums.pl TABLE...: row by row the sums of the counts in tables.
cat >sums.pl <<'END'
my @sums;
for my $table (@ARGV) {
    open my $csv, '<', $table or die "$table: $!\n";
    my @names = split /,/, <$csv>;
    for (my $row = 0; <$csv>; $row++) {
        my @fields = split /,/;
        for my $i (0 .. $#names) {
            $sums[$row]{$names[$i]} += $fields[$i]
                if $names[$i] =~ /^(reference|misse|read|write|.*_misse|.*back)s$/;
        }
    }
}
for my $row (@sums) {
    print join(' ', map { "$_=$row->{$_}" } sort keys %$row), "\n";
}
END
# What the sets of the sample have and what the others have is what all have.
adds_up() { # COMMAND...
    "$MARGAY" "$@" sets.words >in.csv 2>notes &&
        "$MARGAY" "$@" rest.lackey >rest.csv 2>/dev/null &&
        "$MARGAY" "$@" whole.lackey >whole.csv 2>/dev/null &&
        perl sums.pl whole.csv >expected && perl sums.pl in.csv rest.csv >got &&
        [ "$(wc -l <expected)" -gt 1 ] && cmp -s got expected
}
cat >machine.csv <<'END'
cache,holds,bytes,block_bytes,ways,next,inclusion
L1,all,8192,64,2,L2,none
L2,all,65536,64,4,L3,inclusive
L3,all,1048576,64,16,,none
END
apart=lru,fifo,clock,nru,plru,opt,srrip,sieve,s3fifo,lfu,arc,2q,lirs,tinylfu
"$MARGAY" record -q --method runtime --to lackey -o whole.lackey ./sampled
"$MARGAY" record -q --method runtime --sample 0.125 --sets 64 -o sets.words \
    ./sampled
perl rest.pl sets.words whole.lackey >rest.lackey 2>count
is 'the share of the sets that is asked for' "$(cat count)" 8
check 'assoc: exact for these sets, by every policy that takes them apart' \
    adds_up assoc --sets 64,128,1024 --ways 1,2,4,16 \
    --policy "$apart"
like 'which says what the counts are of' "$(cat notes)" \
    "8 of 64 sets; all sets have $(grep -c . whole.lackey) references, .* 8 times"
check 'also 192 sets' adds_up assoc --sets 192 --ways 2,3
check 'and what is written' adds_up assoc --sets 64 --ways 4,8 --write back
check 'simulate: exact for these sets at every level' \
    adds_up simulate --machine machine.csv
# A fetch of set 0, which is the sample, and one that is left out.
perl -e 'print "mgwords\3", pack("V2Q<4 V2Q<2", 0, 12, 0, 0, 64, 64, 2, 0,
                                 2 << 62 | 1 << 56, 3 << 62 | 10 << 56 | 1)' \
    >fetch.words
"$MARGAY" simulate -q --machine machine.csv fetch.words >fetch.csv
is 'the fetches of a sample are not all instructions' \
    "$(sed -n 2p fetch.csv)" 'machine.csv,fetch.words,L1,1,1,1,1,1,0,0,0,0,0,0,0,,1,1,1,,0,0'

# ----------------------------------------------------- what the sample is --
refs_of() { "$MARGAY" curve -q -e shards:rate=0.01 "$1" | tail -n 1 | cut -d, -f5; }
"$MARGAY" record -q -o threads.words --to words ./sampled threads
"$MARGAY" record -q -o threads.sample.words --sample 0.01 ./sampled threads
is 'threads and processes: all references are counted' \
    "$(refs_of threads.sample.words)" "$(refs_of threads.words)"
whole=$(wc -c <threads.words)
sample=$(wc -c <threads.sample.words)
check "$sample bytes in the place of $whole" test $((sample * 20)) -lt "$whole"
run curve -q -e shards:rate=0.002 threads.sample.words
is 'a smaller share of the same blocks' "$status" 0

# ------------------------------------------------------ what takes no sample --
t=threads.sample.words
refuses 'engine exact takes whole traces.*shards:rate=0.01' curve $t
refuses 'other blocks than' curve -e shards:rate=0.02 $t
refuses 'other blocks than' curve -e shards:blocks=1000 $t
refuses 'other blocks than' curve -e shards:rate=0.01 --seed 2 $t
refuses 'say -b 64' curve -e shards:rate=0.01 -b 128 $t
refuses 'say -b 64' curve -e shards:rate=0.01 -b 64,128 $t
for choice in '--skip 5' '--limit 5' '--warmup 5' '--kind write' \
    '--straddle split'; do
    # shellcheck disable=SC2086 # words
    refuses 'options that choose or split' curve -e shards:rate=0.01 $choice $t
done
for command in info 'assoc --sets 1 --ways 4' 'curve --policy fifo' \
    'filter --sets 1 --ways 4 --to din' 'simulate --machine intel-skylake'; do
    # shellcheck disable=SC2086 # words
    refuses 'recorded with --sample.*margay curve -b 64 -e shards:rate=0.01' \
        $command $t
done
refuses 'recorded with --sample' convert --to din $t x.din
head -c 30 $t >cut.words
refuses 'found no sample' curve -e shards:rate=0.01 cut.words
s=sets.words
head -c 40 $s >cut.words
refuses 'found no sample' assoc --sets 64 cut.words
{ head -c 24 $s && head -c 8 /dev/zero && tail -c +33 $s; } >none.words
refuses 'found no sample' assoc --sets 64 none.words
refuses 'a cache has 32 sets, .*expected a multiple' assoc --sets 32 --ways 4 $s
refuses 'a cache has 64 sets by --index xor' assoc --sets 64 --index xor $s
for policy in random brrip drrip; do
    refuses "policy $policy takes all sets of a cache together" \
        assoc --sets 64 --policy $policy $s
done
refuses 'say -b 64' assoc --sets 64 -b 128 $s
refuses 'options that choose or split' assoc --sets 64 --skip 5 $s
for command in info curve 'curve -e shards:rate=0.1' 'compare --sets 64' \
    'curve --policy fifo' 'filter --sets 64 --ways 4 --to din'; do
    # shellcheck disable=SC2086 # words
    refuses '--sample and --sets.*margay assoc -b 64 --sets 64' $command $s
done
sed '1s/$/,prefetch/; 2s/$/,next-line/; 3,$s/$/,none/' machine.csv >x.csv
refuses 'L1 has a prefetcher' simulate --machine x.csv $s
sed 's/65536,64,4/65536,128,4/' machine.csv >x.csv
refuses 'has blocks of another size' simulate --machine x.csv $s
sed 's/,64,/,128,/' machine.csv >x.csv
refuses 'of 64 bytes: say -b 64, or take a machine of such blocks$' simulate --machine x.csv $s
sed 's/1048576,64,16/1048576,64,0/' machine.csv >x.csv
refuses 'L3 has 1 set, ' simulate --machine x.csv $s
for other in '--collapse 64' --sites --data '--start 5' '--stop 5' \
    '--max-trace 1M'; do
    # shellcheck disable=SC2086 # words
    run record --sample 0.1 $other -o x.words ./sampled
    is "not with $other" "$status" 125
    like 'which is said' "$(cat err)" '^margay record: --sample: .* needs all'
done
run record --sample 0.1 -o x.mgt ./sampled
like 'not as mgt' "$status $(tail -n 1 err)" '^125 .*no place for it, words has'
run record -b 64 -o x.words ./sampled
like 'no blocks without a sample' "$status $(cat err)" '^125 .* no --sample$'
run record --sets 64 -o x.words ./sampled
like 'nor sets' "$status $(cat err)" '^125 .*--sets: .* no --sample$'
run record --sample 0.1 --sets 96 -o x.words ./sampled
like 'of which there are not 96' "$status $(cat err)" \
    '^125 .*96 is not a power of two'
run record --sample 0.1 -b 96 -o x.words ./sampled
like 'no strange blocks' "$status $(cat err)" '^125 .*96 is not a power of two'
finish
