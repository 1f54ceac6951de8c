#!/bin/sh
# answers.t - curve --at-most and --knees, against sums over all distances
. tests/sim/lib.sh

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
