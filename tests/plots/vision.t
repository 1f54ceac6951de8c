#!/usr/bin/perl
# vision.t - the palette as people see it who lack cones, and on grey paper
#
# Colours are simulated as G. M. Machado, M. M. Oliveira and L. A. F. Fernandes
# have it (IEEE Transactions on Visualization and Computer Graphics 15:6, 2009,
# for a severity of 1), in linear RGB, and compared in CIE L*a*b*.  This holds what
# docs/using/pictures.md says of them.
use strict;
use warnings;

my %seen = (
    'all cones' => [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    'no red cones' => [[0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    'no green cones' => [[0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    'no blue cones' => [[1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    'grey' => [([0.2126, 0.7152, 0.0722]) x 3],
);
my $text = do { local (@ARGV, $/) = 'plots/terminal.gp'; <> };
my ($array) = $text =~ /array COLOUR\[7\] = \[(.*?)\]/s;
my @palette = $array =~ /#([0-9a-f]{6})/g;

sub product { # matrix, vector
    my ($m, @v) = @_;
    return map { my $row = $_; my $sum = 0;
        $sum += $row->[$_] * $v[$_] for 0 .. 2; $sum } @$m;
}

sub lab {
    my ($colour, $matrix) = @_;
    my @rgb = map { $_ <= 0.04045 ? $_ / 12.92 : (($_ + 0.055) / 1.055)**2.4 }
        map { hex($_) / 255 } $colour =~ /../g;
    my @xyz = product([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505]],
        map { $_ < 0 ? 0 : $_ > 1 ? 1 : $_ } product($matrix, @rgb));
    my @f = map { $_ > 0.008856 ? $_**(1 / 3) : 7.787 * $_ + 16 / 116 }
        map { $xyz[$_] / (0.9505, 1, 1.089)[$_] } 0 .. 2;
    return [116 * $f[1] - 16, 500 * ($f[0] - $f[1]), 200 * ($f[1] - $f[2])];
}

my $checks = 0;
sub ok {
    my ($holds, $name) = @_;
    print $holds ? 'ok ' : 'not ok ', ++$checks, " - $name\n";
}
ok(@palette == 7, 'the palette is read');
for my $who (sort keys %seen) {
    my @lab = map { lab($_, $seen{$who}) } @palette;
    my $least = 1e9;
    for my $i (0 .. $#lab) {
        for my $j (0 .. $i - 1) {
            my $far = sqrt(eval { my $sum = 0;
                $sum += ($lab[$i][$_] - $lab[$j][$_])**2 for 0 .. 2; $sum });
            $least = $far if $far < $least;
        }
    }
    my $wanted = $who eq 'all cones' ? 26 : 16;
    ok($least >= $wanted, "$who: any two are $wanted apart") if $who ne 'grey';
    ok(!(grep { $lab[$_][0] <= $lab[$_ - 1][0] } 1 .. 5),
        'in grey the first six go from dark to light') if $who eq 'grey';
}
# Where colours fail, the line of the next number has other dashes and marker.
for my $what ('dashes', 'shape') {
    my ($period) = $text =~ /^$what\(i\) = .*\(i - 1\) % (\d+) \+ 1\]?$/m;
    ok(($period // 0) > 3, "$what vary from the second line on");
}
print "1..$checks\n";
