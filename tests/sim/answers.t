#!/bin/sh
# answers.t - curve --at-most and --knees, against sums over all distances
. tests/sim/lib.sh

letters dacbccgefafbcmtmacfbdcac >parda
run curve --at-most 0.5 parda
is 'at-most: exit status' "$status" 0
like 'at-most: the cache' "$(cat err)" \
    'parda: the smallest cache with a miss ratio of at most 0.5 has 6 blocks: 0.416667$'
is 'at-most: the table is there' "$(wc -l <out)" 10
run curve -q --at-most 0.375 --unit 64 parda
is 'at-most: with -q, too' "$(cat err)" \
    'margay curve: parda: the smallest cache with a miss ratio of at most 0.375 has 9 blocks (576 bytes): 0.375'
run curve -q --at-most 0.37 parda
is 'at-most: no cache has that' "$status" 1
is 'at-most: why not' "$(cat err)" \
    'margay curve: parda: no cache has a miss ratio of at most 0.37: the cold misses alone are 0.375 (9 of 24)'
is 'at-most: the table is there all the same' "$(wc -l <out)" 10
printf '0 0\n0 40\n0 80\n0 40\n' >blocks.din
run curve -q -b 64,128 --at-most 0.1 blocks.din
is 'of each block size' "$status $(cut -d: -f2 err | tr '\n' ';')" \
    '1  blocks.din, blocks of 64 bytes; blocks.din, blocks of 128 bytes;'
run curve -q --at-most 0.5 --bound 4 parda
is 'at-most: a bound' "$status $(cat err)" \
    '1 margay curve: parda: no cache of up to 4 blocks has a miss ratio of at most 0.5: there it is 0.708333, and nothing is known beyond'
: >nothing
run curve -q --at-most 0.5 nothing
is 'at-most: an empty trace' "$status" 1
run curve -q --at-most x parda
is 'at-most: no number' "$status" 2
run curve -q --knees 2 parda
is 'knees' "$(cat err)" \
    'margay curve: parda: knee 1 at 6 blocks: the miss ratio falls from 0.791667 at half of that to 0.416667
margay curve: parda: knee 2 at 2 blocks: the miss ratio falls from 0.958333 at half of that to 0.791667'
xz -dc "$root/tests/sample/walk.lackey.xz" >walk.lackey
run curve -q --knees 9 walk.lackey
is 'knees of the sample: the interpreter, and each of three tables' \
    "$(sed -n 's/.*(\([0-9]*\) bytes).*/\1/p' err | sort -n |
        awk '{ printf "%.0f ", $1 / 1024 }')" '3 9 40 118 '
run curve -q --knees walk.lackey
is 'knees: 3 if not given' "$(wc -l <err)" 3
run curve -q --knees=1 parda
is 'knees: attached' "$(wc -l <err)" 1
run curve -q --knees 0 parda
is 'knees: none' "$status" 2

# Of random traces, by definition: m(C) counts distances of C or more.
cat >brute.pl <<'END'
my ($most, @d) = @ARGV; my $n = @d;
sub misses { my $c = shift; scalar grep { $_ eq 'inf' || $_ >= $c } @d }
my ($top) = sort { $b <=> $a } 0, grep { $_ ne 'inf' } @d;
my ($reached) = grep { misses($_) / $n <= $most } 1 .. $top + 1;
print defined $reached ? "$reached" : 'none', "\n";
sub lg { log($_[0] || 0.5) }
sub bend {
    my ($c, $part, $more) = @_;
    my $before = $c - (int($c / $part) || 1);
    my $after = $c + (int($c / $more) || 1);
    my $at = lg(misses($c));
    (lg(misses($before)) - $at) - 3 * ($at - lg(misses($after)));
}
sub steps { misses($_[0]) != misses($_[0] - 1) } # the curve steps at a knee
sub bends {
    my ($c) = @_;
    (sort { $b <=> $a } map { bend($c, @$_) } [6, 5], [3, 2], [2, 1])[0];
}
my @found;
for (1 .. 3) {
    my ($best, $size) = (0.05, 0);
    for my $c (1 .. $top + 1) {
        next if grep { int($c / 2) < $_ && int($_ / 2) < $c } @found;
        next if !steps($c);
        ($best, $size) = (bends($c), $c) if bends($c) > $best;
    }
    last if !$size;
    push @found, $size;
    my ($first) = grep { steps($_) && bends($_) >= 0.8 * $best }
        int($size / 2) + 1 .. $size;
    print "$first\n";
}
END
tries=0 wrong=0
while [ $tries -lt 60 ]; do
    tries=$((tries + 1))
    perl -e 'srand shift; my $b = 1 + int rand 40;
        print int(rand $b * (1 + rand)), "\n" for 1 .. 1 + rand 120' $tries >random
    most=$(perl -e 'srand shift; printf "%.3f", rand' $tries)
    run distances -q random
    # The distances are words.
    # shellcheck disable=SC2046
    perl brute.pl "$most" $(sed '1d; s/.*,//' out) >expected
    run curve -q --at-most "$most" --knees random
    {
        sed -n 's/.*at most [0-9.]* has \([0-9]*\) block.*/\1/p
            s/.*no cache has.*/none/p' err
        sed -n 's/.*knee [0-9] at \([0-9]*\) block.*/\1/p' err
    } >found
    cmp -s expected found || { wrong=$((wrong + 1)); diff expected found | sed "s|^|# |"
    }
done
is "$tries random traces" "$wrong" 0
finish
