#!/bin/sh
# profile.t - popularity, sizes and rate, against perl, which counts all of it
. tests/sim/lib.sh

# A table of requests as `margay info --profile` has to describe it, by hand.
cat >naive.pl <<'EOP'
use strict;
use warnings;
use POSIX qw(floor);
my ($unit) = @ARGV; # of blocks; "" = ids
my (%uses, %op, @sizes, %second, $first);
while (<STDIN>) {
    next if $. == 1;
    chomp;
    my ($time, $id, $size, $op) = split /,/;
    $first //= $time;
    $uses{$id}++;
    $op{$op}++;
    push @sizes, $size if $op ne 'delete';
    $second{$time < $first ? 0 : int($time - $first)}++;
}
my $all = 0;
$all += $_ for values %uses;
sub row {
    my ($property, $at, $value, $share) = @_;
    $value = floor(1e4 * $value + 0.5) / 1e4;
    printf "%s,%s,%.9g,%s\n", $property, $at, $value,
        defined $share ? sprintf '%.9g', $share : '';
}
row('references', '', $all);
row('block references', '', $all);
my %kind = (read => ($op{get} // 0), write => $all - ($op{get} // 0), fetch => 0);
row('op', $_, $op{$_} // 0, ($op{$_} // 0) / $all) for qw(get set delete);
if (@sizes) {
    @sizes = sort { $a <=> $b } @sizes;
    my $sum = 0;
    $sum += $_ for @sizes;
    row('size', 'mean', $sum / @sizes);
    for my $q (0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1) {
        my $i = 0; # the first with at least that share up to it
        $i++ while ($i + 1) < $q * @sizes;
        my $size = $sizes[$i];
        if ($size >= 128) {
            my $step = 1;
            $step *= 2 while $size / $step >= 128;
            $size = floor($size / $step) * $step;
        }
        row('size', $q, $size);
    }
}
my @ranks = sort { $b <=> $a } values %uses;
my $once = grep { $_ == 1 } @ranks;
row('blocks', 'distinct', scalar @ranks);
row('blocks', 'counted', scalar @ranks, 1);
row('blocks', 'used once', $once, $once / @ranks);
my $fitted = grep { $_ >= 10 } @ranks;
my ($from, $sum, @points) = (0, 0);
while ($from < @ranks) {
    my $to = $from + 1 + int($from / 4);
    $to = $fitted if $from < $fitted && $to > $fitted;
    $to = @ranks if $to > @ranks;
    my $group = 0;
    $group += $_ for @ranks[$from .. $to - 1];
    $sum += $group;
    push @points, [log(($from + 1 + $to) / 2), log($group / ($to - $from))]
        if $from < $fitted;
    row('rank', $to, $ranks[$to - 1], $sum / $all);
    $from = $to;
}
if ($fitted >= 16) {
    my ($mx, $my, $xx, $xy, $yy) = (0, 0, 0, 0, 0);
    $mx += $_->[0] / @points, $my += $_->[1] / @points for @points;
    for (@points) {
        my ($x, $y) = ($_->[0] - $mx, $_->[1] - $my);
        $xx += $x * $x, $xy += $x * $y, $yy += $y * $y;
    }
    my $slope = -$xy / $xx;
    row('zipf', 'exponent', $slope > 0 ? $slope : 0);
    row('zipf', 'r squared', $yy > 1e-9 ? $xy * $xy / $xx / $yy : 1);
    row('zipf', 'ranks', $fitted, $fitted / @ranks);
}
my ($last) = sort { $b <=> $a } keys %second;
my $width = int($last / 64) + 1;
for (my $at = 0; $at <= $last; $at += $width) {
    my $n = 0;
    $n += $second{$_} // 0 for $at .. $at + $width - 1;
    row('second', $at, $n / $width, $n / $all);
}
EOP
# The same form: what is not the trace, nor kinds, in nine digits.
cat >shown.pl <<'EOP'
while (<STDIN>) {
    chomp;
    my @f = split /,/, $_, -1;
    next if $. == 1 || $f[2] eq 'kind';
    printf "%s,%s,%.9g,%s\n", @f[2 .. 4], $f[5] eq '' ? '' : sprintf '%.9g', $f[5];
}
EOP
differ=0
for seed in 1 2 3 4 5 6 7 8; do
    perl -e '
        my ($seed) = @ARGV;
        srand $seed;
        my ($n, $m) = (1 + int rand 3000, 1 + int rand 300);
        my ($span, $time, $most) = (1 + int rand 3, 1e9, 2 ** int rand 30);
        print "time,id,size,op\n";
        for (1 .. $n) {
            $time += int(rand 2 * $span) / 2 if rand() < 0.3;
            $id = int $m * rand() ** (1 + $seed % 4);
            $size = int $most * rand() ** 3;
            $op = ("get") x 7, @ops = (("get") x 7, "set", "set", "delete");
            print join(",", $time, $id, $size, $ops[rand 10]), "\n";
        }' $seed >t.csv
    "$MARGAY" info -q --profile -f csv \
        --column id=id,time=time,size=size,op=op t.csv \
        >got.csv 2>err || cat err
    perl shown.pl <got.csv >got
    perl naive.pl <t.csv >want
    cmp -s got want || { differ=$((differ + 1)); diff got want | head -5; }
done
is 'profiles of random tables are what perl counts' $differ 0

# ------------------------------------------------------------ Zipf's law --

value() { # PROPERTY AT
    awk -F, -v property="$1" -v at="$2" '$3 == property && $4 == at { print $5 }'
}
for exponent in 0.6 0.8 1 1.2 1.5; do
    "$MARGAY" generate -q zipf --refs 300000 --blocks 1000 \
        --exponent $exponent --to u64 --unit 64 -o zipf.u64
    found=$("$MARGAY" info -q --profile zipf.u64 | value zipf exponent)
    check "the exponent $exponent is found within 0.01: $found" awk \
        "BEGIN { exit !($found - $exponent < 0.01 && $exponent - $found < 0.01) }"
done

# More blocks than are counted: every third once, the others twice.
perl -e 'for my $turn (0, 1) {
    print pack "(Q<)*", map { $_ * 2654435761 % 2 ** 40 }
        grep { $turn == 0 || $_ % 3 } 1 .. 1500000 }' >many.u64
"$MARGAY" info -q --profile -f u64 --ids many.u64 >many.csv
check 'a sample stands for many blocks' awk -F, '
    $3 == "blocks" { value[$4] = $5; share[$4] = $6 }
    END { exit !(value["distinct"] > 1490000 && value["distinct"] < 1510000 &&
        value["counted"] < 1048577 && share["counted"] == 0.5 &&
        share["used once"] > 0.33 && share["used once"] < 0.3367) }' many.csv

# -------------------------------------------------------------- heat map --

# Of SHIFT and numbers in decimal: the table of places that are sorted, or of
# the blocks in their order, without the first two columns.
cat >places.pl <<'EOP'
use strict;
use warnings;
my ($shift) = @ARGV;
my (%number, @blocks, @uses);
chomp(my @all = <STDIN>);
$_ >>= $shift for @all;
for (@all) { $number{$_} = push(@blocks, $_) - 1 if !exists $number{$_} }
@blocks = sort { $a <=> $b } @blocks if $shift;
my $places = @blocks < 32 ? @blocks : 32;
my $width = 1;
$width *= 2 while $#all >= 64 * $width;
my ($first, %place) = (0);
my @first = map { int $_ * @blocks / $places } 0 .. $places;
for my $i (0 .. $places - 1) {
    $place{$_} = $i for @blocks[$first[$i] .. $first[$i + 1] - 1];
}
$uses[$place{$all[$_]}][$_ / $width]++ for 0 .. $#all;
my $hex = $shift ? '0x%x' : '%d';
for my $i (0 .. $places - 1) {
    my ($low, $high) = $shift ? ($blocks[$first[$i]] << $shift,
        ($blocks[$first[$i + 1] - 1] + 1 << $shift) - 1)
        : ($first[$i], $first[$i + 1] - 1);
    for my $k (0 .. 63) {
        next if !$uses[$i][$k];
        my $to = ($k + 1) * $width;
        printf "%d,$hex,$hex,%d,%d,%d\n", $i, $low, $high, $k * $width,
            $to < @all ? $to : scalar @all, $uses[$i][$k];
    }
}
EOP
differ=0
for seed in 1 2 3 4 5 6; do
    perl -e '
        my ($seed) = @ARGV;
        srand $seed;
        my ($n, $m) = (1 + int rand 5000, 1 + int rand 4 ** $seed);
        for (1 .. $n) { print int($m * rand() ** 2) * 40, "\n" }' $seed >numbers
    perl -ne 'printf "0x%x\n", $_' numbers >t.hex
    for shift in 0 6; do
        perl places.pl $shift <numbers >want
        if [ $shift = 0 ]; then
            "$MARGAY" info -q --heatmap -f lines numbers
        else
            "$MARGAY" info -q --heatmap -f hex t.hex
        fi | sed 1d | cut -d, -f3- >got
        cmp -s got want || differ=$((differ + 1))
    done
done
is 'heat maps are what perl counts' $differ 0
"$MARGAY" info -q --heatmap -f u64 --ids many.u64 >many.csv
check 'some blocks stand for many' awk -F, 'NR > 1 { sum += $8 }
    END { exit !(sum > 2400000 && sum < 2600000) }' many.csv
finish
